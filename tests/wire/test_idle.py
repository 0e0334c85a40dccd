"""A server that nobody asks for anything leaves the machine alone."""

import os
import time
from pathlib import Path

import pytest

from running import RunningServer, running

WATCHED_S = 3.0
MOST_S = 0.03 * WATCHED_S
"""Of a core; with Gradio's own queue, which looks a thousand times a second, it was twice as much."""


def spent_s(server: RunningServer) -> float:
    """Processor time of the server's own process."""
    assert server.process is not None
    user, system = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
def test_an_idle_server_hardly_takes_any_processor_time(tmp_path: Path):
    with running(tmp_path) as server:
        server.wait_ready()
        taken_s: list[float] = []
        while len(taken_s) < 10 and min(taken_s, default=MOST_S) >= MOST_S:  # what follows the start may take a while
            before_s = spent_s(server)
            time.sleep(WATCHED_S)
            taken_s.append(spent_s(server) - before_s)
    assert min(taken_s) < MOST_S, taken_s

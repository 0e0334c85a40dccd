"""The worker stands back from the server, except while an arm waits for it."""

import subprocess
import sys

LOOK = """
import os, threading
from pathlib import Path
from backend.worker import priority
priority.sessions_are_groups = lambda: {grouped}
def niceness():
    group = int(Path("/proc/self/autogroup").read_text().split()[-1]) if {grouped} else None
    return group, [os.getpriority(os.PRIO_PROCESS, int(task.name)) for task in Path("/proc/self/task").iterdir()]
threading.Thread(target=threading.Event().wait, daemon=True).start()
place = priority.Priority()
print(niceness())
import time; time.sleep(0.2)
place.come_forward()
print(niceness())
"""


def seen(*, grouped: bool) -> list[str]:
    """What a process of a session of its own says of its niceness: of the session, and of its threads."""
    program = [sys.executable, "-c", LOOK.format(grouped=grouped)]
    return subprocess.run(program, capture_output=True, text=True, check=True, start_new_session=True).stdout.split(
        "\n"
    )


def test_a_session_stands_back_and_comes_forward_as_a_whole():
    assert seen(grouped=True)[:2] == ["(3, [0, 0])", "(0, [0, 0])"]


def test_where_sessions_are_no_groups_every_thread_stands_back():
    back, _ = seen(grouped=False)[:2]
    assert back == "(None, [10, 10])"

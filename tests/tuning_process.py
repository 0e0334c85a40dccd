"""A training by `python -m tuning`, as the server starts it, told event by event."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from studio.tuning import EVENT, Refused, TuningEvent, TuningWork


def train(work: TuningWork, tell: Callable[[TuningEvent], None]) -> None:
    """Carry a piece of work out to its end.

    Raises:
        RuntimeError: it was refused, or the process ended with another status than 0.
    """
    command = [sys.executable, "-m", "tuning"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(work.model_dump_json() + "\n")
        process.stdin.flush()
        for line in process.stdout:
            event = EVENT.validate_json(line)
            if isinstance(event, Refused):
                raise RuntimeError(f"It was refused: {event.error.message}")
            tell(event)
    if process.returncode:
        raise RuntimeError(f"The training ended with status {process.returncode}.")

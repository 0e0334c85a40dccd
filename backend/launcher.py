"""`python -m backend.launcher PARENT_PID PRIORITY -m PROGRAM …`: become a Python program that dies with its parent.

The server may not import the robot's or the trainer's room, nor those ours; the kernel's death signal outlives exec.

The program runs in a session of its own, which Linux may schedule as one group: the priority that it has itself counts
within that group alone, so the group's is set here, where that is allowed.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from backend.worker.parent import die_with_parent

BEFORE_OTHERS = -10
"""As the robot's program asks for itself."""

AFTER_OTHERS = 10
"""A nice value at which a program takes what others leave: a ninth of a core that another one wants (sched(7))."""


def launching(priority: int, *program: str) -> list[str]:
    """The command that starts `python -m PROGRAM …` with a nice value, for a session of its own."""
    return [sys.executable, "-P", "-m", "backend.launcher", str(os.getpid()), str(priority), "-m", *program]


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    with suppress(OSError):  # no such groups, or no right to
        Path("/proc/self/autogroup").write_text(sys.argv[2])
    os.nice(max(0, int(sys.argv[2])))
    os.execv(sys.executable, [sys.executable, "-P", *sys.argv[3:]])

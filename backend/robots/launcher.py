"""`python -m backend.robots.launcher PARENT_PID -m PROGRAM …`: become a Python program that dies with its parent.

The server may not import the robot's room, nor that room ours; the kernel's death signal outlives exec.

The program runs in a session of its own, which Linux may schedule as one group: the priority that it gives itself
counts within that group alone, so the group is raised here, where that is allowed.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from backend.worker.parent import die_with_parent

LAUNCHER = (sys.executable, "-P", "-m", "backend.robots.launcher")

GROUP_PRIORITY = "-10"
"""As the robot's program asks for itself."""

if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    with suppress(OSError):  # no such groups, or no right to
        Path("/proc/self/autogroup").write_text(GROUP_PRIORITY)
    os.execv(sys.executable, [sys.executable, "-P", *sys.argv[2:]])

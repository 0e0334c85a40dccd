"""Dying with the parent. It is asked for before anything slow is imported, hence a file without imports of ours."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""prctl(2): the signal that the kernel sends this process when its parent dies."""


def die_with_parent(parent_pid: int) -> None:
    """Ask the kernel for SIGKILL at the parent's death (Linux); elsewhere the closed pipe has to do."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent_pid:  # it died before we asked
            os._exit(1)

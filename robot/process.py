"""The place of this process before everything else on the machine."""

from __future__ import annotations

import os
from contextlib import suppress

REAL_TIME = 1
"""The lowest of the real-time priorities: above all programs that have none, below the kernel's own threads."""

NICE = -10
"""Where there is no real-time priority to be had; groups of processes share by turns whatever they say here."""

SWITCH_INTERVAL_S = 0.0005
"""How long another thread may keep the interpreter from the loop's; Python's own 5 ms are a twelfth of a tick."""


def raise_priority() -> None:
    """Of this thread, and those that it starts; without the right to it all goes on, and late ticks are counted.

    Root has the right, and whoever has an `rtprio` limit (limits.conf(5)).
    """
    with suppress(OSError, AttributeError):  # no right to it, or no such scheduler here
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(REAL_TIME))
        return
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, NICE)


def lower_priority() -> None:
    """Of this thread, to what all programs have: for work that nothing waits for, beside threads with a deadline."""
    with suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))

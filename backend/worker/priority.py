"""How far the worker stands back where all cores are busy, and that it does not while an arm waits for it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

NICENESS = 10
"""Of the threads, for jobs and conversations: pages and clients are answered meanwhile, and a simulated arm has its
ticks on time. Its program asks for a better place itself, which only root is given: this needs no right."""

GROUP_NICENESS = 3
"""The same for the session: half the share of another one. With 10, a build in another terminal would take nine tenths
of the cores."""

FOREMOST = 0
"""While an arm waits: that of the server and of every program beside it."""

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")


class Priority:
    """Of the whole process, which leads a session of its own; stands back from the start.

    Linux schedules a session as one group (`sched_autogroup`, sched(7)), whose niceness may go down to 0 again without
    any right; that of a thread may not. Where sessions are no groups, threads are told, and come forward as root only.
    """

    def __init__(self) -> None:
        self._grouped = sessions_are_groups()
        self.stand_back()

    def stand_back(self) -> None:
        """Behind everything else that wants a core."""
        self._become(GROUP_NICENESS if self._grouped else NICENESS)

    def come_forward(self) -> None:
        """An arm waits for an answer, or may at any moment."""
        self._become(FOREMOST)

    def _become(self, niceness: int) -> None:
        if self._grouped:
            with suppress(OSError):  # changed less than a tenth of a second ago: the next change counts
                (PROC / "self" / "autogroup").write_text(str(niceness))
            return
        for thread in (PROC / "self" / "task").iterdir():
            with suppress(PermissionError, ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, int(thread.name), niceness)


def sessions_are_groups() -> bool:
    """Whether the niceness of a session counts: not in a control group with a share of the cores, as in a container."""
    with suppress(OSError):
        if (PROC / "sys" / "kernel" / "sched_autogroup_enabled").read_text().strip() != "1":
            return False
        lines = [line.split(":", 2) for line in (PROC / "self" / "cgroup").read_text().splitlines()]
        shares = [path for _, controllers, path in lines if "cpu" in controllers.split(",")]
        unified = [CGROUPS / path.lstrip("/") / "cpu.weight" for _, controllers, path in lines if not controllers]
        return all(path == "/" for path in shares) and not any(weight.exists() for weight in unified)
    return False

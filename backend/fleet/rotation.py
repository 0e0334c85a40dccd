"""Which checkpoint comes next, and which leaves for it. Decides; the fleet does it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.fleet.engine_group import EngineGroup
from studio.catalogue import DeviceMemory
from studio.checkpoints import Checkpoint

MAX_PASSED_OVER_S = 60.0
"""How long jobs of loaded checkpoints may go before an older one whose checkpoint finds no room. A swap costs seconds
to a minute: waiting for less would spend the time on swapping, and waiting for ever would starve somebody."""


class Rotation:
    """Who waits for an engine.

    Args:
        memory_gb: bound on what all loaded checkpoints may take together of a device; none is what it has free.

    Attributes:
        asked: checkpoints that a person wants loaded, first come first served.
    """

    def __init__(self, shelf: CheckpointCatalogue, memory_gb: float | None) -> None:
        self.asked: list[str] = []
        self._shelf = shelf
        self._memory_gb = memory_gb
        self._blocked: tuple[str, float] | None = None

    def wanted(self, waiting: Iterable[str], unavailable: Collection[str]) -> Checkpoint | None:
        """The checkpoint that comes next: what a person asked for, else what the oldest waiting job needs.

        Args:
            waiting: checkpoints of queued jobs, in the order of running.
            unavailable: those that are loaded already, or could not be.
        """
        for name in (*self.asked, *waiting):
            if name not in unavailable and (found := self._shelf.loadable(name)) is not None:
                return found
        return None

    def fits(self, needed_gb: float, memory: DeviceMemory, groups: Collection[EngineGroup]) -> bool:
        """Whether there is room. A checkpoint alone may always try: it says itself what it lacks."""
        return not groups or needed_gb <= self.spare_gb(memory, groups)

    def spare_gb(self, memory: DeviceMemory, groups: Iterable[EngineGroup]) -> float:
        """What is left for one more: of what was granted, else of what each device has free."""
        if self._memory_gb is None:
            return memory.free_gb
        return self._memory_gb - sum(group.needed_gb for group in groups)

    def arrived(self, name: str) -> None:
        """It has its engines."""
        self.asked = [asked for asked in self.asked if asked != name]
        self._blocked = None

    def leaving(
        self, wanted: Checkpoint, groups: Collection[EngineGroup], now: float, waiting: Sequence[str] = ()
    ) -> EngineGroup | None:
        """Who makes room: of the idle ones the longest unused; a busy one once that is due; nobody while one is going.

        Args:
            now: on the monotonic clock.
            waiting: checkpoints of queued jobs, in the order of running. Unless a person asks, one that is ready and
                stands before the wanted one stays until it has done its jobs: it would come back for them, and two
                would take turns with every swap.
        """
        if any(group.leaving for group in groups):
            return None
        if self._blocked is None or self._blocked[0] != wanted.id:
            self._blocked = wanted.id, now
        is_due = wanted.id in self.asked or now - self._blocked[1] >= MAX_PASSED_OVER_S
        ahead = waiting[: waiting.index(wanted.id)] if wanted.id in waiting else waiting
        kept = () if wanted.id in self.asked else ahead
        able = [
            group
            for group in groups
            if (group.idle or is_due) and not (group.checkpoint.id in kept and group.status.state == "ready")
        ]
        return min(able, key=lambda group: (not group.idle, group.used_at), default=None)

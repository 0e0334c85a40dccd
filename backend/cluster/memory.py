"""The memory of a cluster's devices, as the fleet asks for it."""

from __future__ import annotations

from collections.abc import Sequence

from backend.cluster.seat import Seat
from backend.fleet.memory import FleetMemory
from studio.catalogue import DeviceMemory
from studio.settings import ServerSettings


class ClusterMemory(FleetMemory):
    """As `FleetMemory`, of what each replica was given on its host: no two share a card."""

    def __init__(self, settings: ServerSettings, seats: Sequence[Seat], *, on_gpu: bool) -> None:
        super().__init__(settings.model_copy(update={"replicas": 1}))
        self._seats = seats
        self._unknown = DeviceMemory(place="gpu" if on_gpu else "host", total_gb=0, free_gb=0)

    def devices(self) -> tuple[str, ...]:
        """One for each replica; where an engine really computes is for its host to say."""
        return tuple(f"ray:{seat.number}" for seat in self._seats)

    def training_devices(self, count: int = 1) -> tuple[tuple[str, ...], bool]:
        """A trainer computes on the server's host. Which cards there are Ray's, nobody knows here: engines leave."""
        devices, _ = super().training_devices(count)
        if devices == ("cpu",):
            return devices, False
        return tuple(f"cuda:{number}" for number in range(count)), True

    def read(self) -> DeviceMemory:
        """What the scarcest host has; before any is known, nothing."""
        known = [host.facts.memory for seat in self._seats if (host := seat.now) is not None]
        return min(known, key=lambda memory: memory.free_gb, default=self._unknown)

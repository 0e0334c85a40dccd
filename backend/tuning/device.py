"""The devices that trainings take turns on, and getting them from the engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from backend.fleet import Fleet


@dataclass(frozen=True)
class Lent:
    """What a trainer has.

    Attributes:
        devices: as PyTorch names them.
        alone: the engines have left; what is asked of them waits until it is given back.
    """

    devices: tuple[str, ...]
    alone: bool = False


class TrainingDevice:
    """One training at a time: on the CPU beside the engines, on GPUs that they do not use, or in their place."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._turn = asyncio.Lock()
        self._checks = asyncio.Lock()
        self._holder = ""

    @asynccontextmanager
    async def look(self, num_gpus: int, waits_for: Callable[[str], None]) -> AsyncGenerator[Lent]:
        """What a training gets, while the block looks at what fits there: one at a time, beside trainings.

        Args:
            num_gpus, waits_for: see `lend`.

        Raises:
            BadInput: there are fewer GPUs.
        """
        if self._checks.locked():
            waits_for("another check")
        async with self._checks:
            waits_for("")
            yield Lent((await asyncio.to_thread(self._fleet.memory.training_devices, num_gpus))[0])

    @asynccontextmanager
    async def beside(self, tuning: str) -> AsyncGenerator[str]:
        """A device to try a save on while the block runs: beside a training where no engine has to leave it, else in
        turn with trainings.
        """
        (device,), is_shared = await asyncio.to_thread(self._fleet.memory.training_devices)
        if not is_shared:
            yield device
            return
        async with self.lend(tuning, 1, lambda what: None) as lent:
            yield lent.devices[0]

    @asynccontextmanager
    async def lend(self, tuning: str, num_gpus: int, waits_for: Callable[[str], None]) -> AsyncGenerator[Lent]:
        """The devices while the block runs.

        Args:
            tuning: its name.
            num_gpus: that it asks for, where there are some.
            waits_for: told what it waits for, and at last nothing.

        Raises:
            BadInput: there are fewer GPUs.
        """
        if self._turn.locked():
            waits_for(f"the tuning {self._holder}")
        async with self._turn:
            self._holder = tuning
            devices, is_shared = await asyncio.to_thread(self._fleet.memory.training_devices, num_gpus)
            if not is_shared:
                waits_for("")
                yield Lent(devices)
                return
            waits_for("the jobs in the queue")
            async with self._fleet.lent(f"the tuning {tuning}"):
                waits_for("")
                yield Lent(devices, alone=True)

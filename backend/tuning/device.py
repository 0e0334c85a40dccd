"""The one device that trainings take turns on, and getting it from the engines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from backend.fleet import Fleet


@dataclass(frozen=True)
class Lent:
    """A device that a trainer has.

    Attributes:
        name: as PyTorch has it.
        alone: the engines have left it; what is asked of them waits until it is given back.
    """

    name: str
    alone: bool = False


class TrainingDevice:
    """One training at a time: on the CPU beside the engines, on a GPU that they do not use, or in their place."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._turn = asyncio.Lock()
        self._checks = asyncio.Lock()
        self._holder = ""

    @asynccontextmanager
    async def look(self, waits_for: Callable[[str], None]) -> AsyncGenerator[str]:
        """The device that a training gets, while the block looks at what fits there: one at a time, beside trainings.

        Args:
            waits_for: see `lend`.
        """
        if self._checks.locked():
            waits_for("another check")
        async with self._checks:
            waits_for("")
            yield (await asyncio.to_thread(self._fleet.memory.training_device))[0]

    @asynccontextmanager
    async def beside(self, tuning: str) -> AsyncGenerator[str]:
        """A device to try a save on while the block runs: beside a training where no engine has to leave it, else in
        turn with trainings.
        """
        device, is_shared = await asyncio.to_thread(self._fleet.memory.training_device)
        if not is_shared:
            yield device
            return
        async with self.lend(tuning, lambda what: None) as lent:
            yield lent.name

    @asynccontextmanager
    async def lend(self, tuning: str, waits_for: Callable[[str], None]) -> AsyncGenerator[Lent]:
        """The device while the block runs.

        Args:
            tuning: its name.
            waits_for: told what it waits for, and at last nothing.
        """
        if self._turn.locked():
            waits_for(f"the tuning {self._holder}")
        async with self._turn:
            self._holder = tuning
            device, is_shared = await asyncio.to_thread(self._fleet.memory.training_device)
            if not is_shared:
                waits_for("")
                yield Lent(device)
                return
            waits_for("the jobs in the queue")
            async with self._fleet.lent(f"the tuning {tuning}"):
                waits_for("")
                yield Lent(device, alone=True)

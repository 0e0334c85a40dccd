"""A worker and a fleet for tests of the policy's service: nothing is computed."""

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from backend.engine_process import WorkerLost
from backend.fleet import EngineGroup
from backend.messages import Act, Acted, Command
from backend.metrics import Metrics
from backend.policy import PolicyService, PolicySession
from policy_requests import policy_request
from studio.checkpoints import Checkpoint, find_checkpoint
from studio.presets import load_presets
from studio.wire.arrays import pack_message, unpack_message

ROWS = np.full((32, 8), 0.5, np.float32)
LIMIT_S = 60.0


class FakeDispatcher:
    """A worker that is ready; it answers at once unless `answers` is off."""

    def __init__(self) -> None:
        self.status = SimpleNamespace(id="speck", state="ready", error=None)
        self.worker_pid: int | None = 1
        self.worker_starts = 1
        self.answers = True
        self.sent: list[Command] = []
        self.held: list[str | None] = []
        self.device = "auto"
        self.idle = True
        self.is_near = lambda: True
        self.listeners: dict[str, Callable[[Any], None]] = {}
        self.changed = asyncio.Event()

    def send(self, command: Command) -> None:
        self.sent.append(command)
        self.changed.set()
        if isinstance(command, Act) and self.answers:
            asyncio.get_running_loop().call_soon(self.tell, Acted(command.act_id, ROWS, 0.2))

    @contextmanager
    def listening(self, name: str, hear: Callable[[Any], None]) -> Generator[None]:
        self.listeners[name] = hear
        try:
            yield
        finally:
            del self.listeners[name]

    def tell(self, event: Any) -> None:
        names = list(self.listeners) if isinstance(event, WorkerLost) else [event.act_id]
        for name in names:
            if hear := self.listeners.get(name):
                hear(event)

    def hold(self, waits_for: str | None) -> None:
        self.held.append(waits_for)
        self.changed.set()

    def restart(self) -> None:
        self.tell(WorkerLost(-9))
        self.worker_starts += 1

    @property
    def acts(self) -> list[Act]:
        return [command for command in self.sent if isinstance(command, Act)]

    async def until(self, holds: Callable[[], Any]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not holds():
                self.changed.clear()
                await self.changed.wait()


class FakeFleet:
    """One checkpoint, one engine."""

    def __init__(self, dispatcher: Any, checkpoint: Checkpoint) -> None:
        self._engine = dispatcher
        self._group = EngineGroup(checkpoint, [dispatcher], needed_gb=1.0)

    async def awake(self, checkpoint: str | None) -> None:
        """It never sleeps."""

    def group(self, checkpoint: str | None) -> EngineGroup:
        assert checkpoint is None
        return self._group

    @contextmanager
    def device_held(self, device: str, waits_for: str) -> Iterator[None]:
        assert device == self._engine.device
        self._engine.hold(waits_for)
        yield
        self._engine.hold(None)


def run(act: Callable[[FakeDispatcher, PolicyService], Coroutine[Any, Any, None]], **options: Any) -> None:
    async def inside() -> None:
        dispatcher: Any = FakeDispatcher()
        checkpoint = find_checkpoint(options.pop("checkpoint", "speck"), load_presets(), Path("nowhere"))
        async with asyncio.timeout(LIMIT_S):
            shelf: Any = SimpleNamespace(active=checkpoint)
            fleet: Any = FakeFleet(dispatcher, checkpoint)
            await act(dispatcher, PolicyService(fleet, shelf, Metrics(), **options))

    asyncio.run(inside())


async def ask(session: PolicySession, **changes: Any) -> dict[str, Any]:
    return unpack_message(await session.answer(pack_message(policy_request(**changes))))

"""What is being imagined and what lately was, in memory: begun, looked at, cancelled."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Generic, Protocol, TypeVar

import structlog

from backend.jobs.promised import PromisedJobs
from studio.errors import Busy, NotFound, StudioError
from studio.jobs import Failure, Job
from studio.requests import shown

log = structlog.get_logger("orrery.imagining")

MAX_KEPT = 32
MAX_RUNNING = 4


class Imagined(Protocol):
    """A fan or a rollout, as it stands."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Any:
        """The same with other values."""
        ...


Kept = TypeVar("Kept", bound=Imagined)


class Imaginings(Generic[Kept]):
    """Those of one kind. Lives on the event loop's thread; what it knows ends with the server.

    Args:
        what: they are called, in one word.
        missing: the error of one that is not there.
    """

    def __init__(self, jobs: PromisedJobs, what: str, missing: type[NotFound]) -> None:
        self._jobs = jobs
        self._what = what
        self._missing = missing
        self._kept: dict[str, Kept] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._open_jobs: dict[str, set[str]] = {}

    def begin(self, make: Callable[[str], Kept], run: Callable[[Kept], Coroutine[Any, Any, None]]) -> Kept:
        """Keep one and let it run; whatever StudioError that raises is why it failed.

        Args:
            make: from its id.

        Raises:
            Busy: as many as may run do.
        """
        if len(self._tasks) >= MAX_RUNNING:
            raise Busy(
                f"{MAX_RUNNING} {self._what}s are running, which is the limit.", hint="Wait for one, or cancel it."
            )
        ended = [kept for kept in self._kept if kept not in self._tasks]
        for kept in ended[: max(0, len(self._kept) - MAX_KEPT + 1)]:
            del self._kept[kept]
        own = secrets.token_hex(6)
        begun = self._kept[own] = make(own)
        task = asyncio.create_task(self._end(own, lambda: run(begun)), name=f"{self._what} {own}")
        self._tasks[own] = task
        task.add_done_callback(lambda _: self._tasks.pop(own, None))
        return begun

    def get(self, own: str) -> Kept:
        """One as it stands. Raises the error of one that is not there."""
        if own not in self._kept:
            raise self._missing(f"There is no {self._what} {shown(own)}.", hint="They end with the server.")
        return self._kept[own]

    def change(self, own: str, **changes: Any) -> None:
        """Give it other values."""
        self._kept[own] = self._kept[own].model_copy(update=changes)

    async def made(self, own: str, payload: Mapping[str, Any]) -> Job:
        """A job of it once that has succeeded. Raises StudioError, why it did not."""
        job_id = secrets.token_hex(6)
        open_jobs = self._open_jobs.setdefault(own, set())
        open_jobs.add(job_id)
        job = await self._jobs.succeeded(job_id, payload)
        open_jobs.discard(job_id)
        return job

    async def cancel(self, own: str) -> Kept:
        """End one that runs, and the jobs that it waits for. Raises the error of one that is not there."""
        self.get(own)
        if (task := self._tasks.pop(own, None)) is not None:
            task.cancel()
            self.change(own, state="cancelled")
            await self._give_up(own)
        return self.get(own)

    async def close(self) -> None:
        """End all that run; their jobs stay in the queue."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _end(self, own: str, run: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await run()
            self.change(own, state="succeeded")
        except StudioError as error:
            log.info("imagining_failed", what=self._what, id=own, code=error.code, message=error.message)
            self.change(own, state="failed", error=Failure.of(error))
            await self._give_up(own)

    async def _give_up(self, own: str) -> None:
        for job_id in self._open_jobs.pop(own, set()):
            await self._jobs.give_up(job_id)

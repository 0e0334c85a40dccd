"""The verbs of `/v1/queue`, `/v1/batches` and `/v1/estimates`; each change is one transaction of the ledger."""

from __future__ import annotations

import itertools
import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.database.tables import JobRow, SwitchRow
from backend.jobs.admission import Admission
from backend.jobs.eta import estimate
from backend.jobs.ledger import PAUSED, Accepted, Ledger, last_position, place_before, place_by_priority
from backend.jobs.live_jobs import LiveJobs
from backend.jobs.rows import RANKS, find_row, job_of, move_row, readable
from backend.jobs.service import JobService
from studio.errors import BadInput, Conflict, JobNotFound, MediaNotFound
from studio.jobs import BatchPlace, Job, JobState, Priority
from studio.queue import MAX_BATCH, Batch, BatchRequest, Estimate, QueueStatus
from studio.requests import shown

NOTHING_LIKE_IT = "No similar job has run on this machine yet."

MAX_PATH = 200
"""Characters of the path of an axis; the longest that means anything has a tenth of it."""


class QueueService:
    """The order of jobs, and jobs that are handed in together.

    Args:
        wake: called when something may be started.
    """

    def __init__(self, live_jobs: LiveJobs, jobs: JobService, admission: Admission, wake: Callable[[], None]) -> None:
        self._live_jobs = live_jobs
        self._jobs = jobs
        self._admission = admission
        self._wake = wake

    async def status(self) -> QueueStatus:
        """How the queue stands."""
        return await self._live_jobs.tell_queue()

    async def set_paused(self, paused: bool) -> QueueStatus:
        """Start nothing more, or start again."""
        await self._live_jobs.read(set_paused, paused)
        self._wake()
        return await self._live_jobs.tell_queue()

    async def clear(self) -> QueueStatus:
        """Cancel everything that is queued."""
        await self._live_jobs.move_many(cancel_queued)
        return self._live_jobs.queue

    async def cancel_everything(self) -> None:
        """Cancel what is queued and what runs. Raises Conflict when something has not ended in time."""
        await self._live_jobs.move_many(cancel_queued)
        for job in await self._live_jobs.many(Ledger.open_jobs):
            with suppress(Conflict):  # it has ended meanwhile
                job = await self._jobs.cancel(job.id)
            if not job.state.ended:
                raise Conflict(f"Job {job.id} is still stopping.", hint="Try again in a moment.")

    async def move(self, job_id: str, before: str | None) -> Job:
        """Put a queued job just before another one, or last. Raises JobNotFound, Conflict."""
        return await self._live_jobs.move(move_job, job_id, before)

    async def set_priority(self, job_id: str, priority: Priority) -> Job:
        """Put a queued job behind the last one of a priority. Raises JobNotFound, Conflict."""
        return await self._live_jobs.move(set_priority, job_id, priority)

    async def submit_batch(self, asked: BatchRequest) -> Batch:
        """Accept all jobs of a batch, or none. Raises as `JobService.submit`."""
        accepted = await self._admission.admit_all(combinations(asked))
        for name in {each.checkpoint for each in accepted}:
            self._jobs.refuse_if_failed(name)
        batch_id = secrets.token_hex(6)

        def insert(ledger: Ledger) -> list[Job]:
            for each in accepted:
                self._admission.check_still_there(each.request)
            return insert_batch(ledger, batch_id, accepted, asked.priority)

        jobs = await self._live_jobs.move_many(insert)
        self._wake()
        return Batch(id=batch_id, jobs=tuple(jobs))

    async def batch(self, batch_id: str) -> Batch:
        """A batch as it is now. Raises JobNotFound."""
        return Batch(id=batch_id, jobs=tuple(await self._live_jobs.many(batch_jobs, batch_id)))

    async def cancel_batch(self, batch_id: str) -> Batch:
        """Cancel what has not ended of a batch. Raises JobNotFound."""
        await self.batch(batch_id)
        await self._live_jobs.move_many(cancel_queued, batch_id)
        for job in (await self.batch(batch_id)).jobs:
            if job.state is JobState.RUNNING:
                with suppress(Conflict):  # it has ended meanwhile
                    await self._jobs.cancel(job.id)
        return await self.batch(batch_id)

    async def estimate(self, payload: Mapping[str, Any]) -> Estimate:
        """How long a request would take, and until when it would wait. Raises BadInput as `JobService.submit`."""
        accepted = self._admission.parse(payload)
        try:
            request = await self._admission.sized(accepted.request)
        except (MediaNotFound, BadInput) as error:
            found = Estimate(reason=error.message)
        else:

            def look(ledger: Ledger) -> Estimate:
                with ledger.transaction() as session:
                    return estimate(session, request, accepted.checkpoint)

            found = await self._live_jobs.look(look)
            if found.seconds is None:
                found = Estimate(reason=NOTHING_LIKE_IT)
        status = await self._live_jobs.tell_queue()
        held = status.paused or status.full
        return found.model_copy(update={"queue_seconds": None if held else status.seconds_left})


def set_paused(ledger: Ledger, paused: bool) -> None:
    """Start nothing more, or start again; it stays so over a restart."""
    with ledger.transaction() as session:
        switch = session.get(SwitchRow, PAUSED)
        if paused and switch is None:
            session.add(SwitchRow(name=PAUSED))
        elif not paused and switch is not None:
            session.delete(switch)


def move_job(ledger: Ledger, job_id: str, before: str | None) -> Job:
    """Put a queued job just before another queued one, or last.

    Raises:
        JobNotFound: there is no such job, or no such other one.
        Conflict: one of them is not queued.
    """
    with ledger.transaction() as session:
        row = _queued(session, job_id)
        if before is None:
            row.position = last_position(session)
        elif before != job_id:
            row.position = ledger.placed(place_before(session, _queued(session, before), job_id))
        return job_of(row)


def set_priority(ledger: Ledger, job_id: str, priority: Priority) -> Job:
    """Put a queued job behind the last one of a priority. Raises as `move_job`."""
    with ledger.transaction() as session:
        row = _queued(session, job_id)
        row.priority = RANKS[priority]
        row.position = ledger.placed(place_by_priority(session, priority, job_id))
        return job_of(row)


def insert_batch(ledger: Ledger, batch_id: str, accepted: Sequence[Accepted], priority: Priority) -> list[Job]:
    """Accept all of them in their order, or none."""
    with ledger.transaction() as session:
        return [
            ledger.add(session, each, priority, BatchPlace(id=batch_id, index=index, size=len(accepted)))
            for index, each in enumerate(accepted)
        ]


def batch_jobs(ledger: Ledger, batch_id: str) -> list[Job]:
    """The jobs of a batch in their order. Raises JobNotFound when there is none."""
    query = select(JobRow).where(JobRow.batch_id == batch_id).order_by(JobRow.batch_index)
    with ledger.transaction() as session:
        rows = session.scalars(query).all()
        if not rows:
            raise JobNotFound(f"There is no batch {batch_id[:80]!r}.", hint="GET /v1/jobs lists them.")
        return readable(rows)


def cancel_queued(ledger: Ledger, batch_id: str | None = None) -> list[Job]:
    """Cancel everything that is queued, or what is queued of a batch; what runs goes on."""
    query = select(JobRow).where(JobRow.state == JobState.QUEUED)
    if batch_id is not None:
        query = query.where(JobRow.batch_id == batch_id)
    now = datetime.now(UTC)
    with ledger.transaction() as session:
        rows = session.scalars(query.order_by(JobRow.position)).all()
        for row in rows:
            move_row(row, JobState.CANCELLED, finished_at=now)
        return readable(rows)


def _queued(session: Session, job_id: str) -> JobRow:
    row = find_row(session, job_id)
    if row.state != JobState.QUEUED:
        raise Conflict(f"Job {job_id} is {row.state}; only a queued job can be moved.")
    return row


def combinations(asked: BatchRequest) -> list[dict[str, Any]]:
    """The requests of a batch, in their order.

    Over `{"kind": "generate_image"}` the axes `{"prompt": ["a", "b"], "sampling.seed": [1, 2]}` give four: a with 1, a
    with 2, b with 1, b with 2.

    Raises:
        BadInput: there are too many, or an axis leads through what is no object.
    """
    if asked.request is None:
        return list(asked.requests)
    num_jobs = math.prod(len(values) for values in asked.axes.values())
    if num_jobs > MAX_BATCH:
        raise BadInput(
            f"The axes have {num_jobs:,} combinations; the maximum is {MAX_BATCH:,}.",
            param="axes",
            hint="Send several batches.",
        )
    return [
        varied(asked.request, dict(zip(asked.axes, values, strict=True)))
        for values in itertools.product(*asked.axes.values())
    ]


def varied(request: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """A request with values laid over it by the paths of their fields; a number in a path counts in a list.

    Raises:
        BadInput: an axis leads through what holds nothing, or past the end of a list.
    """
    whole: Any = dict(request)
    for path, value in values.items():
        if len(path) > MAX_PATH:
            said = f"The axis {shown(path)} has {len(path):,} characters; the maximum is {MAX_PATH}."
            raise BadInput(said, param="axes")
        whole = _laid(whole, path.split("."), value, path)
    return whole


def _laid(place: Any, way: list[str], value: Any, path: str) -> Any:
    if not way:
        return value
    step, *rest = way
    if isinstance(place, list | tuple):
        items = list(cast(Sequence[Any], place))
        if not step.isdecimal() or int(step) >= len(items):
            said = f"The axis {shown(path)} leads to item {step} of a list of {len(items)}, counted from 0."
            raise BadInput(said, param="axes")
        items[int(step)] = _laid(items[int(step)], rest, value, path)
        return items
    if not isinstance(place, Mapping):
        raise BadInput(f"The axis {shown(path)} leads to {step} in a value that is not an object.", param="axes")
    fields = dict(cast(Mapping[str, Any], place))
    fields[step] = _laid(fields.get(step, {} if rest else None), rest, value, path)
    return fields

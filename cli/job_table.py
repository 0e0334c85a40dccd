"""The rows of `orrery jobs`: a job each, or all of a batch in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from cli.one_line import one_line
from cli.tables import PROMPT_HEAD, age
from studio.client import StudioClient
from studio.jobs import BatchPlace, Job, JobState
from studio.requests import ActionRequest, Request
from studio.rules import canvas

TITLES = ("id", "state", "step", "size", "seed", "prompt", "age")

PAGE_SIZE = 500
"""Jobs asked for at once, where a batch has taken the place of many."""

COUNTED = (JobState.RUNNING, JobState.FAILED, JobState.CANCELLED)
"""States of a batch's jobs that are said beside what is done."""


async def newest(client: StudioClient, limit: int) -> list[tuple[Job, ...]]:
    """What was handed in last, newest first: a job by itself, or all jobs of a batch in their order.

    Args:
        limit: entries, of which a batch is one.
    """
    found: dict[str, list[Job]] = {}
    page = await client.job_page(limit=limit)
    while True:
        for job in page.jobs:
            batch = _batch(job)
            found.setdefault(batch.id if batch else job.id, []).append(job)
        if page.next_cursor is None or len(found) >= limit:
            break
        page = await client.job_page(limit=PAGE_SIZE, cursor=page.next_cursor)
    return [await _whole(client, jobs) for jobs in list(found.values())[:limit]]


def job_row(job: Job, now: datetime) -> tuple[str, ...]:
    """The cells of one job."""
    step = f"{job.progress.step}/{job.progress.steps}"
    return job.id, job.state, step, _size(job.request), str(job.request.sampling.seed), _prompt(job), _age(job, now)


def entry_row(jobs: Sequence[Job], now: datetime) -> tuple[str, ...]:
    """The cells of a job, or of a batch: how many are done, and what all its jobs have in common."""
    batch = _batch(jobs[0])
    if batch is None:
        return job_row(jobs[0], now)
    size = _shared([_size(job.request) for job in jobs])
    seed = _shared([str(job.request.sampling.seed) for job in jobs])
    return batch.id, counts(jobs, batch.size), "", size, seed, _prompt(jobs[0]), _age(jobs[0], now)


def counts(jobs: Sequence[Job], size: int) -> str:
    """How far a batch is, as in `2 of 6 done, 1 running, 1 failed`; the others wait."""
    of = Counter(job.state for job in jobs)
    said = (f"{of[state]} {state}" for state in COUNTED if of[state])
    return ", ".join([f"{of[JobState.SUCCEEDED]} of {size} done", *said])


def _batch(job: Job) -> BatchPlace | None:
    """The batch that a job is shown in; one of a single job is shown as the job."""
    return job.batch if job.batch is not None and job.batch.size > 1 else None


async def _whole(client: StudioClient, jobs: Sequence[Job]) -> tuple[Job, ...]:
    """A job, or the whole batch that these are of, also where the pages held it in part."""
    batch = _batch(jobs[0])
    if batch is not None and len(jobs) < batch.size:
        return (await client.queue.batch(batch.id)).jobs
    return tuple(reversed(jobs))


def _shared(cells: Sequence[str]) -> str:
    """What all of them say, or nothing."""
    return cells[0] if len(set(cells)) == 1 else ""


def _prompt(job: Job) -> str:
    prompt = one_line(job.request.prompt)
    return prompt if len(prompt) <= PROMPT_HEAD else f"{prompt[: PROMPT_HEAD - 1]}…"


def _age(job: Job, now: datetime) -> str:
    return age((now - job.created_at).total_seconds())


def _size(request: Request) -> str:
    """Its canvas; of actions, whose frames keep their shape, the tier."""
    if isinstance(request, ActionRequest):
        return f"{request.resolution}p"
    width, height = canvas(request.resolution, request.aspect_ratio)
    return f"{width}x{height}"

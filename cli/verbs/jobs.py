"""`orrery jobs`: what was asked for, and what became of it; a job each, or all of a batch in one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from cli.flags import TargetFlags, pass_on, with_flags
from cli.printed import age, head, print_table
from cli.target import ask
from studio.client import StudioClient
from studio.errors import BadInput
from studio.jobs import BatchPlace, Job, JobState
from studio.requests import ActionRequest, Request, nearest, shown
from studio.rules import canvas

JobArgument = Annotated[str, typer.Argument(metavar="ID", help="The job.")]

TITLES = ("id", "state", "step", "size", "seed", "prompt", "age")

PAGE_SIZE = 500
"""Jobs asked for at once, where a batch has taken the place of many."""

COUNTED = (JobState.RUNNING, JobState.FAILED, JobState.CANCELLED)
"""States of a batch's jobs that are said beside what is done."""

jobs = typer.Typer(help="List, cancel and retry jobs.")


@jobs.callback(invoke_without_command=True)
@with_flags
def table(
    *,
    context: typer.Context,
    limit: Annotated[int, typer.Option(envvar="ORRERY_LIMIT", help="Number of rows, newest first.")] = 20,
    state: Annotated[
        str | None, typer.Option(envvar="ORRERY_STATE", help="queued, running, succeeded, failed or cancelled.")
    ] = None,
    target: TargetFlags,
) -> None:
    """List, cancel and retry jobs. Without a subcommand, print a table, newest first.

    A batch is one row with the number of its done jobs; with --state, every job is a row.
    """
    pass_on(context)
    if context.invoked_subcommand is not None:
        return
    wanted = _state(state)
    now = datetime.now(UTC)
    if wanted is None:
        rows = [_entry_row(each, now) for each in ask(target, lambda client: _newest(client, limit))]
    else:
        rows = [_job_row(job, now) for job in ask(target, lambda client: client.jobs(limit=limit, state=wanted))]
    print_table(TITLES, rows)


@jobs.command()
@with_flags
def batch(batch_id: Annotated[str, typer.Argument(metavar="ID", help="The batch.")], target: TargetFlags) -> None:
    """List the jobs of one batch, in order."""
    now = datetime.now(UTC)
    found = ask(target, lambda client: client.batch(batch_id))
    print_table(TITLES, [_job_row(job, now) for job in found.jobs])


@jobs.command()
@with_flags
def show(job_id: JobArgument, target: TargetFlags) -> None:
    """Print one job as JSON."""
    print(ask(target, lambda client: client.job(job_id)).model_dump_json(indent=2))


@jobs.command()
@with_flags
def cancel(job_id: JobArgument, target: TargetFlags) -> None:
    """Cancel a queued or running job."""
    job = ask(target, lambda client: client.cancel(job_id))
    print(f"{job.id} {job.state}")


@jobs.command()
@with_flags
def retry(job_id: JobArgument, target: TargetFlags) -> None:
    """Run a failed or cancelled job again."""
    job = ask(target, lambda client: client.retry(job_id))
    print(f"{job.id} {job.state}")


def _state(name: str | None) -> JobState | None:
    if name is None:
        return None
    try:
        return JobState(name)
    except ValueError:
        raise BadInput(f"The state is {shown(name)}.", param="state", hint=nearest(name, list(JobState))) from None


async def _newest(client: StudioClient, limit: int) -> list[tuple[Job, ...]]:
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


def _job_row(job: Job, now: datetime) -> tuple[str, ...]:
    """The cells of one job."""
    step = f"{job.progress.step}/{job.progress.steps}"
    return (
        job.id,
        job.state,
        step,
        _size(job.request),
        str(job.request.sampling.seed),
        head(job.request.prompt),
        _age(job, now),
    )


def _entry_row(jobs: Sequence[Job], now: datetime) -> tuple[str, ...]:
    """The cells of a job, or of a batch: how many are done, and what all its jobs have in common."""
    batch = _batch(jobs[0])
    if batch is None:
        return _job_row(jobs[0], now)
    size = _shared([_size(job.request) for job in jobs])
    seed = _shared([str(job.request.sampling.seed) for job in jobs])
    return batch.id, _counts(jobs, batch.size), "", size, seed, head(jobs[0].request.prompt), _age(jobs[0], now)


def _counts(jobs: Sequence[Job], size: int) -> str:
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
        return (await client.batch(batch.id)).jobs
    return tuple(reversed(jobs))


def _shared(cells: Sequence[str]) -> str:
    """What all of them say, or nothing."""
    return cells[0] if len(set(cells)) == 1 else ""


def _age(job: Job, now: datetime) -> str:
    return age((now - job.created_at).total_seconds())


def _size(request: Request) -> str:
    """Its canvas; of actions, whose frames keep their shape, the tier."""
    if isinstance(request, ActionRequest):
        return f"{request.resolution}p"
    width, height = canvas(request.resolution, request.aspect_ratio)
    return f"{width}x{height}"

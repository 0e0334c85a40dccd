"""One job from its request to its end, with its progress on stderr where a person watches; Ctrl+C cancels it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeRemainingColumn

from studio.client import StudioClient
from studio.errors import Conflict, StudioError
from studio.jobs import Job
from studio.requests import Request

CANCEL_TIMEOUT_S = 5.0


async def run_job(client: StudioClient, request: Request, watch: Callable[[Job], None]) -> Job:
    """Hand in a request and wait for its job's end; who is cancelled cancels the job.

    Args:
        client: of the server.
        request: what is asked for.
        watch: told of the job at every change.

    Raises:
        StudioError: the request was refused, or the job failed with this.
        Conflict: somebody else cancelled it.
    """
    # A task of its own: Ctrl+C while the request is on its way must still learn which job to cancel.
    submitting = asyncio.create_task(client.submit(request))
    try:
        job = await asyncio.shield(submitting)
        return await followed(client, job, watch)
    except asyncio.CancelledError:
        await _cancel(client, submitting)
        raise


async def followed(client: StudioClient, job: Job, watch: Callable[[Job], None]) -> Job:
    """A job at its end.

    Args:
        client: of the server.
        job: as it was last known.
        watch: told of it at every change.

    Raises:
        StudioError: it failed with this.
        Conflict: somebody cancelled it.
    """
    watch(job)
    async for latest in client.events(job.id):
        job = latest
        watch(job)
    if job.error is not None:
        raise job.error.error()
    if job.state == "cancelled":
        raise Conflict(f"Job {job.id} was cancelled.", hint="orrery jobs retry runs it again.")
    return job


async def _cancel(client: StudioClient, submitting: asyncio.Task[Job]) -> None:
    try:
        async with asyncio.timeout(CANCEL_TIMEOUT_S):
            await client.cancel((await submitting).id)
    except Conflict:
        return  # it had ended by itself
    except (StudioError, TimeoutError):
        print("orrery: the server could not be reached; the job may still be running.", file=sys.stderr)


@contextmanager
def counted(total: int, unit: str) -> Generator[Callable[[], None], None, None]:
    """A function that counts one more of so many, while the block runs."""
    bars = Progress(
        SpinnerColumn(),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} {task.fields[unit]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bars:
        task = bars.add_task("", total=total, unit=unit)
        yield lambda: bars.advance(task)


class JobBars:
    """A bar for each running job, which counts steps, below one that counts finished samples where there are several.

    Use it as `with JobBars() as bars`.
    """

    def __init__(self, num_samples: int | None = None) -> None:
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[unit]} {task.completed:.0f} of {task.total:.0f}"),
            TextColumn("{task.fields[left]}"),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._samples: TaskID | None = None
        if num_samples is not None:
            self._samples = self._bars.add_task("all", total=num_samples, unit="sample", left="")

    def __enter__(self) -> JobBars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def count(self) -> None:
        """One more sample has ended."""
        if self._samples is not None:
            self._bars.advance(self._samples)

    @contextmanager
    def job(self, name: str = "") -> Generator[Callable[[Job], None], None, None]:
        """A function that draws a job as it is now, while the block runs."""
        task: list[TaskID] = []

        def draw(job: Job) -> None:
            progress = job.progress
            if not task:
                task.append(self._bars.add_task("", total=progress.steps, unit="step", left=""))
            self._bars.update(
                task[0],
                description=f"{name}  {progress.phase}" if name else progress.phase,
                completed=progress.step,
                total=progress.steps,
                left="" if progress.seconds_left is None else f"{progress.seconds_left:.0f} s left",
            )

        try:
            yield draw
        finally:
            if task:
                self._bars.remove_task(task[0])

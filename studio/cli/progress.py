"""The progress of one job on stderr, for a person who watches; nothing when nobody does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from studio.jobs import Job


@contextmanager
def drawn(job: Job) -> Generator[Callable[[Job], None], None, None]:
    """A function that draws a job as it is now, while the block runs."""
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("step {task.completed:.0f} of {task.total:.0f}"),
        TextColumn("{task.fields[left]}"),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    task = bar.add_task(job.progress.phase, total=job.progress.steps, left="")

    def draw(latest: Job) -> None:
        progress = latest.progress
        bar.update(
            task,
            description=progress.phase,
            completed=progress.step,
            total=progress.steps,
            left="" if progress.seconds_left is None else f"{progress.seconds_left:.0f} s left",
        )

    with bar:
        yield draw

"""The progress of jobs and of clips on stderr, for a person who watches; nothing when nobody does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeRemainingColumn

from studio.jobs import Job


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

"""The job that is being run, as the dispatcher holds it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import structlog

from backend.broadcast import Broadcast
from backend.jobs.eta import Pace
from backend.jobs.preparations import PreparedPrompt
from backend.messages import JobFailed, JobProgressed, RunJob
from studio.errors import EngineLost, StudioError, Unexpected
from studio.jobs import Failure, Job, Progress

log = structlog.get_logger("orrery.dispatcher")


@dataclass
class Running:
    """The job that runs.

    Attributes:
        cancelling: a person has cancelled it, and the worker has been told.
        previewed: the worker has been told that somebody looks.
        preparing: its words are read or written; until they have been, the worker knows nothing of the job.
    """

    job: Job
    previewed: bool
    cancelling: bool = False
    pace: Pace = field(default_factory=Pace)
    preparing: asyncio.Future[PreparedPrompt] | None = None

    @property
    def is_guarded(self) -> bool:
        """Whether the guardrail has read its words, and is to see what comes of them."""
        return self.job.guardrail == "passed"

    def order(self) -> RunJob:
        """What the worker is told."""
        return RunJob(self.job.id, self.job.request, self.previewed, self.is_guarded)

    def look(self, broadcast: Broadcast) -> bool:
        """Note whether anybody looks at its previews; whether that has changed."""
        before, self.previewed = self.previewed, broadcast.is_wanted(preview_topic(self.job.id))
        return self.previewed != before


@dataclass(frozen=True)
class Prepared:
    """The running job's words have been read or written, and this is what it asks for now."""

    job_id: str
    words: PreparedPrompt


@dataclass(frozen=True)
class Held:
    """Jobs wait for something beside their turn, or for nothing any more."""

    waits_for: str | None


def outcome_of(job_id: str, preparing: asyncio.Future[PreparedPrompt]) -> Prepared | JobFailed:
    """What came of preparing a job that has not been cancelled."""
    error = preparing.exception()
    if error is None:
        return Prepared(job_id, preparing.result())
    if not isinstance(error, StudioError):
        log.error("preparing_broke", job_id=job_id, exc_info=error)
        error = Unexpected("The prompt could not be checked or upsampled.", hint="See the server's log for details.")
    return JobFailed(job_id, Failure.of(error))


def progress_of(event: JobProgressed, pace: Pace) -> Progress:
    """What a report of the worker says to people."""
    seconds_left = pace.seconds_left(event.step, event.steps) if event.phase == "denoising" else None
    return Progress(phase=event.phase, step=event.step, steps=event.steps, seconds_left=seconds_left)


def too_deadly(job: Job) -> Failure:
    """Why a job is not tried again whose worker has just died."""
    return Failure.of(
        EngineLost(
            f"The worker crashed on this job {job.attempts + 1} times.",
            hint="Try a lower resolution or fewer steps. See the server's log for details.",
        )
    )


def never_ready(deaths: int) -> Failure:
    """Why the server has given up on its worker for now."""
    return Failure.of(
        EngineLost(f"The worker crashed {deaths} times before it was ready.", hint="See the server's log for details.")
    )


def preview_topic(job_id: str) -> str:
    """The binary topic that carries a job's previews."""
    return f"preview/{job_id}"

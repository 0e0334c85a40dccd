"""A job: one request on its way through the server, and the moves that it may make."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from studio.errors import Conflict, StudioError, rebuild
from studio.media import MediaReference
from studio.requests import Frozen, Request


class JobState(StrEnum):
    """Where a job stands; `LEGAL_MOVES` says where it may go."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Nothing happens to it any more, unless a person retries it."""
        return self in (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)


LEGAL_MOVES: dict[JobState, frozenset[JobState]] = {
    JobState.QUEUED: frozenset({JobState.RUNNING, JobState.FAILED, JobState.CANCELLED}),
    JobState.RUNNING: frozenset({JobState.QUEUED, JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED}),
    JobState.SUCCEEDED: frozenset(),
    JobState.FAILED: frozenset({JobState.QUEUED}),
    JobState.CANCELLED: frozenset({JobState.QUEUED}),
}
"""A running job goes back to the queue when its worker or its server dies; an ended one when a person retries it."""

Priority = Literal["low", "normal", "high"]
"""Where a job is put when it is queued: before those of less, behind those of its own. People may move it anywhere."""

Verdict = Literal["not_installed", "off", "passed", "blocked"]
"""Of the guardrail on a job: there was none, it was not asked, it let everything through so far, or it has stopped it.
Words that it does not let through become no job; what was written or made from them may be stopped later.
"""

MAX_ATTEMPTS = 2
"""Worker deaths that one job may cause before it is the job's fault."""

MAX_RETURNS = 10
"""Server deaths that one job survives; they are not its fault, but something is."""


def check_move(job_id: str, old: JobState, new: JobState) -> None:
    """Raises Conflict unless the table allows the move."""
    if new not in LEGAL_MOVES[old]:
        raise Conflict(f"Job {job_id} is {old}; it cannot become {new}.", hint=_way_out(old))


def _way_out(state: JobState) -> str:
    if state is JobState.SUCCEEDED:
        return "It is done and its results are kept. Submit a new job for new results."
    if state.ended:
        return "It has ended. POST /v1/jobs/{id}/retry runs it again."
    return "Wait until it ends, or cancel it first."


class Progress(Frozen):
    """Where a job is. `step` counts finished denoising steps over all pictures of the job."""

    phase: Literal["waiting", "upsampling", "starting", "denoising", "decoding", "ended"] = "waiting"
    step: int = 0
    steps: int
    seconds_left: float | None = None


class Failure(Frozen):
    """A StudioError as data, in the one shape that every route answers."""

    code: str
    message: str
    type: str
    param: str | None = None
    hint: str = ""

    @classmethod
    def of(cls, error: StudioError) -> Failure:
        """The data of an error."""
        return cls(
            code=error.code, message=error.message, type=type(error).__name__, param=error.param, hint=error.hint
        )

    def error(self) -> StudioError:
        """The error again, of its own class."""
        return rebuild(self.code, self.message, self.param, self.hint)


class BatchPlace(Frozen):
    """Where a job stands in the batch that it was handed in with: job `index` of `size`, counted from 0."""

    id: str
    index: int
    size: int


class Job(Frozen):
    """One row of the ledger, as everybody sees it.

    Attributes:
        number: place in the order of acceptance, which the clock has no part in; lower is older.
        end_number: the same of the order in which jobs ended; none of open ones, and of those that an
            import brought.
        checkpoint: the checkpoint that runs it, resolved when it was accepted.
        position: place in the queue's order; lower runs earlier, and numbers are left out between.
        batch: of a job that was handed in together with others.
        attempts: worker deaths so far.
        returns: server deaths so far.
        waiting_for: what an open job waits for beside its turn: another checkpoint, or a `robot` that is served first,
            for which a running job rests between two steps.
        guardrail: what the guardrail says of it; none where it was not asked.
        stopped_at_step: set when a person stopped it early, to keep what was there or to cancel it.
    """

    id: str
    kind: str
    state: JobState
    checkpoint: str
    request: Request
    progress: Progress
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    number: int = 0
    end_number: int | None = None
    position: int = 0
    priority: Priority = "normal"
    batch: BatchPlace | None = None
    attempts: int = 0
    returns: int = 0
    waiting_for: str | None = None
    stopped_at_step: int | None = None
    results: tuple[MediaReference, ...] = ()
    error: Failure | None = None
    guardrail: Verdict | None = None

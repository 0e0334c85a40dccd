"""How long jobs take: by the steps that one has taken, and by how long jobs like it took.

What was measured is kept in the database, so that a restart forgets nothing. Jobs are alike whose steps have as much to
do; the time of a job is that of its steps, and of what comes before and after them.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.database.tables import JobRow, PaceRow
from studio.jobs import JobState, Progress
from studio.queue import Estimate
from studio.requests import Request, TransferVideo
from studio.rules import canvas_of

SMOOTHING = 0.2
"""Weight of the newest step: about the last ten steps count."""


class Pace:
    """Seconds per step of one job, smoothed. The first report only starts the clock: it holds the prompt's prefill."""

    def __init__(self) -> None:
        self._step: int | None = None
        self._at = 0.0
        self._seconds_per_step: float | None = None

    def seconds_left(self, step: int, steps: int, now: float | None = None) -> float | None:
        """Note that `step` of `steps` are done; returns the estimate, or none before two reports."""
        now = time.monotonic() if now is None else now
        if self._step is not None and step > self._step:
            latest = (now - self._at) / (step - self._step)
            known = self._seconds_per_step
            self._seconds_per_step = latest if known is None else known + SMOOTHING * (latest - known)
        if self._step is None or step > self._step:
            self._step, self._at = step, now
        return None if self._seconds_per_step is None else self._seconds_per_step * (steps - step)

    def rest(self) -> None:
        """The job pauses, or goes on after a pause: the time until its next report is no step's."""
        self._step = None


@dataclass(frozen=True)
class Measured:
    """Seconds of a finished job.

    Attributes:
        seconds_per_step: of each step that its request asks for.
        seconds_around: before the first and after the last.
    """

    seconds_per_step: float
    seconds_around: float


class Stopwatch:
    """Runs from the moment that a job is started.

    Args:
        num_steps: that its request asks for.
        expected: how long it would take, by what was measured before.
    """

    def __init__(self, num_steps: int, expected: Estimate, now: float | None = None) -> None:
        self._num_steps = num_steps
        self._expected = expected
        self._began = _time(now)
        self._first: tuple[int, float] | None = None
        self._last: tuple[int, float] | None = None
        self._is_void = False
        self._is_waiting = False
        self.seconds_left = expected.seconds

    def note(self, progress: Progress, now: float | None = None) -> Progress:
        """Take the time of a report, and let it say how long the job still takes, if nobody knows better."""
        at = _time(now)
        if progress.phase == "upsampling":
            self._is_waiting = True
            return progress
        if self._is_waiting:
            self._is_waiting, self._began = False, at
        if progress.phase == "denoising":
            self._first = self._first or (progress.step, at)
            self._last = (progress.step, at)
        if progress.seconds_left is None and self._expected.seconds is not None and not self._is_void:
            progress = progress.model_copy(update={"seconds_left": self._expected_left(progress, at)})
        self.seconds_left = progress.seconds_left
        return progress

    def pause(self) -> None:
        """The job rests: its time says nothing any more."""
        self._is_void = True

    def measured(self, num_steps: int, now: float | None = None) -> Measured | None:
        """What the job took, at its end; none where it was interrupted.

        Args:
            num_steps: that it has had; those of a clip in chunks are more than its request says.
        """
        if self._is_void or not self._num_steps:
            return None
        total = _time(now) - self._began
        if self._first is None or self._last is None or self._last[0] <= self._first[0]:
            return Measured(total / self._num_steps, 0.0)
        of_one = (self._last[1] - self._first[1]) / (self._last[0] - self._first[0])
        denoising = min(of_one * num_steps, total)
        return Measured(denoising / self._num_steps, total - denoising)

    def _expected_left(self, progress: Progress, at: float) -> float | None:
        if self._expected.seconds is None:
            return None
        if self._expected.basis == "similar" and progress.phase == "decoding":
            return None
        return max(0.0, self._expected.seconds - (at - self._began))


def _time(now: float | None) -> float:
    return time.monotonic() if now is None else now


def pace_key(request: Request, checkpoint: str) -> str | None:
    """A name that requests share whose steps take as long; none where that depends on a clip's length."""
    if isinstance(request, TransferVideo) and request.num_frames is None:
        return None
    said: list[object] = [request.kind, checkpoint, request.resolution, step_work(request), request.count]
    if request.sampling.step_cache:  # some of its steps take no time at all
        said.append(request.sampling.step_cache)
    return hashlib.blake2b(json.dumps(said).encode(), digest_size=16).hexdigest()


def step_work(request: Request) -> float:
    """Latent pixels that one step of one result denoises, over all its passes, in thousands of canvas pixels.

    A clip of 17 frames on 320x192 with guidance is 5 * 61.44 * 2 = 614.4.
    """
    return request.step_frames * _pixels(request) / 1000 * request.sampling.num_passes


def _pixels(request: Request) -> int:
    """Of the canvas; frames that keep their own shape have only a tier."""
    known = canvas_of(request)
    return known[0] * known[1] if known else int(request.resolution) ** 2 * 16 // 9


NEWEST_SHARE = 0.3
"""Weight of the newest job in the means: about the last six count."""

MAX_RATIO = 16.0
"""How many times more or less work a job may be for another one to say something of it."""


def record(session: Session, job_id: str, measured: Measured) -> None:
    """Take a finished job into the means of those like it."""
    job = session.scalars(select(JobRow).where(JobRow.id == job_id)).first()
    # It may have been erased, with all others, while its success was on the way.
    if job is None or job.pace_key is None or job.step_work is None:
        return
    row = session.get(PaceRow, job.pace_key)
    if row is None:
        session.add(
            PaceRow(
                key=job.pace_key,
                checkpoint=job.checkpoint,
                kind=job.kind,
                step_work=job.step_work,
                seconds_per_step=measured.seconds_per_step,
                seconds_around=measured.seconds_around,
                num_samples=1,
            )
        )
        return
    row.num_samples += 1
    row.seconds_per_step += NEWEST_SHARE * (measured.seconds_per_step - row.seconds_per_step)
    row.seconds_around += NEWEST_SHARE * (measured.seconds_around - row.seconds_around)


def estimate_job(session: Session, job_id: str) -> Estimate:
    """How long a job would take, once it runs."""
    job = session.scalars(select(JobRow).where(JobRow.id == job_id)).one()
    if job.pace_key is None or job.step_work is None:
        return Estimate()
    return _Paces(session).estimate(job.pace_key, job.checkpoint, job.kind, job.step_work, job.num_steps, 1)


def estimate(session: Session, request: Request, checkpoint: str) -> Estimate:
    """How long a request would take, once it runs."""
    key = pace_key(request, checkpoint)
    if key is None:
        return Estimate()
    num_steps = request.sampling.num_inference_steps * request.count
    return _Paces(session).estimate(key, checkpoint, request.kind, step_work(request), num_steps, 1)


def queued_seconds(session: Session) -> float | None:
    """How long everything that is queued would take, one after the other; none where one of them is like no other."""
    query = (
        select(
            JobRow.pace_key,
            JobRow.checkpoint,
            JobRow.kind,
            JobRow.step_work,
            func.sum(JobRow.num_steps),
            func.count(),
        )
        .where(JobRow.state == JobState.QUEUED)
        .group_by(JobRow.pace_key, JobRow.checkpoint, JobRow.kind, JobRow.step_work)
    )
    groups = session.execute(query).all()
    if not groups:
        return 0.0
    paces = _Paces(session)
    total = 0.0
    for key, checkpoint, kind, work, num_steps, num_jobs in groups:
        if key is None or work is None:
            return None
        seconds = paces.estimate(key, checkpoint, kind, work, num_steps, num_jobs).seconds
        if seconds is None:
            return None
        total += seconds
    return total


class _Paces:
    """Everything that was measured, read once."""

    def __init__(self, session: Session) -> None:
        self._rows = {row.key: row for row in session.scalars(select(PaceRow))}

    def estimate(self, key: str, checkpoint: str, kind: str, work: float, num_steps: int, num_jobs: int) -> Estimate:
        """Of so many jobs that are alike, with so many steps together."""
        row = self._rows.get(key)
        if row is not None:
            seconds = row.seconds_around * num_jobs + row.seconds_per_step * num_steps
            return Estimate(seconds=seconds, basis="measured", samples=row.num_samples)
        similar = [each for each in self._rows.values() if (each.checkpoint, each.kind) == (checkpoint, kind)]
        if not similar:
            return Estimate()
        nearest = min(similar, key=lambda each: abs(math.log(each.step_work / work)))
        ratio = work / nearest.step_work
        if not 1 / MAX_RATIO <= ratio <= MAX_RATIO:
            return Estimate()
        seconds = ratio * (nearest.seconds_around * num_jobs + nearest.seconds_per_step * num_steps)
        return Estimate(seconds=seconds, basis="similar", samples=nearest.num_samples)

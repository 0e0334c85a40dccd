"""How long jobs take, by how long jobs like them took: kept in the database, so that a restart forgets nothing."""

from __future__ import annotations

import math

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.database.tables import JobRow, PaceRow
from backend.jobs.stopwatch import Measured
from backend.jobs.work import pace_key, step_work
from studio.jobs import JobState
from studio.queue import Estimate
from studio.requests import Request

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

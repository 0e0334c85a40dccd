"""What people are told of a job while it is made: how far it is, and what it looks like."""

from __future__ import annotations

import io
import time

from PIL import Image

from backend.messages import JobPreviewed, JobProgressed
from backend.worker.lifeline import Lifeline
from backend.worker.running_job import RunningJob
from engine import Engine

PROGRESS_EVERY_S = 0.05
PREVIEW_EVERY_S = 0.15
PREVIEW_SIDE = 512
"""Pixels of a preview's longer side."""


class Teller:
    """Says it, and not too often."""

    def __init__(self, lifeline: Lifeline) -> None:
        self._lifeline = lifeline

    def report(self, job: RunningJob, phase: str) -> None:
        """A job has come to a phase, or further in it."""
        assert phase in ("starting", "denoising", "decoding")
        self._lifeline.report(JobProgressed(job.job_id, phase, job.step, job.steps))

    def tell(self, engine: Engine, job: RunningJob) -> None:
        """A job has taken a step; its last one is always told. Previews of a guarded one are not made."""
        now = time.monotonic()
        if now - job.progress_at >= PROGRESS_EVERY_S or not job.denoising:
            job.progress_at = now
            self.report(job, "denoising")
        if job.previewed and not job.guarded and job.denoising and now - job.preview_at >= PREVIEW_EVERY_S:
            job.preview_at = now
            image = Image.fromarray(engine.preview(job.denoising[0].trajectory))
            image.thumbnail((PREVIEW_SIDE, PREVIEW_SIDE))
            buffer = io.BytesIO()
            image.save(buffer, "JPEG", quality=80)
            self._lifeline.report(JobPreviewed(job.job_id, buffer.getvalue()))

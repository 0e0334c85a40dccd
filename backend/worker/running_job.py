"""A job in the worker's hands: a request for n results is n trajectories."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from PIL import Image

from backend.messages import JobPreviewed, JobProgressed
from backend.worker.server_pipe import ServerPipe
from engine import Engine, Trajectory
from studio.media import MediaReference
from studio.requests import Request


@dataclass
class Sample:
    """One of a job's results on its way; it is made when it has references. `request` is for it alone."""

    index: int
    request: Request
    trajectory: Trajectory
    results: tuple[MediaReference, ...] = ()


@dataclass
class RunningJob:
    """What the worker knows of a job.

    Attributes:
        previewed: somebody is looking at its preview.
        guarded: its frames go past the guardrail before they are written.
        stopped: a person wants what is there.
        progress_at, preview_at: when it last said something, seconds of the monotonic clock.
    """

    job_id: str
    request: Request
    previewed: bool
    guarded: bool = False
    samples: list[Sample] = field(default_factory=list[Sample])
    stopped: bool = False
    progress_at: float = 0.0
    preview_at: float = 0.0

    @property
    def step(self) -> int:
        """Finished denoising steps over all samples."""
        return sum(sample.trajectory.step for sample in self.samples)

    @property
    def steps(self) -> int:
        """Denoising steps of the whole job; before its samples have begun, as if each were made in one piece."""
        if len(self.samples) < self.request.count:
            return self.request.sampling.num_inference_steps * self.request.count
        return sum(sample.trajectory.num_steps for sample in self.samples)

    @property
    def denoising(self) -> list[Sample]:
        """Samples that want another step."""
        return [] if self.stopped else [sample for sample in self.samples if not sample.trajectory.done]

    @property
    def to_decode(self) -> Sample | None:
        """The next sample that has all its steps, or all it will get."""
        ripe = (sample for sample in self.samples if self.stopped or sample.trajectory.done)
        return next((sample for sample in ripe if not sample.results), None)

    @property
    def results(self) -> tuple[MediaReference, ...]:
        """What has been made so far: of every sample its picture, clip or actions first, then all the rest."""
        made = [sample.results for sample in self.samples if sample.results]
        return (*(results[0] for results in made), *(extra for results in made for extra in results[1:]))

    @property
    def finished(self) -> bool:
        """Whether every sample has been made."""
        return all(sample.results for sample in self.samples)


def one_sample(request: Request, index: int) -> Request:
    """The request of sample `index` alone: its seed is the job's plus the index."""
    sampling = request.sampling.model_copy(update={"seed": request.sampling.seed + index})
    return request.model_copy(update={"count": 1, "sampling": sampling})


TOKENS_PER_STEP = 4096
"""Above about this a step on a large GPU is bound by arithmetic: packing more requests into it gains nothing."""


def pick(samples: Sequence[Sample], token_budget: int = TOKENS_PER_STEP) -> list[Sample]:
    """The longest prefix that fits the budget and has one adapter, and at least one: no one is overtaken."""
    picked: list[Sample] = []
    tokens = 0
    for sample in samples:
        tokens += sample.trajectory.num_tokens
        if picked and (tokens > token_budget or sample.request.adapter != picked[0].request.adapter):
            break
        picked.append(sample)
    return picked


PROGRESS_EVERY_S = 0.05
PREVIEW_EVERY_S = 0.15
PREVIEW_SIDE = 512
"""Pixels of a preview's longer side."""


class ProgressReporter:
    """Says it, and not too often."""

    def __init__(self, pipe: ServerPipe) -> None:
        self._pipe = pipe

    def report(self, job: RunningJob, phase: str) -> None:
        """A job has come to a phase, or further in it."""
        assert phase in ("starting", "denoising", "decoding")
        self._pipe.report(JobProgressed(job.job_id, phase, job.step, job.steps))

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
            self._pipe.report(JobPreviewed(job.job_id, buffer.getvalue()))

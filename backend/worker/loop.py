"""What the worker does between two commands: one denoising step, or one decode."""

from __future__ import annotations

import io
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import numpy as np
import structlog
from numpy.typing import NDArray
from PIL import Image

from backend.adapter_rack import AdapterRack
from backend.media import MediaStore
from backend.messages import (
    CancelJob,
    CheckpointMoved,
    Command,
    JobCancelled,
    JobFailed,
    JobFinished,
    JobPreviewed,
    JobProgressed,
    LoadCheckpoint,
    RunJob,
    SetPreviewed,
    StopJob,
)
from backend.worker.inputs import read_inputs
from backend.worker.lifeline import Lifeline
from backend.worker.outputs import store_result
from backend.worker.packing import pick
from backend.worker.running_job import RunningJob, Sample, one_sample
from engine import Engine
from engine.speck import build_speck
from studio.errors import BrokenCheckpoint, StorageError, StudioError, Unexpected, rebuild
from studio.jobs import Failure
from studio.requests import Adapter

log = structlog.get_logger("orrery.worker")

PROGRESS_EVERY_S = 0.05
PREVIEW_EVERY_S = 0.15
PREVIEW_SIDE = 512
"""Pixels of a preview's longer side."""


class _DroppedError(Exception):
    """The job was cancelled while its inputs were read or its results written."""


class Worker:
    """Runs commands against one engine until the lifeline breaks."""

    def __init__(self, lifeline: Lifeline, store: MediaStore, adapters: AdapterRack, checkpoint: str) -> None:
        self._lifeline = lifeline
        self._store = store
        self._adapters = adapters
        self._checkpoint = checkpoint
        self._engine: Engine | None = None
        self._jobs: dict[str, RunningJob] = {}

    def run(self) -> None:
        """Serve for ever; the process ends with its server."""
        while True:
            for command in self._lifeline.commands(wait=not self._jobs):
                self._obey(command)
            if self._engine is not None and self._jobs:
                self._advance(self._engine)

    def _obey(self, command: Command) -> None:
        match command:
            case LoadCheckpoint(folder, build, device):
                self._load(folder, build, device)
            case RunJob(job_id, request, previewed):
                self._begin(RunningJob(job_id, request, previewed))
            case CancelJob(job_id):
                if dropped := self._jobs.pop(job_id, None):
                    self._lifeline.report(JobCancelled(job_id, dropped.step, dropped.steps))
            case StopJob(job_id):
                if job_id in self._jobs:
                    self._jobs[job_id].stopped = True
            case SetPreviewed(job_id, previewed):
                if job_id in self._jobs:
                    self._jobs[job_id].previewed = previewed

    def _load(self, folder: Path, build: bool, device: str) -> None:
        try:
            if build and not (folder / "model_index.json").is_file():
                self._lifeline.report(CheckpointMoved("preparing"))
                build_speck(folder)
            self._lifeline.report(CheckpointMoved("loading"))
            self._engine = Engine.load(folder, device=device)
            self._lifeline.report(CheckpointMoved("ready", detail=self._engine.describe()))
        except StudioError as error:
            self._refuse_checkpoint(error)
        except OSError as error:
            self._refuse_checkpoint(
                StorageError(f"{folder} cannot be read or built: {error.strerror}.", hint="Look at the disk.")
            )
        except Exception:
            log.exception("checkpoint_broke", checkpoint=self._checkpoint)
            self._refuse_checkpoint(
                BrokenCheckpoint(f"{folder} cannot be loaded.", hint="The server's log has the details.")
            )

    def _refuse_checkpoint(self, error: StudioError) -> None:
        log.warning("checkpoint_failed", checkpoint=self._checkpoint, code=error.code, message=error.message)
        self._lifeline.report(CheckpointMoved("failed", failure=Failure.of(error)))

    def _begin(self, job: RunningJob) -> None:
        assert self._engine is not None, "the dispatcher sends jobs to a ready worker"
        self._jobs[job.job_id] = job
        self._report(job, "starting")
        with self._guard([job]), suppress(_DroppedError):
            media = read_inputs(job.request, self._store, partial(self._heed, job))
            for index in range(job.request.count):
                self._heed(job)
                request = one_sample(job.request, index)
                self._dress(self._engine, request.adapter)
                job.samples.append(Sample(index, request, self._engine.begin(request, media)))

    def _advance(self, engine: Engine) -> None:
        for job in self._jobs.values():
            sample = job.to_decode
            if sample is not None:
                with self._guard([job]), suppress(_DroppedError):
                    self._decode(engine, job, sample)
                return
        self._step(engine)

    def _step(self, engine: Engine) -> None:
        owners = {id(sample): job for job in self._jobs.values() for sample in job.denoising}
        picked = pick([sample for job in self._jobs.values() for sample in job.denoising])
        jobs = {owners[id(sample)].job_id: owners[id(sample)] for sample in picked}
        # A failure within one pack cannot be told apart: it is everybody's who was in it.
        with self._guard(list(jobs.values())):
            self._dress(engine, picked[0].request.adapter)
            engine.step([sample.trajectory for sample in picked])
            for job in jobs.values():
                self._tell(engine, job)

    def _dress(self, engine: Engine, adapter: Adapter | None) -> None:
        if adapter is None:
            engine.wear(None)
        else:
            path = self._adapters.path(adapter.name)
            try:
                engine.wear(path, adapter.scale)
            except StudioError as error:
                # Who asks knows adapters by their names, and not where they lie.
                message = error.message.replace(f"{path.parent}/", "")
                raise rebuild(error.code, message, error.param, error.hint) from None

    def _tell(self, engine: Engine, job: RunningJob) -> None:
        now = time.monotonic()
        if now - job.progress_at >= PROGRESS_EVERY_S or not job.denoising:
            job.progress_at = now
            self._report(job, "denoising")
        if job.previewed and job.denoising and now - job.preview_at >= PREVIEW_EVERY_S:
            job.preview_at = now
            image = Image.fromarray(engine.preview(job.denoising[0].trajectory))
            image.thumbnail((PREVIEW_SIDE, PREVIEW_SIDE))
            buffer = io.BytesIO()
            image.save(buffer, "JPEG", quality=80)
            self._lifeline.report(JobPreviewed(job.job_id, buffer.getvalue()))

    def _decode(self, engine: Engine, job: RunningJob, sample: Sample) -> None:
        self._report(job, "decoding")
        result = engine.finish(sample.trajectory)
        frames = self._heeding(job, result.frames)
        sample.results = store_result(self._store, job, sample, result, frames, self._checkpoint)
        if job.finished:
            del self._jobs[job.job_id]
            stopped_at_step = job.step if job.step < job.steps else None
            self._lifeline.report(JobFinished(job.job_id, job.results, stopped_at_step, job.steps))

    def _heeding(self, job: RunningJob, frames: Iterator[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
        """Frames piece by piece, commands heeded in between: decoding a long clip takes as long as many steps."""
        for piece in frames:
            yield piece
            self._heed(job)

    def _heed(self, job: RunningJob) -> None:
        """Obey what has arrived. Raises _DroppedError when the job is over with that."""
        for command in self._lifeline.commands(wait=False):
            self._obey(command)
        if job.job_id not in self._jobs:
            raise _DroppedError

    def _report(self, job: RunningJob, phase: str) -> None:
        assert phase in ("starting", "denoising", "decoding")
        self._lifeline.report(JobProgressed(job.job_id, phase, job.step, job.steps))

    @contextmanager
    def _guard(self, jobs: list[RunningJob]) -> Generator[None]:
        """One of three places that may catch everything: a job that breaks is reported, and the worker lives on."""
        try:
            yield
        except StudioError as error:
            self._drop(jobs, error)
        except Exception:
            log.exception("job_broke", job_ids=[job.job_id for job in jobs])
            self._drop(jobs, Unexpected("The engine broke on this job.", hint="The server's log has the details."))

    def _drop(self, jobs: list[RunningJob], error: StudioError) -> None:
        for job in jobs:
            self._jobs.pop(job.job_id, None)
            self._lifeline.report(JobFailed(job.job_id, Failure.of(error)))

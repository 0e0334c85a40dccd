"""What the worker does between two commands: a token of each conversation, and one denoising step or decode."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Generator, Iterator
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
    Converse,
    JobCancelled,
    JobFailed,
    JobFinished,
    JobPreviewed,
    JobProgressed,
    LoadCheckpoint,
    RunJob,
    SetPreviewed,
    StopConversation,
    StopJob,
    WorkerEnding,
)
from backend.worker.inputs import Inputs, read_inputs
from backend.worker.lifeline import Lifeline
from backend.worker.outputs import store_result
from backend.worker.packing import pick
from backend.worker.running_job import RunningJob, Sample, one_sample
from backend.worker.talks import Talk, Talks
from engine import Engine
from engine.speck import build_speck
from studio.errors import BrokenCheckpoint, OutOfMemory, StorageError, StudioError, Unexpected, rebuild
from studio.jobs import Failure
from studio.requests import Adapter

log = structlog.get_logger("orrery.worker")

PROGRESS_EVERY_S = 0.05
PREVIEW_EVERY_S = 0.15
PREVIEW_SIDE = 512
"""Pixels of a preview's longer side."""

BEGIN_S = 0.05
"""How long conversations are begun for in one turn: to resize what they show takes time, and others wait."""


class _DroppedError(Exception):
    """The job was cancelled while its inputs were read or its results written."""


class Worker:
    """Runs commands against one engine until the lifeline breaks.

    While a job runs, every conversation gets one token for each of its denoising steps; otherwise as many as it can.
    """

    def __init__(
        self,
        lifeline: Lifeline,
        store: MediaStore,
        adapters: AdapterRack,
        checkpoint: str,
        load: Callable[..., Engine] = Engine.load,
    ) -> None:
        self._lifeline = lifeline
        self._load_engine = load
        self._store = store
        self._adapters = adapters
        self._checkpoint = checkpoint
        self._engine: Engine | None = None
        self._jobs: dict[str, RunningJob] = {}
        self._talks = Talks(lifeline, store)
        self._rests_until = 0.0

    def run(self) -> None:
        """Serve for ever; the process ends with its server."""
        while True:
            for command in self._lifeline.commands(wait=not (self._jobs or self._talks.want_turn)):
                self._obey(command)
            if self._engine is not None:
                self._speak(self._engine)
                if self._jobs:
                    self._advance(self._engine)

    def _obey(self, command: Command) -> None:
        match command:
            case LoadCheckpoint(folder, build, device):
                self._load(folder, build, device)
            case RunJob(job_id, request, previewed):
                self._begin(RunningJob(job_id, request, previewed))
            case CancelJob(job_id):
                if dropped := self._jobs.pop(job_id, None):
                    self._store.remove_results(job_id)
                    self._lifeline.report(JobCancelled(job_id, dropped.step, dropped.steps))
            case StopJob(job_id):
                if job_id in self._jobs:
                    self._jobs[job_id].stopped = True
            case SetPreviewed(job_id, previewed):
                if job_id in self._jobs:
                    self._jobs[job_id].previewed = previewed
            case Converse():
                assert self._engine is not None, "the server opens conversations with a ready worker"
                self._talks.open(command, self._engine.choose_frames)
            case StopConversation(conversation_id):
                self._talks.stop(conversation_id)

    def _load(self, folder: Path, build: bool, device: str) -> None:
        try:
            if build and not (folder / "model_index.json").is_file():
                self._lifeline.report(CheckpointMoved("preparing"))
                build_speck(folder)
            self._lifeline.report(CheckpointMoved("loading"))
            self._engine = self._load_engine(folder, device=device)
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
        media: Inputs | None = None
        with self._guard(partial(self._drop, [job]), on_device=False), suppress(_DroppedError):
            media = read_inputs(job.request, self._store, partial(self._heed, job))
        if media is None:
            return
        with self._guard(partial(self._drop, [job])), suppress(_DroppedError):
            for index in range(job.request.count):
                self._heed(job)
                request = one_sample(job.request, index)
                self._dress(self._engine, request.adapter)
                job.samples.append(Sample(index, request, self._engine.begin(request, media)))

    def _advance(self, engine: Engine) -> None:
        for job in self._jobs.values():
            sample = job.to_decode
            if sample is not None:
                with self._guard(partial(self._drop, [job])), suppress(_DroppedError):
                    self._decode(engine, job, sample)
                return
        self._step(engine)

    def _speak(self, engine: Engine) -> None:
        """One token of each conversation, all in one pass; of prompts that are being read, the next piece."""
        began = time.monotonic()
        for talk in self._talks.ready:
            self._begin_talk(engine, talk)
            if time.monotonic() - began > BEGIN_S:
                break
        writing = self._talks.writing
        if not writing:
            return

        def drop(error: StudioError) -> None:
            # What does not fit any more is the youngest one's; the others go on.
            self._talks.fail(list(writing)[-1:] if isinstance(error, OutOfMemory) else list(writing), error)

        with self._guard(drop):
            self._dress(engine, None)
            engine.decode(list(writing.values()))
            for talk, conversation in writing.items():
                self._talks.tell(talk, conversation)
        ended = time.monotonic()
        self._rests_until = ended + (ended - began)

    def _begin_talk(self, engine: Engine, talk: Talk) -> None:
        was_read = talk.media.exception() is None
        with self._guard(partial(self._talks.fail, [talk]), on_device=was_read):
            media = talk.media.result()
            self._dress(engine, None)
            talk.conversation = engine.converse(talk.request, media)
        self._talks.let_go_of_media(talk)

    def _step(self, engine: Engine) -> None:
        owners = {id(sample): job for job in self._jobs.values() for sample in job.denoising}
        picked = pick([sample for job in self._jobs.values() for sample in job.denoising])
        jobs = {owners[id(sample)].job_id: owners[id(sample)] for sample in picked}
        # A failure within one pack cannot be told apart: it is everybody's who was in it.
        with self._guard(partial(self._drop, list(jobs.values()))):
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
        """Obey what has arrived. Raises _DroppedError when the job is over with that.

        Conversations go on meanwhile, for half of the time at most.
        """
        for command in self._lifeline.commands(wait=False):
            self._obey(command)
        if self._engine is not None and time.monotonic() >= self._rests_until:
            self._speak(self._engine)
        if job.job_id not in self._jobs:
            raise _DroppedError

    def _report(self, job: RunningJob, phase: str) -> None:
        assert phase in ("starting", "denoising", "decoding")
        self._lifeline.report(JobProgressed(job.job_id, phase, job.step, job.steps))

    @contextmanager
    def _guard(self, drop: Callable[[StudioError], None], *, on_device: bool = True) -> Generator[None]:
        """One of three places that may catch everything: what breaks is reported, and the worker lives on.

        Not on a device other than the CPU: an error that nobody has foreseen may have left it unusable (CUDA's do,
        for the whole process), so another worker takes over.

        Args:
            drop: reports the error to whoever it concerns.
            on_device: whether the engine may have been at work.
        """
        try:
            yield
        except StudioError as error:
            drop(error)
        except Exception:
            log.exception("engine_broke" if on_device else "reading_broke")
            error = Unexpected("The engine broke on this request.", hint="The server's log has the details.")
            if not on_device or self._engine is None or self._engine.model.device.type == "cpu":
                drop(error)
            else:
                self._lifeline.report(WorkerEnding())
                drop(error)
                self._lifeline.end()

    def _drop(self, jobs: list[RunningJob], error: StudioError) -> None:
        for job in jobs:
            if self._jobs.pop(job.job_id, None):
                self._store.remove_results(job.job_id)  # first of all: it may be what fills the disk
                self._lifeline.report(JobFailed(job.job_id, Failure.of(error)))

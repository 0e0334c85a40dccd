"""What the worker does between two commands: an arm's step, or a token of each conversation and a job's step."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import numpy as np
import structlog
from numpy.typing import NDArray

from backend.checkpoints.adapters import AdapterFolder
from backend.guarding import FrameGuard
from backend.media import MediaStore
from backend.messages import (
    Act,
    CancelJob,
    CheckpointMoved,
    Command,
    Converse,
    JobCancelled,
    JobFailed,
    JobFinished,
    LoadCheckpoint,
    Perceive,
    RestJobs,
    RunJob,
    SetPreviewed,
    SleepEngine,
    StopActing,
    StopConversation,
    StopJob,
    StopPerceiving,
    WorkerEnding,
)
from backend.worker.acting import Acting
from backend.worker.chats import Chat, Chats, Looking
from backend.worker.engine_slot import EngineSlot, use_adapter
from backend.worker.inputs import Inputs, read_inputs
from backend.worker.outputs import store_result
from backend.worker.perceiving import Perceiving, pulled_painter
from backend.worker.priority import Priority
from backend.worker.running_job import ProgressReporter, RunningJob, Sample, one_sample, pick
from backend.worker.server_pipe import ServerPipe
from engine import Engine
from engine.device import typed_out_of_memory
from engine.reasoner import Conversation
from studio.errors import BrokenCheckpoint, OutOfMemory, StudioError, Unexpected
from studio.jobs import Failure
from studio.requests import Adapter

log = structlog.get_logger("orrery.worker")

BEGIN_S = 0.05
"""How long conversations are begun for in one turn: to resize what they show takes time, and others wait."""


class _DroppedError(Exception):
    """The job was cancelled while its inputs were read or its results written."""


class Worker:
    """Runs commands against one engine until the pipe breaks.

    An arm's question is answered before all else, and jobs rest until the server says that no other follows. While a
    job runs, every conversation gets one token for each of its denoising steps; otherwise as many as it can.
    """

    def __init__(
        self,
        pipe: ServerPipe,
        store: MediaStore,
        adapters: AdapterFolder,
        checkpoint: str,
        load: Callable[..., Engine] = Engine.load,
        frame_guard: FrameGuard | None = None,
        priority: Priority | None = None,
    ) -> None:
        self._pipe = pipe
        self._guard_frames = frame_guard or FrameGuard(None)
        self._slot = EngineSlot(pipe, load)
        self._store = store
        self._adapters = adapters
        self._checkpoint = checkpoint
        self._jobs: dict[str, RunningJob] = {}
        self._reporter = ProgressReporter(pipe)
        self._chats = Chats(pipe, store)
        self._acting = Acting(pipe)
        self._perceiving = Perceiving(pipe, store)
        self._arrived: deque[Command] = deque()
        self._rests_until = 0.0
        self._priority = priority

    def run(self) -> None:
        """Serve for ever; the process ends with its server."""
        while True:
            has_job = bool(self._jobs or self._perceiving.turn) and not self._acting.holds
            self._listen(wait=not (has_job or self._want_turn))
            if self._engine is not None:
                self._act_and_speak(self._engine)
                if not self._acting.holds:
                    self._perceive(self._engine)
                if self._jobs and not self._acting.holds:
                    self._advance(self._engine)

    @property
    def _engine(self) -> Engine | None:
        return self._slot.engine

    @property
    def _want_turn(self) -> bool:
        return self._acting.turn is not None or self._acting.foresight is not None or self._chats.want_turn

    def _listen(self, *, wait: bool) -> None:
        """Obey what has arrived, also what a job's beginning left lying further out."""
        self._arrived.extend(self._pipe.commands(wait=wait and not self._arrived))
        while self._arrived:
            self._obey(self._arrived.popleft())

    def _obey(self, command: Command) -> None:
        match command:
            case LoadCheckpoint():
                self._load(command)
            case SleepEngine():
                self._slot.sleep()
            case RunJob(job_id, request, previewed, guarded):
                self._begin(RunningJob(job_id, request, previewed, guarded))
            case CancelJob(job_id):
                if dropped := self._jobs.pop(job_id, None):
                    self._store.remove_results(job_id)
                    self._pipe.report(JobCancelled(job_id, dropped.step, dropped.steps))
            case StopJob(job_id):
                if job_id in self._jobs:
                    self._jobs[job_id].stopped = True
            case SetPreviewed(job_id, previewed):
                if job_id in self._jobs:
                    self._jobs[job_id].previewed = previewed
            case Converse():
                assert self._engine is not None, "the server opens conversations with a ready worker"
                self._chats.open(command, Looking(self._engine.choose_frames, self._engine.chat.seen_size))
            case StopConversation(conversation_id):
                self._chats.stop(conversation_id)
            case Act():
                assert self._engine is not None, "the server asks a ready worker"
                self._acting.ask(command)
            case StopActing(act_id):
                self._acting.stop(act_id)
            case Perceive():
                self._perceiving.ask(command)
            case StopPerceiving(perception_id):
                self._perceiving.stop(perception_id)
            case RestJobs(rest):
                self._acting.keep_free(rest)
                if self._priority is not None:
                    (self._priority.come_forward if rest else self._priority.stand_back)()

    def _load(self, order: LoadCheckpoint) -> None:
        try:
            self._slot.load(order)
        except StudioError as error:
            self._refuse_checkpoint(error)
        except Exception:
            log.exception("checkpoint_broke", checkpoint=self._checkpoint)
            broken = BrokenCheckpoint(f"{self._checkpoint} cannot be loaded.", hint="See the server's log for details.")
            self._refuse_checkpoint(broken)

    def _refuse_checkpoint(self, error: StudioError) -> None:
        log.warning("checkpoint_failed", checkpoint=self._checkpoint, code=error.code, message=error.message)
        self._pipe.report(CheckpointMoved("failed", failure=Failure.of(error)))

    def _begin(self, job: RunningJob) -> None:
        assert self._engine is not None, "the dispatcher sends jobs to a ready worker"
        self._jobs[job.job_id] = job
        self._reporter.report(job, "starting")
        media: Inputs | None = None
        guarded = self._guard(partial(self._drop, [job]), on_device=False)
        with guarded, suppress(_DroppedError), typed_out_of_memory(self._engine.model.device):
            painters = partial(pulled_painter, engine=self._engine)
            media = read_inputs(job.request, self._store, partial(self._heed, job), painters)
        if media is None:
            return
        with self._guard(partial(self._drop, [job])), suppress(_DroppedError):
            for index in range(job.request.count):
                self._heed(job)
                request = one_sample(job.request, index)
                use_adapter(self._engine, self._adapters, request.adapter)
                job.samples.append(Sample(index, request, self._engine.begin(request, media)))

    def _advance(self, engine: Engine) -> None:
        for job in self._jobs.values():
            sample = job.to_decode
            if sample is not None:
                with self._guard(partial(self._drop, [job])), suppress(_DroppedError):
                    self._decode(engine, job, sample)
                return
        self._step(engine)

    def _act_and_speak(self, engine: Engine) -> None:
        """A step of an arm's answer; only between two answers a piece of what it foresees, and a token of each chat."""
        act = self._acting.turn
        if act is not None:
            with self._guard(partial(self._acting.fail, act)):
                use_adapter(engine, self._adapters, None)
                self._acting.advance(engine, act)
        elif (foresight := self._acting.foresight) is not None:
            with self._guard(partial(self._acting.give_up, foresight)):
                self._acting.foresee(foresight)
        if not self._acting.midway:
            self._speak(engine)

    def _perceive(self, engine: Engine) -> None:
        """A frame of what is looked at."""
        looked = self._perceiving.turn
        if looked is not None:
            with self._guard(partial(self._perceiving.fail, looked)):
                self._perceiving.advance(engine, looked)

    def _speak(self, engine: Engine) -> None:
        """One token of each conversation, those of one adapter in one pass; of prompts being read, the next piece."""
        began = time.monotonic()
        for chat in self._chats.ready:
            self._begin_chat(engine, chat)
            if time.monotonic() - began > BEGIN_S:
                break
        writing = self._chats.writing
        if not writing:
            return

        for adapter in dict.fromkeys(chat.request.adapter for chat in writing):
            alike = {chat: conversation for chat, conversation in writing.items() if chat.request.adapter == adapter}
            self._write(engine, adapter, alike)
        ended = time.monotonic()
        self._rests_until = ended + (ended - began)

    def _write(self, engine: Engine, adapter: Adapter | None, writing: dict[Chat, Conversation]) -> None:
        """One token of each of some conversations that use the same adapter."""

        def drop(error: StudioError) -> None:
            # What does not fit any more is the youngest one's; the others go on.
            self._chats.fail(list(writing)[-1:] if isinstance(error, OutOfMemory) else list(writing), error)

        with self._guard(drop):
            use_adapter(engine, self._adapters, adapter)
            engine.decode(list(writing.values()))
            for chat, conversation in writing.items():
                self._chats.tell(chat, conversation)

    def _begin_chat(self, engine: Engine, chat: Chat) -> None:
        was_read = chat.media.exception() is None
        with self._guard(partial(self._chats.fail, [chat]), on_device=was_read):
            media = chat.media.result()
            use_adapter(engine, self._adapters, chat.request.adapter)
            chat.conversation = engine.converse(chat.request, media)
        self._chats.let_go_of_media(chat)

    def _step(self, engine: Engine) -> None:
        owners = {id(sample): job for job in self._jobs.values() for sample in job.denoising}
        picked = pick([sample for job in self._jobs.values() for sample in job.denoising])
        jobs = {owners[id(sample)].job_id: owners[id(sample)] for sample in picked}
        # A failure within one pack cannot be told apart: it is everybody's who was in it.
        with self._guard(partial(self._drop, list(jobs.values()))):
            use_adapter(engine, self._adapters, picked[0].request.adapter)
            engine.step([sample.trajectory for sample in picked])
            for job in jobs.values():
                self._reporter.tell(engine, job)

    def _decode(self, engine: Engine, job: RunningJob, sample: Sample) -> None:
        self._reporter.report(job, "decoding")
        result = engine.finish(sample.trajectory)
        frames = self._heeding(job, result.frames)
        if job.guarded:
            frames = self._guard_frames.begin(frames, getattr(sample.request, "fps", 0.0))
        sample.results = store_result(self._store, job, sample, result, frames, self._checkpoint)
        if job.finished:
            del self._jobs[job.job_id]
            stopped_at_step = job.step if job.step < job.steps else None
            self._pipe.report(JobFinished(job.job_id, job.results, stopped_at_step, job.steps))

    def _heeding(self, job: RunningJob, frames: Iterator[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
        """Frames piece by piece, commands heeded in between: decoding a long clip takes as long as many steps."""
        for piece in frames:
            yield piece
            self._heed(job)

    def _heed(self, job: RunningJob) -> None:
        """Obey what has arrived, and rest while an arm may ask. Raises _DroppedError when the job is over with that.

        Conversations go on meanwhile, while the job does too for half of the time at most.
        """
        self._listen(wait=False)
        while self._engine is not None and self._acting.holds and job.job_id in self._jobs:
            self._act_and_speak(self._engine)
            self._listen(wait=self._acting.holds and not self._want_turn)
        if job.job_id not in self._jobs:
            raise _DroppedError
        if self._engine is not None and time.monotonic() >= self._rests_until:
            self._speak(self._engine)

    @contextmanager
    def _guard(self, drop: Callable[[StudioError], None], *, on_device: bool = True) -> Generator[None]:
        """One of three places that may catch everything: what breaks is reported, and the worker lives on.

        Not on a device other than the CPU: an error that nobody has foreseen may have left it unusable (CUDA's do,
        for the whole process), so another worker takes over. So it does when a step broke off that ranks shared.

        Args:
            drop: reports the error to whoever it concerns.
            on_device: whether the engine may have been at work.
        """
        try:
            yield
        except StudioError as error:
            self._fail(error, drop, is_fatal=False)
        except Exception:
            log.exception("engine_broke" if on_device else "reading_broke")
            error = Unexpected("The engine failed on this request.", hint="See the server's log for details.")
            is_fatal = on_device and self._engine is not None and self._engine.model.device.type != "cpu"
            self._fail(error, drop, is_fatal)

    def _fail(self, error: StudioError, drop: Callable[[StudioError], None], is_fatal: bool) -> None:
        if is_fatal or (self._engine is not None and not self._engine.is_whole):
            self._pipe.report(WorkerEnding())
            drop(error)
            self._pipe.end()
        drop(error)

    def _drop(self, jobs: list[RunningJob], error: StudioError) -> None:
        for job in jobs:
            if self._jobs.pop(job.job_id, None):
                self._store.remove_results(job.job_id)  # first of all: it may be what fills the disk
                self._pipe.report(JobFailed(job.job_id, Failure.of(error)))

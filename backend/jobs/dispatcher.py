"""Handing queued jobs to the worker, one at a time, and turning what it says into moves of the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

import structlog

from backend.broadcast import Broadcast
from backend.engine_process import EngineProcess, WorkerLost
from backend.jobs.board import Board
from backend.jobs.ledger import Ledger
from backend.jobs.running import PromptWriter, PromptWritten, Running, outcome_of, preview_topic, progress_of
from backend.messages import (
    CancelJob,
    CheckpointMoved,
    Command,
    ConversationEnded,
    ConversationReport,
    ConversationSaid,
    JobCancelled,
    JobFailed,
    JobFinished,
    JobPreviewed,
    JobProgressed,
    JobReport,
    LoadCheckpoint,
    Report,
    RunJob,
    SetPreviewed,
    StopJob,
    WorkerEnding,
)
from studio.checkpoints import Checkpoint
from studio.errors import Conflict, EngineLost, StorageError
from studio.events import CheckpointStatus
from studio.jobs import MAX_ATTEMPTS, Failure, Job
from studio.requests import Request

T = TypeVar("T")

log = structlog.get_logger("orrery.dispatcher")

CANCEL_PATIENCE_S = 60.0
"""A worker that has not let go of a cancelled job by then is stuck in a kernel, and is ended."""

RESTART_AFTER_S = (0.0, 0.5, 2.0, 5.0, 10.0)
"""Pauses before the worker is started again, by deaths since it was last ready; the last one repeats."""

STORAGE_RETRY_S = 1.0
"""Pause before an event is handled again that the database would not take."""


class Dispatcher:
    """One worker, one checkpoint, one running job.

    Everything that happens arrives in one inbox and is handled in order by one task; a person's cancel and stop take
    the same lock, so that no job is started and cancelled at once. What is handled may be handled again: a move that
    the database refuses is tried until it goes through, and nothing is forgotten before it has. What the worker says of
    conversations passes by: `on_said` hears it at once, and hears of the worker's end.
    """

    def __init__(
        self,
        board: Board,
        broadcast: Broadcast,
        checkpoint: Checkpoint,
        device: str,
        make_process: Callable[[Callable[[Report | WorkerLost], None]], EngineProcess],
    ) -> None:
        self._board = board
        self._broadcast = broadcast
        self._checkpoint = checkpoint
        self._device = device
        self._inbox: asyncio.Queue[JobReport | PromptWritten | WorkerLost | None] = asyncio.Queue()
        self._process = make_process(self._deliver)
        self.on_said: Callable[[ConversationReport | WorkerLost], None] = lambda _: None
        self.prompt_writer: PromptWriter | None = None
        self._lock = asyncio.Lock()
        self._running: Running | None = None
        self._deaths = 0
        self.worker_starts = 0
        self.status = CheckpointStatus(
            id=checkpoint.id,
            title=checkpoint.preset.title,
            state="loading" if checkpoint.installed else "preparing",
            random_weights=checkpoint.preset.random_weights,
        )
        broadcast.on_interest = self._interest_changed

    @property
    def worker_pid(self) -> int | None:
        """Process id of the worker, while there is one."""
        return self._process.pid

    def wake(self) -> None:
        """Something was queued."""
        self._inbox.put_nowait(None)

    def send(self, command: Command) -> None:
        """Tell the worker."""
        self._process.send(command)

    async def run(self) -> None:
        """Put orphans back, start the worker, then handle what happens until cancelled."""
        for job in await self._insist(lambda: self._board.read(Ledger.recover, returns=1)):
            log.warning("job_returned", job_id=job.id, state=job.state, returns=job.returns)
        self._start_worker()
        while True:
            event = await self._inbox.get()
            await self._insist(lambda event=event: self._handle(event))

    async def close(self) -> None:
        """End the worker; a running job goes back first in line, and it is nobody's fault. A cancelled one stays so."""
        self._process.stop()
        async with self._lock:
            if self._running is not None and self._running.upsampling:
                self._running.upsampling.cancel()
            if self._running is not None and self._running.cancelling:
                await self._board.move(Ledger.cancel, self._running.job.id)
            await self._board.read(Ledger.recover, returns=0)

    async def cancel(self, job_id: str) -> Job:
        """Cancel a job: a queued one at once, a running one after its present step. Raises Conflict if it has ended."""
        async with self._lock:
            running = self._running_job(job_id)
            if running is None:
                return await self._board.move(Ledger.cancel, job_id)
            if running.upsampling:
                job = await self._board.move(Ledger.cancel, job_id)
                running.upsampling.cancel()
                self._ended(job)
                self.wake()
                return job
            if not running.cancelling:
                running.cancelling = True
                self._process.send(CancelJob(job_id))
                asyncio.get_running_loop().call_later(CANCEL_PATIENCE_S, self._end_stuck_worker, running)
            return await self._board.get(job_id)

    async def stop_job(self, job_id: str) -> Job:
        """Stop a running job and keep what is there. Raises Conflict unless it runs."""
        async with self._lock:
            job = await self._board.get(job_id)
            running = self._running_job(job_id)
            if running is None:
                raise Conflict(f"Job {job_id} is {job.state}; only a running job can be stopped and kept.")
            if running.upsampling:
                raise Conflict(f"Job {job_id} is having its prompt written; nothing is there to be kept.")
            self._process.send(StopJob(job_id))
            return job

    async def _insist(self, act: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do something until the database takes it: a full disk or a lock is waited out, and said on the page."""
        before = self.status
        while True:
            try:
                async with self._lock:
                    done = await act()
            except StorageError as error:
                log.error("storage_failed", code=error.code, message=error.message)
                self._set_status("lost", error.message, Failure.of(error))
                await asyncio.sleep(STORAGE_RETRY_S)
            else:
                if self.status.error is not None and self.status.state == "lost":
                    self._set_status(before.state, before.detail, before.error)
                return done

    def _deliver(self, event: Report | WorkerLost) -> None:
        if isinstance(event, ConversationSaid | ConversationEnded | WorkerLost):
            self.on_said(event)
        if not isinstance(event, ConversationSaid | ConversationEnded):
            self._inbox.put_nowait(event)

    async def _handle(self, event: JobReport | PromptWritten | WorkerLost | None) -> None:
        match event:
            case CheckpointMoved(state, detail, failure):
                self._deaths = 0 if state == "ready" else self._deaths
                self._set_status(state, detail, failure)
                log.info("checkpoint", state=state, checkpoint=self._checkpoint.id, detail=detail)
            case WorkerEnding():
                self._set_status("lost")
            case WorkerLost():
                await self._worker_lost(event)
            case PromptWritten(job_id, request) if running := self._running_job(job_id):
                running.job = await self._board.move(Ledger.rewrite, job_id, request)
                running.upsampling = None
                self._hand_over(running)
            case JobPreviewed(job_id, jpeg):
                self._broadcast.publish_frame(preview_topic(job_id), jpeg)
            case JobProgressed(job_id) if running := self._running_job(job_id):
                self._board.advance(job_id, progress_of(event, running.pace))
            case JobFinished(job_id, results, stopped_at_step, steps) if self._running_job(job_id):
                self._ended(await self._board.move(Ledger.succeed, job_id, results, stopped_at_step, steps))
            case JobFailed(job_id, failure) if self._running_job(job_id):
                self._ended(await self._board.move(Ledger.fail, job_id, failure))
            case JobCancelled(job_id, step, steps) if self._running_job(job_id):
                self._ended(await self._board.move(Ledger.cancel, job_id, step, steps))
            case _:
                pass
        if self._running is None and self.status.state == "ready":
            await self._start_next()

    async def _start_next(self) -> None:
        job = await self._board.claim(self._checkpoint.id)
        if job is None:
            return
        self._running = Running(job, previewed=self._broadcast.is_wanted(preview_topic(job.id)))
        log.info("job_started", job_id=job.id, kind=job.kind, checkpoint=job.checkpoint)
        if self.prompt_writer is not None and self.prompt_writer.is_wanted(job.request):
            self._board.advance(job.id, job.progress.model_copy(update={"phase": "upsampling"}))
            self._running.upsampling = asyncio.ensure_future(self.prompt_writer.write(job.request))
            self._running.upsampling.add_done_callback(partial(self._prompt_written, job.id))
        else:
            self._hand_over(self._running)

    def _hand_over(self, running: Running) -> None:
        self._process.send(RunJob(running.job.id, running.job.request, running.previewed))

    def _prompt_written(self, job_id: str, writing: asyncio.Future[Request]) -> None:
        if not writing.cancelled():
            self._inbox.put_nowait(outcome_of(job_id, writing))

    async def _worker_lost(self, event: WorkerLost) -> None:
        job_id = self._running.job.id if self._running else None
        if self._running is not None:
            await self._settle(self._running)
        log.error("worker_lost", exit_code=event.exit_code, job_id=job_id)
        pause_s = RESTART_AFTER_S[min(self._deaths, len(RESTART_AFTER_S) - 1)]
        self._deaths += 1
        if self._deaths >= len(RESTART_AFTER_S):
            lost = EngineLost(
                f"The worker died {self._deaths} times before it was ready.", hint="The server's log has the details."
            )
            self._set_status("failed", failure=Failure.of(lost))
        elif self.status.state != "failed":
            self._set_status("lost")
        asyncio.get_running_loop().call_later(pause_s, self._start_worker)

    async def _settle(self, running: Running) -> None:
        """A job whose worker died: cancelled if that was wanted, else tried again, else failed."""
        job = running.job
        if running.upsampling:
            running.upsampling.cancel()
        if running.cancelling:
            self._ended(await self._board.move(Ledger.cancel, job.id))
        elif job.attempts + 1 < MAX_ATTEMPTS:
            await self._board.move(Ledger.put_back, job.id, attempts=1)
            self._running = None
        else:
            lost = EngineLost(
                f"The worker died on this job {job.attempts + 1} times.",
                hint="A smaller size or fewer steps may fit; the server's log has the details.",
            )
            self._ended(await self._board.move(Ledger.fail, job.id, Failure.of(lost), attempts=1))

    def _start_worker(self) -> None:
        folder = self._checkpoint.folder
        assert folder is not None, "a server starts only with a checkpoint that has a folder"
        self.worker_starts += 1
        self._process.start()
        self._process.send(LoadCheckpoint(folder, self._checkpoint.preset.built_here, self._device))

    def _end_stuck_worker(self, running: Running) -> None:
        if self._running is running:
            log.error("worker_stuck", job_id=running.job.id, waited_s=CANCEL_PATIENCE_S)
            self._process.kill()

    def _interest_changed(self) -> None:
        running = self._running
        if running is None:
            return
        previewed = self._broadcast.is_wanted(preview_topic(running.job.id))
        if previewed != running.previewed:
            running.previewed = previewed
            self._process.send(SetPreviewed(running.job.id, previewed))

    def _running_job(self, job_id: str) -> Running | None:
        return self._running if self._running is not None and self._running.job.id == job_id else None

    def _ended(self, job: Job) -> None:
        assert job.state.ended
        self._running = None
        log.info("job_ended", job_id=job.id, state=job.state, code=job.error.code if job.error else None)

    def _set_status(self, state: str, detail: str = "", failure: Failure | None = None) -> None:
        self.status = CheckpointStatus.model_validate(
            {**self.status.model_dump(), "state": state, "detail": detail, "error": failure}
        )
        self._broadcast.publish("system", {"checkpoint": self.status.model_dump(mode="json")})

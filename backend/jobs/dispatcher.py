"""Handing queued jobs to the worker, one at a time, and turning what it says into moves of the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from backend.broadcast import Broadcast
from backend.engine_process import EngineProcess, WorkerLost
from backend.jobs.board import Board
from backend.jobs.ledger import Ledger
from backend.jobs.pace import Pace
from backend.messages import (
    CancelJob,
    CheckpointMoved,
    JobCancelled,
    JobFailed,
    JobFinished,
    JobPreviewed,
    JobProgressed,
    LoadCheckpoint,
    Report,
    RunJob,
    SetPreviewed,
    StopJob,
)
from studio.checkpoints import Checkpoint
from studio.errors import Conflict, EngineLost
from studio.events import CheckpointStatus
from studio.jobs import MAX_ATTEMPTS, Failure, Job, JobState, Progress

log = structlog.get_logger("orrery.dispatcher")

CANCEL_PATIENCE_S = 60.0
"""A worker that has not let go of a cancelled job by then is stuck in a kernel, and is ended."""

RESTART_AFTER_S = (0.0, 0.5, 2.0, 5.0, 10.0)
"""Pauses before the worker is started again, by deaths since it was last ready."""


class Dispatcher:
    """One worker, one checkpoint, one running job.

    Everything that happens arrives in one inbox and is handled in order by one task; a person's cancel and stop take
    the same lock, so that no job is started and cancelled at once.
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
        self._inbox: asyncio.Queue[Report | WorkerLost | None] = asyncio.Queue()
        self._process = make_process(self._inbox.put_nowait)
        self._lock = asyncio.Lock()
        self._current: Job | None = None
        self._cancelling = False
        self._pace = Pace()
        self._deaths = 0
        self._previewed = False
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

    async def run(self) -> None:
        """Put orphans back, start the worker, then handle what happens until cancelled."""
        for job in await self._board.read(Ledger.recover):
            log.warning("job_returned", job_id=job.id, state=job.state, returns=job.returns)
        self._start_worker()
        while True:
            event = await self._inbox.get()
            async with self._lock:
                await self._handle(event)

    async def close(self) -> None:
        """End the worker; a running job goes back first in line, and it is nobody's fault."""
        self._process.stop()
        async with self._lock:
            if self._current is not None:
                await self._board.move(Ledger.put_back, self._current.id)

    async def cancel(self, job_id: str) -> Job:
        """Cancel a job: a queued one at once, a running one after its present step. Raises Conflict if it has ended."""
        async with self._lock:
            if self._current is None or self._current.id != job_id:
                return await self._board.move(Ledger.cancel, job_id)
            if not self._cancelling:
                self._cancelling = True
                self._process.send(CancelJob(job_id))
                asyncio.get_running_loop().call_later(CANCEL_PATIENCE_S, self._end_stuck_worker, job_id)
            return await self._board.get(job_id)

    async def stop_job(self, job_id: str) -> Job:
        """Stop a running job and keep what is there. Raises Conflict unless it runs."""
        async with self._lock:
            if self._current is None or self._current.id != job_id:
                job = await self._board.get(job_id)
                raise Conflict(f"Job {job_id} is {job.state}; only a running job can be stopped and kept.")
            self._process.send(StopJob(job_id))
            return await self._board.get(job_id)

    async def _handle(self, event: Report | WorkerLost | None) -> None:
        match event:
            case CheckpointMoved():
                await self._checkpoint_moved(event)
            case WorkerLost():
                await self._worker_lost(event)
            case JobPreviewed(job_id, jpeg):
                self._broadcast.publish_frame(preview_topic(job_id), jpeg)
            case JobProgressed() if self._is_current(event.job_id):
                self._board.advance(event.job_id, self._progress(event))
            case JobFinished(job_id, results, stopped_at_step) if self._is_current(job_id):
                self._ended(await self._board.move(Ledger.succeed, job_id, results, stopped_at_step))
            case JobFailed(job_id, failure) if self._is_current(job_id):
                self._ended(await self._board.move(Ledger.fail, job_id, failure))
            case JobCancelled(job_id, step) if self._is_current(job_id):
                self._ended(await self._board.move(Ledger.cancel, job_id, step))
            case _:
                pass
        await self._start_next()

    async def _start_next(self) -> None:
        if self._current is not None or self.status.state != "ready":
            return
        job = await self._board.read(Ledger.next_queued)
        if job is None:
            return
        self._current = await self._board.move(Ledger.start, job.id)
        self._cancelling = False
        self._pace = Pace()
        self._previewed = self._broadcast.is_wanted(preview_topic(job.id))
        log.info("job_started", job_id=job.id, kind=job.kind, checkpoint=job.checkpoint)
        self._process.send(RunJob(job.id, job.request, self._previewed))

    async def _checkpoint_moved(self, event: CheckpointMoved) -> None:
        self._set_status(event.state, event.detail, event.failure)
        log.info("checkpoint", state=event.state, checkpoint=self._checkpoint.id, detail=event.detail)
        if event.state == "ready":
            self._deaths = 0
        if event.failure is not None:
            while job := await self._board.read(Ledger.next_queued):
                await self._board.move(Ledger.fail, job.id, event.failure)

    async def _worker_lost(self, event: WorkerLost) -> None:
        job, self._current = self._current, None
        log.error("worker_lost", exit_code=event.exit_code, job_id=job.id if job else None)
        self._set_status("lost")
        if job is not None:
            await self._settle(job)
        pause_s = RESTART_AFTER_S[min(self._deaths, len(RESTART_AFTER_S) - 1)]
        self._deaths += 1
        asyncio.get_running_loop().call_later(pause_s, self._start_worker)

    async def _settle(self, job: Job) -> None:
        """A job whose worker died: cancelled if that was wanted, else tried again, else failed."""
        if self._cancelling:
            self._ended(await self._board.move(Ledger.cancel, job.id))
        elif job.attempts + 1 < MAX_ATTEMPTS:
            await self._board.move(Ledger.put_back, job.id, attempts=1)
        else:
            lost = EngineLost(
                f"The worker died on this job {job.attempts + 1} times.",
                hint="A smaller size or fewer steps may fit; the server's log has the details.",
            )
            self._ended(await self._board.move(Ledger.fail, job.id, Failure.of(lost)))

    def _start_worker(self) -> None:
        self.worker_starts += 1
        self._process.start()
        folder = self._checkpoint.folder
        assert folder is not None, "a server starts only with a checkpoint that has a folder"
        self._process.send(LoadCheckpoint(folder, self._checkpoint.preset.built_here, self._device))

    def _end_stuck_worker(self, job_id: str) -> None:
        if self._is_current(job_id) and self._cancelling:
            log.error("worker_stuck", job_id=job_id, waited_s=CANCEL_PATIENCE_S)
            self._process.kill()

    def _interest_changed(self) -> None:
        if self._current is not None:
            previewed = self._broadcast.is_wanted(preview_topic(self._current.id))
            if previewed != self._previewed:
                self._previewed = previewed
                self._process.send(SetPreviewed(self._current.id, previewed))

    def _progress(self, event: JobProgressed) -> Progress:
        seconds_left = self._pace.seconds_left(event.step, event.steps) if event.phase == "denoising" else None
        return Progress(phase=event.phase, step=event.step, steps=event.steps, seconds_left=seconds_left)

    def _is_current(self, job_id: str) -> bool:
        return self._current is not None and self._current.id == job_id

    def _ended(self, job: Job) -> None:
        assert job.state in (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)
        self._current = None
        log.info("job_ended", job_id=job.id, state=job.state, code=job.error.code if job.error else None)

    def _set_status(self, state: str, detail: str = "", failure: Failure | None = None) -> None:
        self.status = CheckpointStatus.model_validate(
            {**self.status.model_dump(), "state": state, "detail": detail, "error": failure}
        )
        self._broadcast.publish("system", {"checkpoint": self.status.model_dump(mode="json")})


def preview_topic(job_id: str) -> str:
    """The binary topic that carries a job's previews."""
    return f"preview/{job_id}"

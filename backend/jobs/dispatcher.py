"""Handing queued jobs to one engine's worker, one at a time, and turning what it says into moves of the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial

import structlog

from backend.broadcast import Broadcast
from backend.engine_process import EngineProcess, WorkerLost
from backend.jobs.ledger import Ledger
from backend.jobs.live_jobs import LiveJobs
from backend.jobs.preparations import Preparations, PreparedPrompt
from backend.jobs.retrying import CANCEL_PATIENCE_S, retry_until_stored
from backend.jobs.running import (
    Held,
    Prepared,
    Running,
    outcome_of,
    preview_topic,
    progress_of,
    too_deadly,
)
from backend.jobs.worker_supervisor import WorkerSupervisor
from backend.messages import (
    Acted,
    ActFailed,
    ActReport,
    CancelJob,
    CheckpointMoved,
    Command,
    ConversationEnded,
    ConversationReport,
    ConversationSaid,
    Foreseen,
    JobCancelled,
    JobFailed,
    JobFinished,
    JobPreviewed,
    JobProgressed,
    JobReport,
    Perceived,
    PerceptionFailed,
    PerceptionReport,
    Report,
    RestJobs,
    SetPreviewed,
    StopJob,
    WorkerEnding,
)
from studio.checkpoints import Checkpoint
from studio.errors import Conflict, StorageError
from studio.events import CheckpointStatus
from studio.jobs import MAX_ATTEMPTS, Failure, Job

log = structlog.get_logger("orrery.dispatcher")

Spoken = ConversationReport | ActReport | PerceptionReport
"""What is for one listener, and no news of a job."""


class Dispatcher:
    """One worker, one checkpoint, one running job; the fleet has one for each engine.

    Everything that happens arrives in one inbox and is handled in order by one task; a person's cancel and stop take
    the same lock, so that no job is started and cancelled at once. What is handled may be handled again: a move that
    the database refuses is tried until it goes through, and nothing is forgotten before it has. What the worker says of
    conversations and to arms passes by: whoever listens hears it at once, and hears of the worker's end.

    Args:
        make_process: makes the worker's process, which tells what happens to the function that it is given.
        lock: shared by the dispatchers of a checkpoint.
        on_change: told when the status changes, or a job begins or ends.
        may_claim: asked before it takes another job from the queue.
        is_near: whether its engine is on this host now.

    Attributes:
        device: where its engine computes, as it was told.
    """

    def __init__(
        self,
        *,
        live_jobs: LiveJobs,
        broadcast: Broadcast,
        checkpoint: Checkpoint,
        device: str,
        make_process: Callable[[Callable[[Report | WorkerLost], None]], EngineProcess],
        lock: asyncio.Lock,
        on_change: Callable[[], None],
        may_claim: Callable[[], bool],
        is_near: Callable[[], bool] = lambda: True,
    ) -> None:
        self._live_jobs = live_jobs
        self._broadcast = broadcast
        self._checkpoint = checkpoint
        self.device = device
        self._lock = lock
        self._inbox: asyncio.Queue[JobReport | Prepared | Held | WorkerLost | None] = asyncio.Queue()
        self._process = make_process(self._deliver)
        self._on_change = on_change
        self._may_claim = may_claim
        self.is_near = is_near
        self._listeners: dict[str, Callable[[Spoken | WorkerLost], None]] = {}
        self._running: Running | None = None
        self._claiming = False
        self._held = Held(None)
        self._supervisor = WorkerSupervisor(self._process, checkpoint, device, on_change)

    @property
    def status(self) -> CheckpointStatus:
        """Its checkpoint, as this worker has it."""
        return self._supervisor.status

    @property
    def worker_starts(self) -> int:
        """How often a worker was started."""
        return self._supervisor.num_starts

    @property
    def idle(self) -> bool:
        """Whether it runs nothing, and is not about to."""
        return self._running is None and not self._claiming

    @property
    def job_id(self) -> str | None:
        """The job that it runs."""
        return self._running.job.id if self._running else None

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

    @contextmanager
    def listening(self, name: str, hear: Callable[[Spoken | WorkerLost], None]) -> Generator[None]:
        """Hear what the worker says of one conversation or question, and of its own end, until the block ends."""
        self._listeners[name] = hear
        try:
            yield
        finally:
            del self._listeners[name]

    def hold(self, waits_for: str | None) -> None:
        """Start no job, and say what all of them wait for: a running one rests in the worker. None lets them go on."""
        self._process.send(RestJobs(waits_for is not None))
        self._held = Held(waits_for)
        self._inbox.put_nowait(self._held)

    def sleep(self) -> None:
        """Off the device until `rouse`; only an idle one."""
        assert self.idle
        self._supervisor.sleep()

    def rouse(self) -> None:
        """Load the checkpoint again."""
        self._supervisor.rouse()

    async def run(self, preparations: Preparations) -> None:
        """Start the worker, then handle what happens until cancelled."""
        self._supervisor.start()
        while True:
            event = await self._inbox.get()
            act = partial(self._handle, event, preparations)
            await retry_until_stored(act, self._lock, partial(self._storage, self.status))

    async def close(self) -> None:
        """End the worker; a running job goes back first in line, and it is nobody's fault. A cancelled one stays so."""
        self._process.stop()
        async with self._lock:
            if (running := self._running) is None:
                return
            if running.preparing:
                running.preparing.cancel()
            if running.cancelling:
                await self._live_jobs.move(Ledger.cancel, running.job.id)
            else:
                await self._live_jobs.move(Ledger.put_back, running.job.id)
            self._running = None

    async def cancel(self, job_id: str) -> Job | None:
        """Cancel the job if this one runs it, after its present step; none if it does not."""
        async with self._lock:
            if (running := self._running_job(job_id)) is None:
                return None
            if running.preparing:
                job = await self._live_jobs.move(Ledger.cancel, job_id)
                running.preparing.cancel()
                self._ended(job)
                self.wake()
                return job
            if not running.cancelling:
                running.cancelling = True
                self._process.send(CancelJob(job_id))
                asyncio.get_running_loop().call_later(CANCEL_PATIENCE_S, self._end_stuck_worker, running)
            return await self._live_jobs.get(job_id)

    async def stop_job(self, job_id: str) -> Job | None:
        """Stop the job if this one runs it, and keep what is there; none if it does not.

        Raises:
            Conflict: nothing is there yet.
        """
        async with self._lock:
            if (running := self._running_job(job_id)) is None:
                return None
            if running.preparing:
                raise Conflict(f"Job {job_id} is still preparing its prompt; there is no result to keep.")
            self._process.send(StopJob(job_id))
            return await self._live_jobs.get(job_id)

    def _storage(self, before: CheckpointStatus, error: StorageError | None) -> None:
        if error is not None:
            self._supervisor.say("lost", error.message, Failure.of(error))
        elif self.status.error is not None and self.status.state == "lost":
            self._supervisor.say(before.state, before.detail, before.error)
            self.wake()  # what was lost has begun no other job

    def _deliver(self, event: Report | WorkerLost) -> None:
        if isinstance(event, WorkerLost):
            for hear in list(self._listeners.values()):
                hear(event)
        if isinstance(event, Spoken):
            if hear := self._listeners.get(_listener_of(event)):
                hear(event)
        else:
            self._inbox.put_nowait(event)

    async def _handle(self, event: JobReport | Prepared | Held | WorkerLost | None, preparations: Preparations) -> None:
        match event:
            case CheckpointMoved():
                self._supervisor.moved(event)
            case WorkerEnding():
                self._supervisor.say("lost")
            case WorkerLost():
                await self._worker_lost(event)
            case Prepared(job_id, words) if running := self._running_job(job_id):
                running.job = await self._live_jobs.move(Ledger.rewrite, job_id, words.request, words.guardrail)
                running.preparing = None
                self._process.send(running.order())
            case Held(waits_for):
                await self._live_jobs.hold(self._checkpoint.id, waits_for)
                if self._running is not None:
                    self._running.pace.rest()
            case JobPreviewed(job_id, jpeg):
                self._broadcast.publish_frame(preview_topic(job_id), jpeg)
            case JobProgressed(job_id) if running := self._running_job(job_id):
                self._live_jobs.advance(job_id, progress_of(event, running.pace))
            case JobFinished(job_id, results, stopped_at_step, steps) if self._running_job(job_id):
                self._ended(await self._live_jobs.move(Ledger.succeed, job_id, results, stopped_at_step, steps))
            case JobFailed(job_id, failure) if self._running_job(job_id):
                self._ended(await self._live_jobs.move(Ledger.fail, job_id, failure))
            case JobCancelled(job_id, step, steps) if self._running_job(job_id):
                self._ended(await self._live_jobs.move(Ledger.cancel, job_id, step, steps))
            case _:
                pass
        if self.idle and self.status.state == "ready" and self._held.waits_for is None and self._may_claim():
            await self._start_next(preparations)

    async def _start_next(self, preparations: Preparations) -> None:
        # A claim is written down before it is known here: an engine let go in between would leave a job to nobody.
        self._claiming = True
        try:
            job = await self._live_jobs.claim(self._checkpoint.id)
        finally:
            self._claiming = False
        if job is None:
            if not self._may_claim():
                self._on_change()
            return
        self._running = Running(job, previewed=self._broadcast.is_wanted(preview_topic(job.id)))
        log.info("job_started", job_id=job.id, kind=job.kind, checkpoint=job.checkpoint)
        self._on_change()
        if (phase := preparations.first(job)) is not None:
            self._live_jobs.advance(job.id, job.progress.model_copy(update={"phase": phase}))
            self._running.preparing = asyncio.ensure_future(preparations.prepare(job))
            self._running.preparing.add_done_callback(partial(self._prepared, job.id))
        else:
            self._process.send(self._running.order())

    def _prepared(self, job_id: str, preparing: asyncio.Future[PreparedPrompt]) -> None:
        if not preparing.cancelled():
            self._inbox.put_nowait(outcome_of(job_id, preparing))

    async def _worker_lost(self, event: WorkerLost) -> None:
        job_id = self._running.job.id if self._running else None
        if self._running is not None:
            await self._settle(self._running)
        log.log(30 if self._supervisor.sleeps else 40, "worker_lost", exit_code=event.exit_code, job_id=job_id)
        self._supervisor.died()

    async def _settle(self, running: Running) -> None:
        """A job whose worker died: cancelled if that was wanted, else tried again, else failed."""
        job = running.job
        if running.preparing:
            running.preparing.cancel()
        if running.cancelling:
            self._ended(await self._live_jobs.move(Ledger.cancel, job.id))
        elif job.attempts + 1 < MAX_ATTEMPTS:
            await self._live_jobs.move(Ledger.put_back, job.id, attempts=1)
            self._running = None
        else:
            self._ended(await self._live_jobs.move(Ledger.fail, job.id, too_deadly(job), attempts=1))

    def _end_stuck_worker(self, running: Running) -> None:
        if self._running is running:
            log.error("worker_stuck", job_id=running.job.id, waited_s=CANCEL_PATIENCE_S)
            self._process.kill()

    def interest_changed(self) -> None:
        """Somebody began or ceased to look at previews."""
        if (running := self._running) is not None and running.look(self._broadcast):
            self._process.send(SetPreviewed(running.job.id, running.previewed))

    def _running_job(self, job_id: str) -> Running | None:
        return self._running if self._running is not None and self._running.job.id == job_id else None

    def _ended(self, job: Job) -> None:
        assert job.state.ended
        self._running = None
        log.info("job_ended", job_id=job.id, state=job.state, code=job.error.code if job.error else None)
        self._on_change()


def _listener_of(event: Spoken) -> str:
    match event:
        case ConversationSaid() | ConversationEnded():
            return event.conversation_id
        case Acted() | ActFailed() | Foreseen():
            return event.act_id
        case Perceived() | PerceptionFailed():
            return event.perception_id

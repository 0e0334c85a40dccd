"""Arms' questions on their way to the worker and back, from the sessions that have the lease."""

from __future__ import annotations

import asyncio
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import structlog
from numpy.typing import NDArray

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.engine_process import WorkerLost
from backend.fleet import Fleet
from backend.jobs.dispatcher import Dispatcher, Spoken
from backend.messages import Act, Acted, ActFailed, Foreseen, StopActing
from backend.metrics import Metrics
from backend.policy.contract import CANVAS_SIZE, EMBODIMENT, NUM_ROWS, ROWS_PER_SECOND, metadata, own_layout
from backend.policy.foresight import ForesightChannel
from backend.policy.lease import IDLE_S, PolicyLease
from backend.policy.question import Question, Reset, read_frame
from studio.errors import Busy, Conflict, EngineLost
from studio.presets import complete
from studio.requests import RunPolicy, parse_request
from studio.rules import refusals
from studio.wire.foreseen_clip import pack_clip

log = structlog.get_logger("orrery.policy")

HELD_FOR = "robot"
"""What jobs say they wait for."""

NO_IMAGE = "u0000000000000000"
"""What a request names in place of a picture in the store: its canvas comes beside it."""

REST = (0.0, -0.63, 0.0, -2.51, 0.0, 1.88, 0.0, 0.0)
"""DROID's reset pose, rad, with an open gripper: what the warm-up asks about."""

LOOK_EVERY_S = 0.1

NUM_READERS = 2
"""A megabyte is unpacked in a millisecond, and resized in ten."""


@dataclass(frozen=True)
class PolicyAnswer:
    """What an arm is to do.

    Attributes:
        actions: float32 [32, 8].
        took_s: how long it was computed.
        waited_s: beside that: behind the step in flight, and on its way to the worker and back.
        video: uint8 [33, height, width, 3], what it foresees, the frame that it saw first; only where it was wanted.
    """

    actions: NDArray[np.float32]
    took_s: float
    waited_s: float
    video: NDArray[np.uint8] | None = None


class PolicyService:
    """Lives on the event loop's thread; the fleet owns the workers. The active checkpoint's first engine answers.

    Args:
        idle_s: how long jobs rest for a session that asks nothing.
        max_arms: how many sessions may have it at the same time.

    Attributes:
        channels: of the open sessions, by name.
    """

    def __init__(
        self, fleet: Fleet, catalogue: CheckpointCatalogue, metrics: Metrics, idle_s: float = IDLE_S, max_arms: int = 1
    ) -> None:
        self._fleet = fleet
        self._catalogue = catalogue
        self._metrics = metrics
        self._warmed: tuple[Dispatcher, int] | None = None
        self._holding = ExitStack()
        self._readers = ThreadPoolExecutor(NUM_READERS, thread_name_prefix="policy")
        self._warming: asyncio.Task[None] | None = None
        self._listening = ExitStack()
        self._packing: asyncio.Task[None] | None = None
        self._packers = ThreadPoolExecutor(1, thread_name_prefix="foresight")
        self.channels: dict[str, ForesightChannel] = {}
        self.lease = PolicyLease(self._hold, idle_s, max_arms)

    @property
    def for_an_arm(self) -> str | None:
        """Id of the active checkpoint, if it was trained to drive the arm whose joint positions are asked of it."""
        preset = self._catalogue.active.preset
        trained_for = preset.defaults.get("run_policy", {}).get("embodiment")
        return self._catalogue.active.id if trained_for == EMBODIMENT and not preset.random_weights else None

    async def ready(self) -> dict[str, object]:
        """What the answers mean, as soon as the first question would be answered without delay.

        Raises:
            NotAllowed: this checkpoint is no policy for this arm.
            Conflict, Busy: no engine holds it, or not yet.
            StudioError: it failed to load, or to warm up.
        """
        self.request_of(_WARM_UP, seed=0)
        await self._fleet.awake(None)
        while not _is_ready(self._engine()):
            await asyncio.sleep(LOOK_EVERY_S)
        if not self._is_warm:
            await asyncio.shield(self._warm_up())
        return metadata(self._catalogue.active)

    def request_of(self, question: Question, seed: object) -> RunPolicy:
        """A question as a request to the active checkpoint, on its own preset.

        Raises:
            BadInput: the prompt or a setting cannot mean what it says, or this checkpoint refuses it.
        """
        payload: dict[str, Any] = {
            "kind": "run_policy",
            "prompt": question.prompt,
            "embodiment": EMBODIMENT,
            "start_image": NO_IMAGE,
            "state": question.state,
            "num_actions": NUM_ROWS,
            "fps": ROWS_PER_SECOND,
            "decode_video": question.decode_video,
            "idle_frames": question.idle_frames,
            "sampling": {**question.sampling, "seed": seed},
        }
        checkpoint = self._catalogue.active
        request = parse_request(complete(checkpoint.preset, payload))
        assert isinstance(request, RunPolicy)
        for refusal in refusals(request, checkpoint.capabilities()):
            raise refusal.error()
        return request

    async def read(self, frame: str | bytes) -> Question | Reset:
        """What a frame asks, read beside the event loop and behind nobody else's files. Raises BadInput."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, read_frame, frame)

    async def answer(
        self, session: object, policy: str, question: Question, seed: object, channel: ForesightChannel | None = None
    ) -> PolicyAnswer:
        """What the arm is to do. When this is cancelled, so is the computing.

        Args:
            policy: the checkpoint whose metadata the session was told.
            channel: where the foreseen frames are sent later; none for not at all.

        Raises:
            BadInput: as `request_of`.
            Busy: another session has the policy, or the checkpoint is not ready.
            Conflict: another checkpoint is the active one by now, or no engine holds it.
            EngineError: the engine gave up, or the worker died.
            StudioError: the checkpoint failed to load.
        """
        active = self._catalogue.active.id
        if policy != active:
            raise Conflict(
                f"This session uses {policy}, but the default checkpoint is now {active}.", hint="Connect again."
            )
        request = self.request_of(question, seed)
        engine = self._engine()
        if not _is_ready(engine) or not self._is_warm:
            if _is_ready(engine):
                self._warm_up()
            state = "it is warming up" if _is_ready(engine) else engine.status.state
            raise Busy(f"The checkpoint {active} is not ready yet ({state}).", hint="Try again in a moment.")
        return await self._ask(session, request, question, channel)

    async def _ask(
        self, session: object, request: RunPolicy, question: Question, channel: ForesightChannel | None = None
    ) -> PolicyAnswer:
        engine = self._engine()
        self.lease.take(session)
        began_at = time.monotonic()
        act_id = secrets.token_hex(6)
        answer: asyncio.Future[Acted] = asyncio.get_running_loop().create_future()

        def hear(event: Spoken | WorkerLost) -> None:
            if isinstance(event, Foreseen):
                assert channel is not None, "frames are foreseen for whoever listens"
                self._packing = asyncio.create_task(self._pack(channel, question.foresee, event.video))
            else:
                _settle(answer, event)

        with ExitStack() as listening:
            listening.enter_context(engine.listening(act_id, hear))
            engine.send(Act(act_id, request, question.canvas, foresee=channel is not None))
            try:
                acted = await answer
            finally:
                if answer.cancelled():
                    engine.send(StopActing(act_id))
                self.lease.answered(session)
            self._listening.close()  # Frames of the answer before this one are too late.
            if channel is not None:
                self._listening = listening.pop_all()
        total_s = time.monotonic() - began_at
        self._metrics.policy_seconds.observe(total_s)
        return PolicyAnswer(acted.actions, acted.took_s, max(0.0, total_s - acted.took_s), acted.video)

    async def _pack(self, channel: ForesightChannel, label: str, video: NDArray[np.uint8]) -> None:
        """Send a clip; behind the answers, on a thread that nothing else waits for."""
        layout = own_layout(self._catalogue.active)
        channel.put(await asyncio.get_running_loop().run_in_executor(self._packers, pack_clip, label, video, layout))

    def _warm_up(self) -> asyncio.Task[None]:
        if self._warming is None or self._warming.done():
            self._warming = asyncio.create_task(self._ask_once())
            self._warming.add_done_callback(_note_failure)
        return self._warming

    async def _ask_once(self) -> None:
        engine = self._engine()
        start = engine.worker_starts
        try:
            answer = await self._ask(self, self.request_of(_WARM_UP, seed=0), _WARM_UP)
        finally:
            self.lease.leave(self, returns=False)
        self._warmed = engine, start
        log.info("policy_warmed_up", took_s=round(answer.took_s, 3))

    def _engine(self) -> Dispatcher:
        """Who answers. Raises as `Fleet.group`, and why the checkpoint could not be loaded."""
        engines = self._fleet.group(None).dispatchers
        engine = min(engines, key=lambda one: (not _is_ready(one), not one.is_near()))
        if engine.status.error is not None:
            raise engine.status.error.error()
        return engine

    @property
    def _is_warm(self) -> bool:
        engine = self._engine()
        return self._warmed == (engine, engine.worker_starts)

    def _hold(self, held: bool) -> None:
        """Keep the device free of jobs, and the checkpoint from leaving it; or let go of both."""
        self._holding.close()
        self._listening.close()
        if held:
            engine = self._engine()
            self._holding.enter_context(self._fleet.group(None).hold())
            self._holding.enter_context(engine.listening(HELD_FOR, lambda _: self.lease.clear()))
            self._holding.enter_context(self._fleet.device_held(engine.device, HELD_FOR))


def _settle(answer: asyncio.Future[Acted], event: Spoken | WorkerLost) -> None:
    if answer.done():
        return
    match event:
        case Acted():
            answer.set_result(event)
        case ActFailed():
            answer.set_exception(event.failure.error())
        case _:
            answer.set_exception(EngineLost("The worker crashed during this request.", hint="Try again in a moment."))


def _is_ready(engine: Dispatcher) -> bool:
    return engine.status.state == "ready" and engine.worker_pid is not None


def _note_failure(warming: asyncio.Task[None]) -> None:
    if not warming.cancelled() and (error := warming.exception()) is not None:
        log.warning("policy_not_warmed_up", reason=str(error))


_WARM_UP = Question(
    canvas=np.zeros((CANVAS_SIZE[1], CANVAS_SIZE[0], 3), np.uint8),
    state=REST,
    prompt="Keep the arm still.",
    seed=None,
    sampling={},
    session="",
)

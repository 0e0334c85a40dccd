"""An arm's questions at the server's side: warmed up first, one session at a time, and an end for each."""

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from backend.engine_process import WorkerLost
from backend.fleet import EngineGroup
from backend.messages import Act, Acted, ActFailed, Command, StopActing
from backend.metrics import Metrics
from backend.policy import PolicyService, PolicySession
from policy_requests import policy_request
from studio.checkpoints import Checkpoint, find_checkpoint
from studio.errors import BrokenCheckpoint, NotAllowed, OutOfMemory
from studio.jobs import Failure
from studio.presets import load_presets
from studio.wire.arrays import pack_message, unpack_message

ROWS = np.full((32, 8), 0.5, np.float32)
LIMIT_S = 60.0


class FakeDispatcher:
    """A worker that is ready; it answers at once unless `answers` is off."""

    def __init__(self) -> None:
        self.status = SimpleNamespace(id="speck", state="ready", error=None)
        self.worker_pid: int | None = 1
        self.worker_starts = 1
        self.answers = True
        self.sent: list[Command] = []
        self.held: list[str | None] = []
        self.device = "auto"
        self.idle = True
        self.is_near = lambda: True
        self.listeners: dict[str, Callable[[Any], None]] = {}
        self.changed = asyncio.Event()

    def send(self, command: Command) -> None:
        self.sent.append(command)
        self.changed.set()
        if isinstance(command, Act) and self.answers:
            asyncio.get_running_loop().call_soon(self.tell, Acted(command.act_id, ROWS, 0.2))

    @contextmanager
    def listening(self, name: str, hear: Callable[[Any], None]) -> Generator[None]:
        self.listeners[name] = hear
        try:
            yield
        finally:
            del self.listeners[name]

    def tell(self, event: Any) -> None:
        names = list(self.listeners) if isinstance(event, WorkerLost) else [event.act_id]
        for name in names:
            if hear := self.listeners.get(name):
                hear(event)

    def hold(self, waits_for: str | None) -> None:
        self.held.append(waits_for)
        self.changed.set()

    def restart(self) -> None:
        self.tell(WorkerLost(-9))
        self.worker_starts += 1

    @property
    def acts(self) -> list[Act]:
        return [command for command in self.sent if isinstance(command, Act)]

    async def until(self, holds: Callable[[], Any]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not holds():
                self.changed.clear()
                await self.changed.wait()


class FakeFleet:
    """One checkpoint, one engine."""

    def __init__(self, dispatcher: Any, checkpoint: Checkpoint) -> None:
        self._engine = dispatcher
        self._group = EngineGroup(checkpoint, [dispatcher], needed_gb=1.0)

    async def awake(self, checkpoint: str | None) -> None:
        """It never sleeps."""

    def group(self, checkpoint: str | None) -> EngineGroup:
        assert checkpoint is None
        return self._group

    @contextmanager
    def device_held(self, device: str, waits_for: str) -> Iterator[None]:
        assert device == self._engine.device
        self._engine.hold(waits_for)
        yield
        self._engine.hold(None)


def run(act: Callable[[FakeDispatcher, PolicyService], Coroutine[Any, Any, None]], **options: Any) -> None:
    async def inside() -> None:
        dispatcher: Any = FakeDispatcher()
        checkpoint = find_checkpoint(options.pop("checkpoint", "speck"), load_presets(), Path("nowhere"))
        async with asyncio.timeout(LIMIT_S):
            shelf: Any = SimpleNamespace(active=checkpoint)
            fleet: Any = FakeFleet(dispatcher, checkpoint)
            await act(dispatcher, PolicyService(fleet, shelf, Metrics(), **options))

    asyncio.run(inside())


async def ask(session: PolicySession, **changes: Any) -> dict[str, Any]:
    return unpack_message(await session.answer(pack_message(policy_request(**changes))))


def test_the_metadata_come_after_the_warm_up_and_it_is_done_once_for_each_worker():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        declared = await service.ready()
        assert declared["action_space"] == "joint_position"
        assert declared["random_weights"] is True
        assert len(dispatcher.acts) == 1
        assert dispatcher.held == ["robot", None]
        await service.ready()
        assert len(dispatcher.acts) == 1
        dispatcher.restart()
        await service.ready()
        assert len(dispatcher.acts) == 2

    run(act)


def test_two_that_come_at_once_share_a_warm_up_which_outlives_either():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        dispatcher.answers = False
        first, second = (asyncio.create_task(service.ready()) for _ in range(2))
        await dispatcher.until(lambda: dispatcher.acts)
        first.cancel()
        dispatcher.tell(Acted(dispatcher.acts[0].act_id, ROWS, 0))
        assert (await second)["policy"] == "speck"
        assert len(dispatcher.acts) == 1

    run(act)


def test_a_checkpoint_that_is_still_loading_is_waited_for():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        dispatcher.status.state = "loading"
        waiting = asyncio.create_task(service.ready())
        done, _ = await asyncio.wait([waiting], timeout=0.05)
        assert not done
        dispatcher.status.state = "ready"
        assert await waiting

    run(act)


def test_a_checkpoint_that_failed_says_why():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        dispatcher.status.state = "failed"
        dispatcher.status.error = Failure.of(BrokenCheckpoint("A shard is cut short."))
        with pytest.raises(BrokenCheckpoint, match="cut short"):
            await service.ready()

    run(act)


def test_a_checkpoint_that_is_no_policy_says_so():
    async def act(_: FakeDispatcher, service: PolicyService) -> None:
        with pytest.raises(NotAllowed, match="does not support run_policy"):
            await service.ready()

    run(act, checkpoint="cosmos3-super-text2image")


def test_a_question_goes_to_the_worker_on_the_checkpoints_own_settings():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        with PolicySession(service, "speck") as session:
            said = await ask(session, gripper_position=1.0, sampling_params={"num_inference_steps": 2})
        request = dispatcher.acts[-1].request
        assert request.state is not None
        assert request.state[-1] == 1
        assert (request.num_actions, request.fps, request.decode_video) == (32, 15, False)
        assert (request.sampling.num_inference_steps, request.sampling.guidance_scale) == (2, 3)
        assert dispatcher.acts[-1].canvas.shape == (540, 640, 3)
        assert (said["action"] == ROWS).all()
        assert (said["actions"] == ROWS).all()
        assert said["server_timing"]["infer_ms"] == pytest.approx(200)
        assert said["server_timing"]["wait_ms"] == 0  # it was quicker than it said

    run(act)


def test_a_checkpoint_that_was_trained_for_this_arm_is_known_and_asked_on_its_own_settings():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        declared = await service.ready()
        assert service.for_an_arm == "pocket"
        assert declared["random_weights"] is False
        assert "only on a simulated arm" in str(declared["warning"])
        with PolicySession(service, "pocket") as session:
            await ask(session)
        sampling = dispatcher.acts[-1].request.sampling
        assert (sampling.num_inference_steps, sampling.guidance_scale, sampling.flow_shift) == (4, 1, 5)

    run(act, checkpoint="pocket")


@pytest.mark.parametrize("checkpoint", ["speck", "cosmos3-nano"])
def test_what_was_never_trained_or_for_no_arm_in_particular_is_no_policy_for_one(checkpoint: str):
    async def act(_: FakeDispatcher, service: PolicyService) -> None:
        assert service.for_an_arm is None

    run(act, checkpoint=checkpoint)


def test_seeds_count_up_and_begin_anew_with_a_reset_or_another_session():
    async def act(_: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        with PolicySession(service, "speck") as session:
            assert [(await ask(session))["seed"] for _ in range(2)] == [0, 1]
            assert (await ask(session, seed=41))["seed"] == 41
            assert (await ask(session))["seed"] == 2
            reset = unpack_message(await session.answer(pack_message({"endpoint": "reset"})))
            assert reset == {"status": "reset successful"}
            assert (await ask(session))["seed"] == 0
            assert (await ask(session, session_id="b"))["seed"] == 0

    run(act)


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"prompt": " "}, "prompt"),
        ({"prompt": 7}, "prompt"),
        ({"seed": -1}, "sampling.seed"),
        ({"sampling_params": {"steps": 4}}, "sampling.steps"),
    ],
)
def test_what_a_request_refuses_is_said_and_the_session_goes_on(fields: dict[str, Any], param: str):
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        with PolicySession(service, "speck") as session:
            said = await ask(session, **fields)
            assert (said["type"], said["code"], said["param"]) == ("error", "bad_input", param)
            assert len(dispatcher.acts) == 1
            assert "action" in await ask(session)

    run(act)


def test_jobs_rest_from_the_first_question_until_the_session_ends():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        with PolicySession(service, "speck") as session:
            assert dispatcher.held == ["robot", None]  # a session that has asked nothing holds nothing
            await ask(session)
            await ask(session)
            assert dispatcher.held == ["robot", None, "robot"]
        assert dispatcher.held == ["robot", None, "robot", None]

    run(act)


def test_a_session_that_asks_nothing_for_a_while_lets_jobs_go_on():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        with PolicySession(service, "speck") as session:
            await ask(session)
            await dispatcher.until(lambda: dispatcher.held[-1] is None)
            await ask(session)
            assert dispatcher.held[-1] == "robot"

    run(act, idle_s=0.05)


def test_a_second_session_is_told_that_it_is_one():
    async def act(_: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        with PolicySession(service, "speck") as second:
            with PolicySession(service, "speck") as first:
                await ask(first)
                said = await ask(second)
                assert (said["code"], said["message"]) == ("busy", "Another session is using the policy.")
                assert "10 s" in said["hint"]
                assert "action" in await ask(first)
            assert "action" in await ask(second)

    run(act)


def test_whoever_hangs_up_stops_the_computing_and_finds_the_device_free_when_he_returns():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        dispatcher.answers = False

        async def visit() -> None:
            with PolicySession(service, "speck") as session:
                await ask(session)

        visiting = asyncio.create_task(visit())
        await dispatcher.until(lambda: len(dispatcher.acts) == 2)
        visiting.cancel()
        await asyncio.wait([visiting])
        assert dispatcher.sent[-1] == StopActing(dispatcher.acts[-1].act_id)
        assert dispatcher.held[-1] == "robot"  # or a step that lasts longer than his patience would be taken each time
        dispatcher.answers = True
        await visit()
        assert dispatcher.held == ["robot", None, "robot", None]

    run(act)


def test_whoever_hangs_up_and_stays_away_lets_jobs_go_on_after_a_while():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        dispatcher.answers = False

        async def visit() -> None:
            with PolicySession(service, "speck") as session:
                await ask(session)

        visiting = asyncio.create_task(visit())
        await dispatcher.until(lambda: len(dispatcher.acts) == 2)
        visiting.cancel()
        await dispatcher.until(lambda: dispatcher.held[-1] is None)

    run(act, idle_s=0.05)


def test_a_worker_that_dies_is_said_jobs_are_let_go_and_the_next_one_is_warmed_up_before_it_answers():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        dispatcher.answers = False
        with PolicySession(service, "speck") as session:
            asking = asyncio.create_task(ask(session))
            await dispatcher.until(lambda: len(dispatcher.acts) == 2)
            dispatcher.restart()
            assert (await asking)["code"] == "engine_lost"
            assert dispatcher.held[-1] is None
            dispatcher.status.state = "loading"
            said = await ask(session)
            assert (said["code"], "loading" in said["message"]) == ("busy", True)
            dispatcher.status.state = "ready"
            said = await ask(session)
            assert (said["code"], "is warming up" in said["message"]) == ("busy", True)
            await dispatcher.until(lambda: len(dispatcher.acts) == 3)
            dispatcher.answers = True
            dispatcher.tell(Acted(dispatcher.acts[-1].act_id, ROWS, 0))
            await dispatcher.until(lambda: dispatcher.held[-1] is None)
            assert "action" in await ask(session)

    run(act)


def test_an_engine_that_gives_up_is_said_and_the_next_question_is_answered():
    async def act(dispatcher: FakeDispatcher, service: PolicyService) -> None:
        await service.ready()
        dispatcher.answers = False
        with PolicySession(service, "speck") as session:
            asking = asyncio.create_task(ask(session))
            await dispatcher.until(lambda: len(dispatcher.acts) == 2)
            failure = Failure.of(OutOfMemory("It does not fit."))
            dispatcher.tell(ActFailed(dispatcher.acts[-1].act_id, failure))
            assert (await asking)["code"] == "out_of_memory"
            dispatcher.answers = True
            assert "action" in await ask(session)

    run(act)

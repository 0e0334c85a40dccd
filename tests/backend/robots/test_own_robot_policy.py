"""Which policy the arm beside a server gets, and that it gets another one when another checkpoint is active."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from backend.robots.hub import RobotHub
from backend.robots.own_robot import OwnRobot
from robot_wire import HELLO
from studio.errors import BadInput, Conflict
from studio.settings import ServerSettings

SAYS_WHERE = """echo '{"listening": "ws://127.0.0.1:9"}'; exec sleep 600"""


class Active:
    """A server's policy whose checkpoint changes."""

    def __init__(self, for_an_arm: str | None) -> None:
        self.for_an_arm = for_an_arm


class Spawned(OwnRobot):
    """Programs that do nothing, by what they were called with."""

    def begin(self) -> None:
        self.seen: list[tuple[str, ...]] = []
        self.processes: list[Process] = []
        self.start()

    async def _spawn(self, *program: str, stdout: int | None = None, stderr: int | None = None) -> Process:
        self.seen.append(program)
        process = await asyncio.create_subprocess_exec(
            "sh", "-c", SAYS_WHERE if program[0] == "robot.scripted" else "exec sleep 600", stdout=PIPE, stderr=PIPE
        )
        self.processes.append(process)
        return process


async def until(robot: Spawned, *names: str) -> None:
    async with asyncio.timeout(60):
        while [program[0] for program in robot.seen] != list(names) or len(robot.processes) < len(names):
            await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.robots.own_robot.LOOK_S", 0.02)


def own(tmp_path: Path, active: Active, robot: str = "simulated") -> Spawned:
    settings = ServerSettings.model_validate({"data": tmp_path, "robot": robot})
    return Spawned(settings, "http://127.0.0.1:1", RobotHub(), active)


def test_a_checkpoint_that_is_no_policy_for_the_arm_loses_it_at_once_to_the_scripted_one(tmp_path: Path):
    async def run() -> None:
        active = Active("pocket")
        robot = own(tmp_path, active)
        robot.begin()
        await until(robot, "robot")
        assert not any("--policy" in word for word in robot.seen[0])
        active.for_an_arm = None
        await until(robot, "robot", "robot.scripted", "robot")
        assert robot.processes[0].returncode is not None, "noise drives nothing"
        assert "--policy=ws://127.0.0.1:9" in robot.seen[2]
        active.for_an_arm = "nano"
        await until(robot, "robot", "robot.scripted", "robot", "robot")
        assert all(process.returncode is not None for process in robot.processes[:3])
        await robot.close()
        assert all(process.returncode is not None for process in robot.processes)

    asyncio.run(run())


def test_a_person_selects_the_policy_and_the_arm_starts_again_for_it(tmp_path: Path):
    async def run() -> None:
        active = Active("pocket")
        robot = own(tmp_path, active)
        robot.begin()
        await until(robot, "robot")
        robot.select("scripted")
        await until(robot, "robot", "robot.scripted", "robot")
        assert robot.describe() == {"name": "simulated", "source": "scripted", "driver": "scripted"}
        robot.select("ws://elsewhere:8000/policy")
        await until(robot, "robot", "robot.scripted", "robot", "robot")
        assert "--policy=ws://elsewhere:8000/policy" in robot.seen[3]
        robot.select("checkpoint")
        await until(robot, "robot", "robot.scripted", "robot", "robot", "robot")
        assert robot.describe()["driver"] == "pocket"
        await robot.close()

    asyncio.run(run())


def test_what_is_no_policy_is_refused_and_so_is_a_change_in_the_middle_of_a_run(tmp_path: Path):
    active = Active(None)
    hub = RobotHub()
    settings = ServerSettings.model_validate({"data": tmp_path, "robot": "simulated"})
    robot = OwnRobot(settings, "http://127.0.0.1:1", hub, active)
    with pytest.raises(BadInput, match="ws:// address is expected"):
        robot.select("http://elsewhere")
    with pytest.raises(Conflict, match="not a policy for this arm"):
        robot.select("checkpoint")
    arm, _ = hub.arrive({**HELLO, "name": "simulated"})
    session = {"type": "session", "state": "holding"}
    arm.hear(json.dumps(session), session)
    with pytest.raises(Conflict, match="in the middle of a run"):
        robot.select("scripted")
    assert robot.describe()["driver"] == "scripted"


def test_who_wants_the_scripted_policy_keeps_it(tmp_path: Path):
    async def run() -> None:
        active = Active("pocket")
        robot = own(tmp_path, active, "scripted")
        robot.begin()
        await until(robot, "robot.scripted", "robot")
        active.for_an_arm = "nano"
        await asyncio.sleep(0.1)
        assert len(robot.seen) == 2
        await robot.close()

    asyncio.run(run())

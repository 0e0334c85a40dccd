"""A clock that tests set, an arm that follows, cameras, and a policy whose answers are written down beforehand."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from robot.chunk import ActionChunk
from robot.clock import Tick
from robot.commands import LoopCommand, Ready, Replay, Run, Start
from robot.faults import ArmLost, CameraLost
from robot.foresight import Foresight
from robot.gripper import Closing
from robot.loop import DeadMan, Loop, Sensors
from robot.observation import ArmState, Observation, Views
from robot.policy import PolicyStatus
from robot.safety import HOME, LIMITS, ArmModel
from robot.tick_report import TickReport
from studio.errors import StudioError

PERIOD_S = 1 / 15


class FakeClock:
    """Time stands still until somebody waits for it; `on_wait` may see every moment that is waited for."""

    def __init__(self, now_s: float = 100.0) -> None:
        self.now_s = now_s
        self.on_wait: Callable[[float], None] = lambda _: None

    def now(self) -> float:
        return self.now_s

    def wait_until(self, deadline_s: float, wake: threading.Event | None = None) -> None:
        self.on_wait(deadline_s)
        if wake is None or not wake.is_set():
            self.now_s = max(self.now_s, deadline_s)


class StillClock(FakeClock):
    """Time stands still for whoever waits, too: until somebody wakes them."""

    def wait_until(self, deadline_s: float, wake: threading.Event | None = None) -> None:
        assert wake is not None, "nothing would end this wait"
        wake.wait()


def arm_state(
    positions: NDArray[np.float64] = HOME,
    velocities: NDArray[np.float64] | None = None,
    gripper: float = 0.0,
    measured_at_s: float = 100.0,
) -> ArmState:
    """At home and at rest, unless it is said."""
    return ArmState(measured_at_s, positions, np.zeros(7) if velocities is None else velocities, gripper)


def row_at(positions: NDArray[np.float64] = HOME, gripper: float = 0.0) -> NDArray[np.float64]:
    """float64 [8]."""
    return np.append(positions, gripper)


def views_at(captured_at_s: float) -> Views:
    """Black pictures."""
    exterior = np.zeros((180, 320, 3), np.uint8)
    return Views(captured_at_s, np.zeros((360, 640, 3), np.uint8), exterior, exterior)


class FakeArm:
    """Goes half of the way to its target every tick, and keeps what it was told."""

    def __init__(self, clock: FakeClock, model: ArmModel = "fr3") -> None:
        self._clock = clock
        self.model: ArmModel = model
        self.positions = HOME.copy()
        self.velocities = np.zeros(7)
        self.gripper = 0.0
        self.target = HOME.copy()
        self.lost = False
        self.broken = False
        self.calls: list[str] = []
        self.targets: list[NDArray[np.float64]] = []

    def state(self) -> ArmState:
        if self.lost:
            raise ArmLost("The fake arm is lost.")
        return ArmState(self._clock.now(), self.positions.copy(), self.velocities.copy(), self.gripper)

    def set_target(self, joint_positions: NDArray[np.float64], gripper_position: float) -> None:
        if self.broken:
            raise RuntimeError("a defect")
        if self.lost:
            raise ArmLost("The fake arm is lost.")
        self.calls.append("target")
        self.targets.append(np.append(joint_positions, gripper_position))
        self.target = joint_positions.copy()
        self.gripper = gripper_position

    def advance(self) -> None:
        """One tick of motion."""
        before = self.positions
        self.positions = before + 0.5 * (self.target - before)
        self.velocities = np.clip((self.positions - before) / PERIOD_S, -2.0, 2.0)

    def hold(self) -> None:
        self.calls.append("hold")
        self.target = self.positions.copy()

    def stop(self) -> None:
        self.calls.append("stop")
        self.target = self.positions.copy()
        if self.lost:
            raise ArmLost("The fake arm is lost.")

    def recover(self) -> None:
        self.calls.append("recover")

    def home(self) -> None:
        self.calls.append("home")

    def close(self) -> None:
        self.calls.append("close")


class FakeCameras:
    """Fresh black pictures, unless they are lost or frozen."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.lost = False
        self.frozen_at_s: float | None = None

    def views(self) -> Views:
        if self.lost:
            raise CameraLost("The fake cameras are lost.")
        return views_at(self._clock.now() if self.frozen_at_s is None else self.frozen_at_s)

    def close(self) -> None:
        pass


@dataclass
class Reply:
    """What a fake policy answers, and after how many seconds; `rows` of none is a question that fails."""

    after_s: float = 0.2
    rows: NDArray[np.float64] | StudioError | None = None


def stay(num_rows: int = 32) -> NDArray[np.float64]:
    """Rows at home, float64 [n, 8]."""
    return np.tile(row_at(), (num_rows, 1))


def sway(joint: int = 0, speed_rad_s: float = 0.3, num_rows: int = 32) -> NDArray[np.float64]:
    """Rows that move one joint away from home, float64 [n, 8]."""
    rows = stay(num_rows)
    rows[:, joint] += speed_rad_s * PERIOD_S * np.arange(1, num_rows + 1)
    return rows


class FakePolicy:
    """Answers by `answer(observation)`, when the clock says so."""

    def __init__(self, clock: FakeClock, answer: Callable[[Observation], Reply]) -> None:
        self._clock = clock
        self._answer = answer
        self._waiting: tuple[float, ActionChunk | StudioError] | None = None
        self.connected = True
        self.asked: list[Observation] = []

    @property
    def busy(self) -> bool:
        return self._waiting is not None

    def status(self) -> PolicyStatus:
        return PolicyStatus("ready" if self.connected else "disconnected")

    def ask(self, observation: Observation) -> None:
        assert self._waiting is None
        self.asked.append(observation)
        reply = self._answer(observation)
        due_s = self._clock.now() + reply.after_s
        if isinstance(reply.rows, StudioError):
            self._waiting = due_s, reply.rows
        elif reply.rows is not None:
            chunk = ActionChunk(observation.tick, observation.epoch, observation.state.measured_at_s, due_s, reply.rows)
            self._waiting = due_s, chunk

    def take(self) -> ActionChunk | StudioError | None:
        if self._waiting is None or self._clock.now() < self._waiting[0]:
            return None
        (_, answer), self._waiting = self._waiting, None
        return answer

    def close(self) -> None:
        pass


@dataclass
class Rig:
    """A loop under a fake clock: `tick` is one tick; everything that happened is kept."""

    answer: Callable[[Observation], Reply] = field(default=lambda _: Reply(rows=stay()))
    closing: Closing = "continuous"
    dead_man: DeadMan = field(default_factory=lambda: DeadMan(required=False))
    model: ArmModel = "fr3"
    foresight: Foresight | None = None

    def __post_init__(self) -> None:
        self.clock = FakeClock()
        self.arm = FakeArm(self.clock, self.model)
        self.cameras = FakeCameras(self.clock)
        self.policy = FakePolicy(self.clock, self.answer)
        self.reports: list[TickReport] = []
        self.loop = Loop(
            self.arm,
            Sensors(self.arm, self.cameras, self.clock),
            self.policy,
            self.clock,
            dead_man=self.dead_man,
            listeners=[self.reports.append],
            closing=self.closing,
            foresight=self.foresight,
        )
        self.number = -1
        self.limits = LIMITS[self.model]

    @property
    def state(self) -> str:
        return self.loop.view.state

    def tick(self, num_ticks: int = 1) -> TickReport:
        """So many ticks; the last one's report."""
        for _ in range(num_ticks):
            self.number += 1
            self.clock.now_s += PERIOD_S
            self.loop.run_tick(Tick(self.number, self.clock.now_s, self.clock.now_s))
            self.arm.advance()
        return self.reports[-1]

    def seconds(self, seconds: float) -> TickReport:
        return self.tick(max(1, round(seconds * 15)))

    def tell(self, command: LoopCommand) -> Future[None]:
        done = self.loop.tell(command)
        self.tick()
        return done

    def start(self, run: Run | None = None, rows: NDArray[np.float64] | None = None) -> None:
        """Ready, and running."""
        if self.state == "idle":
            self.tell(Ready()).result(0)
        run = run or Run(prompt="stay")
        self.tell(Start(run=run) if rows is None else Replay(run, rows)).result(0)

    def codes(self) -> list[str]:
        """Of every event so far."""
        return [event.code for report in self.reports for event in report.events]

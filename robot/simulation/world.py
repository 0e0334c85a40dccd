"""The simulated world in time: stepped by hand, or on a thread of its own that keeps up with the clock.

What a thread outside reads is a snapshot that was swapped in whole, and what it orders is swapped in whole too: neither
ever waits for the steps in hand. Only a reset does.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robot.clock import Clock, MonotonicClock
from robot.objects import ObjectPose
from robot.observation import ArmState
from robot.safety.limits import HOME
from robot.simulation.physics import Physics, Snapshot
from robot.simulation.scene import STEP_S, Scene, build_scene
from studio.errors import BadInput

WAKE_PERIOD_S = 0.004
"""Two steps at a time: a target waits no longer than this before it pulls."""

MAX_LAG_S = 0.1
"""A world that fell further behind than this lets the time go: it runs slow rather than leaps. Until its thread gets
to that it stands still, so that its newest state is never older than this, however long the machine kept it waiting."""

PARKED_PERIOD_S = 0.1
"""How often a parked world looks whether it is still parked."""

HOME_SPEED = 0.4
"""rad/s of the fastest joint on the way home."""

_AT_HOME_RAD = 0.03


@dataclass(frozen=True)
class _Aim:
    joint_positions: NDArray[np.float64]
    gripper_position: float


@dataclass(frozen=True)
class _GoHome:
    arrived: threading.Event = field(default_factory=threading.Event)
    gripper_position: float = 0.0


class World:
    """A table, an arm and time.

    Args:
        scene: what is in it; without one, the best that this machine has.
        seed: of the first table.
        assets: folder of the arm's meshes, for the scene.
        clock: whose seconds its states carry.
    """

    def __init__(
        self, scene: Scene | None = None, *, seed: int = 0, assets: Path | None = None, clock: Clock | None = None
    ) -> None:
        self.scene = scene or build_scene(assets)
        self._physics = Physics(self.scene, seed)
        self._clock = clock or MonotonicClock()
        self._lock = threading.Lock()
        self._began_s = self._clock.now()
        self._num_steps = 0
        self._due_s = 0.0
        self._order: _Aim | _GoHome = _Aim(HOME, 0.0)
        self._obeyed = self._order
        self._walked_to = HOME
        self._closing = threading.Event()
        self._awake = threading.Event()
        self._awake.set()
        self._thread: threading.Thread | None = None
        self._lost_s = 0.0
        self._caught_up_s = self._began_s
        self._publish()

    @property
    def seed(self) -> int:
        """Of the table as it is."""
        return self._physics.seed

    @property
    def is_steady(self) -> bool:
        """Whether the simulation still makes sense."""
        return self._physics.is_steady

    @property
    def is_running(self) -> bool:
        """Whether a thread keeps it up with the clock."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def was_started(self) -> bool:
        """Whether it was to be kept up with the clock by a thread, even if that thread died."""
        return self._thread is not None

    def snapshot(self) -> Snapshot:
        """The newest; what a picture is drawn from."""
        return self._snapshot

    @property
    def waiting_s(self) -> float:
        """For how long its thread has not come to simulate anything; 0 where it has none."""
        return self._clock.now() - self._caught_up_s if self._thread is not None else 0.0

    def moment_s(self, snapshot: Snapshot) -> float:
        """When a snapshot was, in the clock's seconds; the time that will be let go is left out."""
        moment_s = self._began_s + self._lost_s + snapshot.time_s
        if not self.is_running or snapshot is not self._snapshot:
            return moment_s
        return max(moment_s, self._clock.now() - MAX_LAG_S)

    def state(self) -> ArmState:
        """The arm, newest."""
        snapshot = self._snapshot
        return ArmState(
            measured_at_s=self.moment_s(snapshot),
            joint_positions=snapshot.joint_positions.copy(),
            joint_velocities=snapshot.joint_velocities.copy(),
            gripper_position=snapshot.gripper_position,
        )

    def object_poses(self) -> tuple[ObjectPose, ...]:
        """Where the things are, newest: what a scripted policy is told and a trained one must see."""
        return self._object_poses

    def park(self) -> None:
        """Let time stand still and cost nothing, until it is woken or the arm is told to move."""
        self._awake.clear()

    def wake(self) -> None:
        """Let time go on; what passed meanwhile is let go."""
        self._awake.set()

    def aim(self, joint_positions: NDArray[np.float64], gripper_position: float) -> None:
        """Pull the arm there from now on: [7] rad, and 0 open to 1 closed."""
        self._order = _Aim(joint_positions.copy(), gripper_position)
        self.wake()

    def rest(self) -> None:
        """Pull the arm to where it is; the gripper keeps what it holds."""
        self._order = _Aim(self._snapshot.joint_positions, self._order.gripper_position)

    def go_home(self) -> threading.Event:
        """Open the gripper and move home slowly.

        Returns:
            What is set when the arm is there; another target before that leaves it unset.
        """
        self._order = order = _GoHome()
        self.wake()
        return order.arrived

    def reset(self, seed: int) -> None:
        """A new table, and the arm at home at once.

        Raises:
            BadInput: a seed below 0, which no table has.
        """
        if seed < 0:
            raise BadInput(f"The seed is {seed}; expected a whole number, 0 or more.", param="seed")
        with self._lock:
            self._order = self._obeyed = _Aim(HOME, 0.0)
            self._physics.reset(seed)
            self._publish()

    def push(self, thing: int, by_m: tuple[float, float]) -> None:
        """Move a thing over the table at once, as a hand would: its index, and metres along x and y."""
        with self._lock:
            self._physics.push(thing, by_m)
            self._publish()

    def advance(self, duration_s: float) -> None:
        """Simulate so long, now, however fast the machine is; parts of a step are carried over to the next call."""
        assert not self.is_running, "a running world keeps its own time"
        self._due_s += duration_s
        self._step_to(int(self._due_s / STEP_S + 1e-9))

    def catch_up(self) -> None:
        """Simulate until the clock's now; what is further than ``MAX_LAG_S`` away is let go."""
        behind_s = self._clock.now() - self._began_s - self._lost_s - self._num_steps * STEP_S
        if behind_s > MAX_LAG_S:
            self._lost_s += behind_s - MAX_LAG_S
            behind_s = MAX_LAG_S
        self._step_to(self._num_steps + int(behind_s / STEP_S + 1e-9))
        self._caught_up_s = self._clock.now()

    def start(self) -> None:
        """Keep up with the clock on a thread of its own, until closed."""
        assert self._thread is None, "a world is started once"
        self._caught_up_s = self._clock.now()
        self._began_s = self._caught_up_s - self._num_steps * STEP_S - self._lost_s
        self._thread = threading.Thread(target=self._keep_up, name="simulated-world", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        self.wake()
        if self._thread is not None:
            self._thread.join(timeout=5.0)

    def _keep_up(self) -> None:
        while not self._closing.is_set():
            if self._awake.is_set():
                self.catch_up()
                self._clock.wait_until(self._clock.now() + WAKE_PERIOD_S, self._closing)
            else:
                self._caught_up_s = self._clock.now()
                self._clock.wait_until(self._caught_up_s + PARKED_PERIOD_S, self._awake)

    def _step_to(self, num_steps: int) -> None:
        with self._lock:
            if num_steps <= self._num_steps:
                return
            # A world that lost its balance stands still until it is reset.
            while self._num_steps < num_steps and self._physics.is_steady:
                self._obey()
                self._physics.step()
                self._num_steps += 1
            self._publish()

    def _obey(self) -> None:
        """The newest order, before every step."""
        order = self._order
        is_new = order is not self._obeyed
        self._obeyed = order
        if isinstance(order, _GoHome):
            self._walk_home(order, self._physics.snapshot().joint_positions if is_new else self._walked_to)
        elif is_new:
            self._physics.aim(order.joint_positions, order.gripper_position)

    def _walk_home(self, order: _GoHome, walked_to: NDArray[np.float64]) -> None:
        """Move the target one step nearer to home; the last stretch is the arm's own lag."""
        left = HOME - walked_to
        farthest = float(np.abs(left).max())
        step = HOME_SPEED * STEP_S
        self._walked_to = HOME if farthest <= step else walked_to + left * (step / farthest)
        self._physics.aim(self._walked_to, order.gripper_position)
        if self._walked_to is HOME and self._physics.is_near(HOME, _AT_HOME_RAD):
            order.arrived.set()

    def _publish(self) -> None:
        self._snapshot = self._physics.snapshot()
        self._object_poses = self._physics.object_poses()

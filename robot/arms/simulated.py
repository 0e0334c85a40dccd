"""The simulated arm: what the loop needs, said to a simulated world."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from robot.faults import ArmLost
from robot.observation import ArmState
from robot.safety.limits import ArmModel
from robot.simulation.world import World

HUNG_AFTER_S = 5.0
"""A busy machine may keep the world's thread waiting, and the world stands still meanwhile, its arm with it: no arm is
lost by that. One that never gets on is."""

HOME_TIMEOUT_S = 20.0
_HOME_STEP_S = 0.1


class SimulatedArm:
    """An `Arm`. A world that runs is moved by its own thread; one that is stepped by hand moves only when stepped.

    Args:
        world: started or closed by whoever made it.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._taking_targets = threading.Event()
        self._taking_targets.set()

    @property
    def model(self) -> ArmModel:
        """The meshes and the limits are the Panda's."""
        return "panda"

    def state(self) -> ArmState:
        """The newest measurement.

        Raises:
            ArmLost: the world ended, got on no more for seconds, or lost its balance.
        """
        state = self._world.state()
        if not self._world.is_steady:
            raise ArmLost("The simulated world became unstable.", hint="Reset the scene.")
        if self._world.was_started and not self._world.is_running:
            raise ArmLost("The simulated world has ended.", hint="Restart the robot program.")
        if self._world.waiting_s > HUNG_AFTER_S:
            raise ArmLost(
                f"The simulated world has stood still for {self._world.waiting_s:.1f} s.",
                hint="The machine may be overloaded. If not, restart the robot program.",
            )
        return state

    def set_target(self, joint_positions: NDArray[np.float64], gripper_position: float) -> None:
        """Go there, starting now. After a stop, targets that were already on their way are let go."""
        if self._taking_targets.is_set():
            self._world.aim(joint_positions, gripper_position)

    def hold(self) -> None:
        """Come to rest where it is; what the gripper holds stays held."""
        self._world.rest()

    def stop(self) -> None:
        """Rest, and take no target until `recover`."""
        self._taking_targets.clear()
        self._world.rest()

    def recover(self) -> None:
        """Take targets again, from where the arm is."""
        self._world.rest()
        self._taking_targets.set()

    def home(self) -> None:
        """Open the gripper and move slowly to the start pose.

        Raises:
            ArmLost: it did not arrive within ``HOME_TIMEOUT_S``, or something else moved it meanwhile.
        """
        arrived = self._world.go_home()
        if self._world.was_started:
            arrived.wait(HOME_TIMEOUT_S)
        else:
            for _ in range(round(HOME_TIMEOUT_S / _HOME_STEP_S)):
                if arrived.is_set():
                    break
                self._world.advance(_HOME_STEP_S)
        if not arrived.is_set():
            raise ArmLost(
                f"The simulated arm did not reach its home position within {HOME_TIMEOUT_S:.0f} s.",
                hint="Reset the scene.",
            )

    def close(self) -> None:
        """Let go of the arm; the world belongs to whoever made it."""
        self.stop()

"""The arm's state and the cameras' pictures of one moment, and whether they are fresh enough to act on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from robot.arms import Arm
from robot.cameras import Cameras
from robot.clock import Clock
from robot.faults import ArmLost, CameraLost
from robot.objects import ObjectPose
from robot.observation import ArmState, Views

MAX_STATE_AGE_S = 0.25
"""A Franka that lost its link still says that it is in control; only its state stops advancing."""

MAX_VIEW_AGE_S = 1.0


def no_objects() -> Sequence[ObjectPose]:
    """Where a world does not tell what is in it."""
    return ()


@dataclass(frozen=True)
class Sensed:
    """What was seen; none where it was lost, and then the reason."""

    state: ArmState | None = None
    views: Views | None = None
    arm_lost: ArmLost | None = None
    camera_lost: CameraLost | None = None


class Sensors:
    """Of one arm.

    Args:
        objects: known poses, where a simulated world tells them.
    """

    def __init__(
        self, arm: Arm, cameras: Cameras, clock: Clock, objects: Callable[[], Sequence[ObjectPose]] = no_objects
    ) -> None:
        self._arm = arm
        self._cameras = cameras
        self._clock = clock
        self.objects = objects

    def read(self) -> Sensed:
        """Everything, now; never raises for what is lost."""
        state, views, arm_lost, camera_lost = None, None, None, None
        try:
            state = self._fresh_state()
        except ArmLost as error:
            arm_lost = error
        try:
            views = self._fresh_views()
        except CameraLost as error:
            camera_lost = error
        return Sensed(state, views, arm_lost, camera_lost)

    def _fresh_state(self) -> ArmState:
        state = self._arm.state()
        age_s = self._clock.now() - state.measured_at_s
        if age_s > MAX_STATE_AGE_S:
            raise ArmLost(f"The arm's last state is {age_s:.2f} s old.", hint="Check that it is on and connected.")
        return state

    def _fresh_views(self) -> Views:
        views = self._cameras.views()
        age_s = self._clock.now() - views.captured_at_s
        if age_s > MAX_VIEW_AGE_S:
            raise CameraLost(
                f"The newest images are {age_s:.1f} s old.", hint="Check whether a camera is unplugged or frozen."
            )
        return views

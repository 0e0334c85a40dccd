"""What is seen and felt at one moment: what a policy is asked about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from robot.objects import ObjectPose

NUM_JOINTS = 7

ROW_WIDTH = NUM_JOINTS + 1
"""One action: seven absolute joint positions in rad and the gripper, 0 open to 1 closed."""

ROWS_PER_SECOND = 15
"""The rate that the policy was trained at (NVIDIA's cosmos-framework, `action_policy_server_robolab.py`)."""

WRIST_SIZE = (640, 360)
EXTERIOR_SIZE = (320, 180)
"""(width, height) of the views in the canvas that the policy sees."""


@dataclass(frozen=True)
class ArmState:
    """What an arm says of itself.

    Attributes:
        measured_at_s: seconds of the monotonic clock.
        joint_positions: float64 [7], rad.
        joint_velocities: float64 [7], rad/s.
        gripper_position: 0 open to 1 closed.
    """

    measured_at_s: float
    joint_positions: NDArray[np.float64]
    joint_velocities: NDArray[np.float64]
    gripper_position: float


@dataclass(frozen=True)
class Views:
    """The three cameras at one moment, RGB.

    Attributes:
        captured_at_s: seconds of the monotonic clock; of the oldest of the three.
        wrist: uint8 [360, 640, 3].
        exterior_1, exterior_2: uint8 [180, 320, 3].
    """

    captured_at_s: float
    wrist: NDArray[np.uint8]
    exterior_1: NDArray[np.uint8]
    exterior_2: NDArray[np.uint8]

    def canvas(self) -> NDArray[np.uint8]:
        """uint8 [540, 640, 3]: the wrist on top, below it the exteriors side by side."""
        return np.vstack([self.wrist, np.hstack([self.exterior_1, self.exterior_2])])


@dataclass(frozen=True)
class Observation:
    """One question to the policy.

    Attributes:
        tick: the loop's tick at which it was taken; a reply is spliced by it.
        epoch: of the run; a stop begins a new one, and replies of an old one are dropped.
        prompt: what to do, in words.
        idle_frames: see `robot.commands.Run`.
        objects: things whose places are known: those of a simulated world; none beside a real arm.
    """

    tick: int
    epoch: int
    state: ArmState
    views: Views
    prompt: str
    objects: tuple[ObjectPose, ...] = ()
    idle_frames: int | None = None


def letterbox(image: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """A picture of another size, its shape kept: as large as fits, bilinear, in the middle of black.

    This is what openpi-client's `image_tools.resize_with_pad` makes, which openpi's policies were trained with.

    Returns:
        uint8 [height, width, 3]; a picture of that size already comes back as it is.
    """
    if image.shape[:2] == (height, width):
        return image
    ratio = max(image.shape[1] / width, image.shape[0] / height)
    size = (int(image.shape[1] / ratio), int(image.shape[0] / ratio))
    resized = np.asarray(Image.fromarray(image).resize(size, Image.Resampling.BILINEAR))
    top, left = (height - size[1]) // 2, (width - size[0]) // 2
    boxed = np.zeros((height, width, 3), np.uint8)
    boxed[top : top + size[1], left : left + size[0]] = resized
    return boxed

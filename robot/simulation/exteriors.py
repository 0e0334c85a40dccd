"""The two exterior cameras, where RoboLab has them (NVlabs/RoboLab, DROID embodiment), and what they see where."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot.kinematics import axes_of
from robot.observation import EXTERIOR_SIZE

SENSOR_HEIGHT_MM, FOCAL_LENGTH_MM = 3.024, 2.1

FOVY_DEGREES = math.degrees(2 * math.atan(SENSOR_HEIGHT_MM / 2 / FOCAL_LENGTH_MM))


@dataclass(frozen=True)
class Exterior:
    """A camera that stands still.

    Attributes:
        position: m, in the frame of the arm's base.
        quaternion: w x y z; it looks along its own -z, x to the right and y up.
    """

    position: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Places [..., 3] in m → pixels [..., 2], right and down, of its picture of ``EXTERIOR_SIZE``.

        Not a number where nothing is, or behind the camera.
        """
        seen = (points - np.array(self.position)) @ axes_of(self.quaternion)
        depth = -seen[..., 2:]
        width, height = EXTERIOR_SIZE
        pixels_per_unit = height * FOCAL_LENGTH_MM / SENSOR_HEIGHT_MM
        flat = np.where(depth > 0, seen[..., :2] / depth, np.nan)
        return np.array([width / 2, height / 2]) + pixels_per_unit * flat * [1.0, -1.0]


EXTERIORS = (
    Exterior((0.05, 0.57, 0.66), (-0.393, -0.195, 0.399, 0.805)),
    Exterior((0.05, -0.57, 0.66), (0.805, 0.399, -0.195, -0.393)),
)
"""Left and right of the arm's base."""

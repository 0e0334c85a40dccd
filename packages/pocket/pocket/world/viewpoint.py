"""Where the free camera stands, and how it moves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import View

FIELD_OF_VIEW = 45.0
"""Degrees, upright."""

MOTIONS: dict[str, tuple[float, float, float]] = {
    "static": (0.0, 0.0, 0.0),
    "slow orbit to the left": (-0.12, 0.0, 0.0),
    "slow orbit to the right": (0.12, 0.0, 0.0),
    "slow push in": (0.0, 0.0, -0.07),
    "slow pull back": (0.0, 0.0, 0.07),
    "slow rise": (0.0, -0.1, 0.0),
}
"""rad/s of azimuth and elevation, m/s of distance. An orbit to the left moves the camera to its own left."""


@dataclass(frozen=True)
class Viewpoint:
    """A camera that looks at a place.

    Attributes:
        target: float64 [3], m.
        distance: m.
        azimuth, elevation: rad of the way it looks: azimuth pi looks towards the arm's base, elevation -pi / 2 down.
        motion: a name of ``MOTIONS``.
    """

    target: NDArray[np.float64]
    distance: float
    azimuth: float
    elevation: float
    motion: str = "static"

    def after(self, time_s: float) -> Viewpoint:
        """Where it is some time later."""
        turns, rises, nears = MOTIONS[self.motion]
        return replace(
            self,
            azimuth=self.azimuth + turns * time_s,
            elevation=self.elevation + rises * time_s,
            distance=self.distance + nears * time_s,
        )

    @property
    def forward(self) -> NDArray[np.float64]:
        """float64 [3], a unit vector."""
        level = np.cos(self.elevation)
        return np.array([level * np.cos(self.azimuth), level * np.sin(self.azimuth), np.sin(self.elevation)])

    @property
    def from_world(self) -> NDArray[np.float64]:
        """float64 [4, 4]: world to camera, x right, y down, z forward."""
        forward = self.forward
        right = np.cross(forward, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        rows = np.stack([right, np.cross(forward, right), forward])
        eye = self.target - self.distance * forward
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = rows, -rows @ eye
        return matrix


def intrinsics(size: tuple[int, int]) -> NDArray[np.float64]:
    """float64 [3, 3] of a picture (width, height), pixels."""
    width, height = size
    focal = height / 2 / np.tan(np.radians(FIELD_OF_VIEW) / 2)
    return np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])


def choose_viewpoint(
    view: View, middle: NDArray[np.float64], spread_m: float, generator: np.random.Generator
) -> Viewpoint:
    """A camera opposite the arm that has the things in its picture.

    Args:
        middle: [2], m, of the things.
        spread_m: from there to the outside of the farthest.
    """
    is_still = view == "still"
    azimuth = float(np.pi + np.clip(generator.normal(0, 0.35), -0.8, 0.8))
    spread_m += 0.025 if is_still else 0.05
    half_field = np.tan(np.radians(FIELD_OF_VIEW) / 2)
    # A clip leaves room for what is lifted; a still may have much room on one side: things lie left and right, too.
    distance = max(spread_m / half_field, 0.34 if is_still else 0.46)
    distance *= generator.uniform(1.0, 1.45 if is_still else 1.2)
    room_m = max(0.0, distance * half_field - spread_m) * (0.95 if is_still else 0.4)
    ahead = np.array([np.cos(azimuth), np.sin(azimuth)])
    across = np.array([ahead[1], -ahead[0]])
    moved = generator.uniform(-room_m, room_m) * across + generator.uniform(-room_m, room_m) * 0.7 * ahead
    motion = "static"
    if view == "clip" and generator.random() < 0.35:
        motion = str(generator.choice(list(MOTIONS)[1:]))
    return Viewpoint(
        target=np.array([*(middle + moved), 0.03 if is_still else 0.07]),
        distance=float(distance),
        azimuth=azimuth,
        elevation=float(-generator.uniform(0.5, 0.95)),
        motion=motion,
    )

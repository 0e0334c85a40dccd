"""The three cameras of the simulated table, where RoboLab has them, and where they see the hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.panda.kinematics import PINCH_FROM_HOUSING_M, axes_of, locate_hand

SENSOR_HEIGHT_MM, FOCAL_LENGTH_MM = 3.024, 2.1
WRIST_FOCAL_LENGTH_MM = 2.8
"""Of RoboLab's wrist camera (NVlabs/RoboLab, DROID embodiment)."""

FOVY_DEGREES = math.degrees(2 * math.atan(SENSOR_HEIGHT_MM / 2 / FOCAL_LENGTH_MM))
WRIST_FOVY_DEGREES = math.degrees(2 * math.atan(SENSOR_HEIGHT_MM / 2 / WRIST_FOCAL_LENGTH_MM))

Size = tuple[int, int]
Path = tuple[tuple[float, float], ...]
"""Pixels, right and down."""

WRIST_SIZE: Size = (640, 360)
EXTERIOR_SIZE: Size = (320, 180)
"""(width, height) of the views in the canvas that robots send: the wrist's on top, both exteriors' below it."""

WRIST_EYE = (0.075, 0.0, 0.03)
WRIST_TARGET = (0.0, 0.0, 0.18)
"""m in the frame of the gripper's housing, which has the axes of the hand; the camera's upper edge is towards its x."""


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
        return _pixels(seen, EXTERIOR_SIZE, FOCAL_LENGTH_MM)


EXTERIORS = (
    Exterior((0.05, 0.57, 0.66), (-0.393, -0.195, 0.399, 0.805)),
    Exterior((0.05, -0.57, 0.66), (0.805, 0.399, -0.195, -0.393)),
)
"""Left and right of the arm's base."""


def project_wrist(points: NDArray[np.float64], joints: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places [..., 3] in m → pixels [..., 2] of the wrist's picture of ``WRIST_SIZE``; see `Exterior.project`.

    Args:
        joints: [7], rad, while the picture was taken.
    """
    pinch, hand, _ = locate_hand(joints)
    housing = pinch - PINCH_FROM_HOUSING_M * hand[:, 2]
    backward = np.array(WRIST_EYE) - np.array(WRIST_TARGET)
    backward /= np.linalg.norm(backward)
    right = np.cross([1.0, 0.0, 0.0], backward)
    right /= np.linalg.norm(right)
    camera = hand @ np.stack([right, np.cross(backward, right), backward], axis=1)
    seen = (points - housing - hand @ np.array(WRIST_EYE)) @ camera
    return _pixels(seen, WRIST_SIZE, WRIST_FOCAL_LENGTH_MM)


def hand_paths(state: Sequence[float], rows: Sequence[Sequence[float]]) -> tuple[Path, ...]:
    """Where the cameras, as they are now, would see the place between the pads while rows are played.

    Args:
        state: the joints now, rad; what follows the first seven is not looked at.
        rows: of absolute joint positions, likewise.

    Returns:
        Of the wrist's view, exterior 1's and exterior 2's: pixels of the canvas of 640 x 540, now and after each row.
        What lies outside of a view is left out, which joins the places before and after it.
    """
    joints = np.array([state[:7], *(row[:7] for row in rows)], np.float64)
    places = np.array([locate_hand(one)[0] for one in joints])
    seen = (project_wrist(places, joints[0]), *(camera.project(places) for camera in EXTERIORS))
    corners = ((0, 0), (0, WRIST_SIZE[1]), (EXTERIOR_SIZE[0], WRIST_SIZE[1]))
    return tuple(
        _inside(pixels, size, corner)
        for pixels, size, corner in zip(seen, (WRIST_SIZE, EXTERIOR_SIZE, EXTERIOR_SIZE), corners, strict=True)
    )


def _pixels(seen: NDArray[np.float64], size: Size, focal_length_mm: float) -> NDArray[np.float64]:
    """Places in a camera's own frame, [..., 3] in m → pixels [..., 2] of its picture."""
    depth = -seen[..., 2:]
    pixels_per_unit = size[1] * focal_length_mm / SENSOR_HEIGHT_MM
    flat = np.divide(seen[..., :2], depth, out=np.full(seen[..., :2].shape, np.nan), where=depth > 0)
    return np.array(size) / 2 + pixels_per_unit * flat * [1.0, -1.0]


def _inside(pixels: NDArray[np.float64], size: Size, corner: tuple[int, int]) -> Path:
    with np.errstate(invalid="ignore"):
        kept = pixels[((pixels >= 0) & (pixels <= size)).all(axis=1)] + corner
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in kept)

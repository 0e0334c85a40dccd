"""Depth and segmentation as pictures, as the transfer mode is given them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import ARM_ID, FIRST_THING_ID, GRIPPER_ID, ROOM_ID, TABLE_ID

NEAREST_M = 0.25

_PARTS = {ROOM_ID: (40, 40, 48), TABLE_ID: (110, 110, 110), ARM_ID: (230, 230, 230), GRIPPER_ID: (160, 160, 200)}
_THINGS = (
    (235, 80, 80),
    (80, 200, 120),
    (90, 130, 245),
    (240, 200, 70),
    (190, 90, 220),
    (70, 210, 220),
    (245, 140, 60),
    (150, 160, 60),
)


def depth_pictures(depth: NDArray[np.float16]) -> NDArray[np.uint8]:
    """Near is white, by inverse depth, on one scale for the whole clip.

    Args:
        depth: [T, H, W], m, 0 where nothing is.

    Returns:
        uint8 [T, H, W, 3].
    """
    metres = depth.astype(np.float32)
    inverse = np.where(metres > 0, 1 / np.maximum(metres, NEAREST_M), 0.0)
    high = float(inverse.max()) or 1.0
    seen = inverse[inverse > 0]
    low = float(seen.min()) if len(seen) else 0.0
    grey = np.clip((inverse - low) / max(high - low, 1e-6), 0, 1) * 255
    return np.repeat(grey.astype(np.uint8)[..., None], 3, axis=-1)


def segmentation_pictures(segmentation: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """One colour for each part, which is not the thing's own.

    Args:
        segmentation: [T, H, W].

    Returns:
        uint8 [T, H, W, 3].
    """
    palette = np.zeros((256, 3), np.uint8)
    for part, colour in _PARTS.items():
        palette[part] = colour
    for index in range(256 - FIRST_THING_ID):
        palette[FIRST_THING_ID + index] = _THINGS[index % len(_THINGS)]
    return palette[segmentation]

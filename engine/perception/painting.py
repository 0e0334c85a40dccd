"""Depth and objects as the controls of a transfer, painted frame by frame.

How they look is known of Cosmos-Transfer; Cosmos 3 names the same controls, and its report says no more about them.

Depth is grey, the nearer the brighter, from the farthest to the nearest point of the whole video: so
`DepthAnythingModel` of cosmos-transfer1 writes it (`cosmos_transfer1/auxiliary/depth_anything`).
Objects are areas of one colour each on black, which they keep through the video, the smaller painted over the larger:
so `segmentation_color_mask` of cosmos-transfer1 and cosmos-transfer2.5 paints them. In training the colours were drawn
at random, so none of them means anything.
"""

from __future__ import annotations

import colorsys
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from engine.perception.depth import DepthModel
from engine.perception.objects import MAX_OBJECTS, Following, Masks, ObjectModel
from studio.requests.transfer_video import PerceivedHint

GOLDEN_TURN = 0.618034
"""Of the colour circle between two objects: neighbours in size are far apart, and no two of 24 are alike."""

Frame = NDArray[np.uint8]


class Painter(Protocol):
    """Makes one control of one video."""

    def paint(self, place: Frame, frame: Frame) -> None:
        """Put the control of the video's next frame in its place; both uint8 [height, width, 3]."""
        ...

    def finish(self, room: NDArray[np.uint8]) -> None:
        """Complete all frames that were painted, uint8 [frames, height, width, 3], in place."""
        ...


def painter_of(hint: PerceivedHint, folder: Path, device: torch.device) -> Painter:
    """Who paints a control, with the model in a pulled folder. Raises BrokenCheckpoint."""
    match hint:
        case "depth":
            return DepthPainter(DepthModel.load(folder, device))
        case "seg":
            return ObjectPainter(ObjectModel.load(folder, device))


class DepthPainter:
    """Which grey a depth is, only the whole video says. Until then two of a pixel's three bytes hold it as float16."""

    def __init__(self, model: DepthModel) -> None:
        self._model = model
        self._near, self._far = -np.inf, np.inf

    def paint(self, place: Frame, frame: Frame) -> None:
        """See `Painter`."""
        depth = self._model.estimate(frame).astype(np.float16)
        self._near, self._far = max(self._near, float(depth.max())), min(self._far, float(depth.min()))
        place.reshape(-1)[: 2 * depth.size] = depth.reshape(-1).view(np.uint8)

    def finish(self, room: NDArray[np.uint8]) -> None:
        """See `Painter`."""
        for place in room:
            height, width = place.shape[:2]
            depth = place.reshape(-1)[: 2 * height * width].copy().view(np.float16).reshape(height, width)
            place[:] = grey(depth.astype(np.float32), self._far, self._near)[..., None]


class ObjectPainter:
    """Follows the objects of the first frame."""

    def __init__(self, model: ObjectModel) -> None:
        self._model = model
        self._following: Following | None = None

    def paint(self, place: Frame, frame: Frame) -> None:
        """See `Painter`."""
        if self._following is None:
            self._following = self._model.follow(self._model.find(frame))
        place[:] = coloured(self._following.next(frame))

    def finish(self, room: NDArray[np.uint8]) -> None:
        """Nothing: every frame is complete."""


def grey(depth: NDArray[np.float32], far: float, near: float) -> NDArray[np.uint8]:
    """Inverse depth as grey, uint8 of the same shape: 0 at `far`, 255 at `near`; all 0 where they are the same."""
    span = near - far
    return np.zeros(depth.shape, np.uint8) if span <= 0 else ((depth - far) / span * 255).round().astype(np.uint8)


def coloured(masks: Masks) -> Frame:
    """Objects in their colours on black.

    Args:
        masks: bool [N, height, width], the largest of the first frame first.

    Returns:
        uint8 [height, width, 3].
    """
    painted = np.zeros((*masks.shape[1:], 3), np.uint8)
    for mask, colour in zip(masks, COLOURS, strict=False):
        painted[mask] = colour
    return painted


def _colour(place: int) -> tuple[int, int, int]:
    red, green, blue = colorsys.hsv_to_rgb(place * GOLDEN_TURN % 1, (1.0, 0.6)[place % 2], (1.0, 0.75)[place // 2 % 2])
    return round(red * 255), round(green * 255), round(blue * 255)


COLOURS = tuple(_colour(place) for place in range(MAX_OBJECTS))
"""RGB, none near black, for saturation and brightness stay within what the training drew."""

"""Three cameras to the one picture that the policy sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.policy.contract import CANVAS_SIZE, EXTERIOR_SIZE, WRIST_SIZE
from studio.errors import BadInput
from studio.requests import shown

CANVAS_FIELD = "observation/image"
WRIST_FIELD = "observation/wrist_image_left"
MIN_SIDE, MAX_SIDE = 16, 4096

SHAPE_TOLERANCE = 0.01
"""By how much a canvas may be wider or narrower than ours: rounding, and not another arrangement."""

Picture = NDArray[np.uint8]


def read_canvas(fields: Mapping[str, Any]) -> Picture:
    """The canvas of a question, uint8 [540, 640, 3]: as it came, or put together from the three views.

    Exterior cameras are counted from 1 (openpi, NVIDIA) or, where a 0 is among them, from 0 (RoboArena). A view of
    another shape keeps that and is bordered with black, as openpi's and RoboLab's clients do it.

    Raises:
        BadInput: a view is missing, or is no picture; a canvas has another shape.
    """
    if CANVAS_FIELD in fields:
        return _canvas(_picture(fields, CANVAS_FIELD))
    first = 0 if "observation/exterior_image_0_left" in fields else 1
    names = (WRIST_FIELD, *(f"observation/exterior_image_{index}_left" for index in (first, first + 1)))
    missing = [name for name in names if name not in fields]
    if missing:
        raise BadInput(
            f"{missing[0]} is missing.",
            param=missing[0],
            hint=f"The policy sees three cameras: send {', '.join(names)}, or the finished canvas as {CANVAS_FIELD}.",
        )
    wrist, left, right = (_picture(fields, name) for name in names)
    below = np.hstack([_letterbox(view, EXTERIOR_SIZE) for view in (left, right)])
    return np.vstack([_letterbox(wrist, WRIST_SIZE), below])


def _canvas(picture: Picture) -> Picture:
    height, width = picture.shape[:2]
    if (width, height) == CANVAS_SIZE:
        return picture
    if abs(width / height / (CANVAS_SIZE[0] / CANVAS_SIZE[1]) - 1) > SHAPE_TOLERANCE:
        raise BadInput(
            f"{CANVAS_FIELD} is {width}x{height}; the canvas is {CANVAS_SIZE[0]}x{CANVAS_SIZE[1]}, or of that shape.",
            param=CANVAS_FIELD,
            hint="The wrist's view (640x360) lies above, the exterior ones (320x180 each) side by side below it.",
        )
    return _resized(picture, CANVAS_SIZE)


def _picture(fields: Mapping[str, Any], name: str) -> Picture:
    value = fields[name]
    if not isinstance(value, np.ndarray):
        raise BadInput(f"{name} is {shown(value)}; an array is expected.", param=name)
    array = cast("NDArray[Any]", value)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
        raise BadInput(
            f"{name} is {array.dtype} of shape {list(array.shape)}; uint8 [height, width, 3] is expected.", param=name
        )
    height, width = array.shape[:2]
    if not (MIN_SIDE <= height <= MAX_SIDE and MIN_SIDE <= width <= MAX_SIDE):
        raise BadInput(f"{name} is {width}x{height}; {MIN_SIDE} to {MAX_SIDE} pixels a side are expected.", param=name)
    return cast(Picture, array)


def _letterbox(picture: Picture, size: tuple[int, int]) -> Picture:
    """Shrunk or enlarged until it touches, the rest black: 640x480 in 640x360 is 480x360 between two black bars."""
    (height, width), (room_x, room_y) = picture.shape[:2], size
    scale = min(room_x / width, room_y / height)
    inner = (min(room_x, max(1, round(width * scale))), min(room_y, max(1, round(height * scale))))
    placed = _resized(picture, inner)
    if inner == size:
        return placed
    framed = np.zeros((room_y, room_x, 3), np.uint8)
    left, top = (room_x - inner[0]) // 2, (room_y - inner[1]) // 2
    framed[top : top + inner[1], left : left + inner[0]] = placed
    return framed


def _resized(picture: Picture, size: tuple[int, int]) -> Picture:
    if (picture.shape[1], picture.shape[0]) == size:
        return picture
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR))

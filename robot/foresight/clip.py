"""One chunk's foreseen frames, as canvases: frame 0 is what it was asked about, frame i is after row i."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from robot.chunk import MAX_ROWS
from robot.faults import PolicyLost
from robot.observation import EXTERIOR_SIZE, WRIST_SIZE
from studio.errors import BadInput
from studio.wire.arrays import unpack_message

Rectangle = tuple[int, int, int, int]
"""Left, top, width and height in the canvas, pixels."""

CANVAS_SIZE = (WRIST_SIZE[0], WRIST_SIZE[1] + EXTERIOR_SIZE[1])
"""(width, height), 640 x 540: see `Views.canvas`."""

WHOLE_VIEWS: tuple[Rectangle, Rectangle, Rectangle] = (
    (0, 0, *WRIST_SIZE),
    (0, WRIST_SIZE[1], *EXTERIOR_SIZE),
    (EXTERIOR_SIZE[0], WRIST_SIZE[1], *EXTERIOR_SIZE),
)
"""Of the wrist's view, exterior 1's and exterior 2's."""

MAX_FRAMES = MAX_ROWS + 1
MAX_FRAME_BYTES = 1 << 20
"""Of one JPEG; a canvas at quality 90 has about 60 KB."""

MIN_SIDE = 8
JPEG_QUALITY = 90


@dataclass(frozen=True)
class ForeseenClip:
    """What a policy expects to see while its chunk is played.

    Attributes:
        label: of the question, see `label_of`.
        frames: JPEGs of canvases, 640 x 540 pixels.
        views: where the wrist's view, exterior 1's and exterior 2's lie in them; outside of these nothing is foreseen.
    """

    label: str
    frames: tuple[bytes, ...]
    views: tuple[Rectangle, Rectangle, Rectangle] = WHOLE_VIEWS

    def picture(self, index: int) -> NDArray[np.uint8]:
        """A frame, uint8 [540, 640, 3] RGB. Raises PolicyLost when it is no such JPEG."""
        found = cv2.imdecode(np.frombuffer(self.frames[index], np.uint8), cv2.IMREAD_COLOR)
        if found is None or found.shape[:2] != CANVAS_SIZE[::-1]:
            raise PolicyLost(f"The foreseen frame {index} is no JPEG of {CANVAS_SIZE[0]}x{CANVAS_SIZE[1]} pixels.")
        return cast("NDArray[np.uint8]", np.ascontiguousarray(found[:, :, ::-1]))


def label_of(epoch: int, tick: int) -> str:
    """What a question is called where its foreseen frames are sent: "3-120"."""
    return f"{epoch}-{tick}"


def read_clip(frame: str | bytes) -> ForeseenClip:
    """A message with the keys label, frames and views, in msgpack.

    Raises:
        PolicyLost: it is something else; the clip is lost, and nothing more.
    """
    if isinstance(frame, str):
        raise PolicyLost("The foreseen frames came as text; expected msgpack.")
    try:
        message: Any = unpack_message(frame)
    except BadInput as error:
        raise PolicyLost(f"The foreseen frames cannot be read: {error.message}") from None
    if not isinstance(message, Mapping):
        raise PolicyLost(f"The foreseen frames came as a {type(message).__name__}; expected a map.")
    said = cast("Mapping[Any, Any]", message)
    label, frames, views = said.get("label"), said.get("frames"), said.get("views")
    if not isinstance(label, str) or not _are_frames(frames):
        raise PolicyLost(f"The foreseen frames have no label, or are not 1 to {MAX_FRAMES} JPEGs.")
    return ForeseenClip(label, tuple(cast("Sequence[bytes]", frames)), _views(views))


def clip_of_video(label: str, video: NDArray[np.uint8]) -> ForeseenClip:
    """Frames uint8 [T, height, width, 3] that came with an answer; smaller ones are enlarged to the canvas."""
    frames: list[bytes] = []
    for picture in video:
        canvas = np.asarray(cv2.resize(picture, CANVAS_SIZE, interpolation=cv2.INTER_AREA), np.uint8)
        done, coded = cv2.imencode(".jpg", canvas[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        assert done
        frames.append(coded.tobytes())
    return ForeseenClip(label, tuple(frames))


def _are_frames(value: object) -> bool:
    if not isinstance(value, list) or not 1 <= len(cast("list[object]", value)) <= MAX_FRAMES:
        return False
    return all(isinstance(one, bytes) and len(one) <= MAX_FRAME_BYTES for one in cast("list[object]", value))


def _views(value: object) -> tuple[Rectangle, Rectangle, Rectangle]:
    if not isinstance(value, list) or len(cast("list[object]", value)) != len(WHOLE_VIEWS):
        raise PolicyLost("The foreseen frames do not say where their three views are.")
    wrist, first, second = (_rectangle(one) for one in cast("list[object]", value))
    return wrist, first, second


def _rectangle(value: object) -> Rectangle:
    sides = cast("list[object]", value) if isinstance(value, list) else []
    numbers = [side for side in sides if type(side) is int]
    if len(numbers) == len(sides) == 4:
        left, top, width, height = numbers
        inside = left + width <= CANVAS_SIZE[0] and top + height <= CANVAS_SIZE[1]
        if inside and min(left, top) >= 0 and min(width, height) >= MIN_SIDE:
            return left, top, width, height
    raise PolicyLost("A view of the foreseen frames does not lie in the canvas.")

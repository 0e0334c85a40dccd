"""A frame to a question: what openpi's, NVIDIA's, RoboLab's, RoboArena's and vLLM-Omni's clients send.

Request, msgpack with numpy arrays (studio.wire.arrays); what else is in it is not looked at:
    observation/wrist_image_left, observation/exterior_image_1_left and _2_left, or observation/image
                                  uint8 [height, width, 3], see `read_canvas`
    observation/joint_position    [7] or [T, 7], rad; the last row counts
    observation/gripper_position  number, [1], [T] or [T, 1], 0 open to 1 closed; the last one counts
    prompt                        text
    seed                          whole number; without one the session counts them from 0
    sampling_params               num_inference_steps, guidance_scale, flow_shift, …: fields of a request's `sampling`,
                                  the seed among them
    endpoint                      "infer", "reset", or left out
    decode_video                  whether the answer has the frames that the policy foresees; without it, no
    foresee                       text: sends these frames behind the answer, under this name, to whoever listens on
                                  the session's channel (backend.policy.foresight)
    idle_frames                   in how many of the frames that follow the arm stands still; null leaves it open
    session_id                    text; another one than before begins anew, like a reset
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.policy.contract import CANVAS_SIZE, EXTERIOR_SIZE, WRIST_SIZE
from backend.policy.foresight import MAX_LABEL
from studio.errors import BadInput
from studio.requests import shown
from studio.wire.arrays import unpack_message

CANVAS_FIELD = "observation/image"
WRIST_FIELD = "observation/wrist_image_left"
MIN_SIDE, MAX_SIDE = 16, 4096

SHAPE_TOLERANCE = 0.01
"""By how much a canvas may be wider or narrower than ours: rounding, and not another arrangement."""

Picture = NDArray[np.uint8]

JOINTS_FIELD = "observation/joint_position"
GRIPPER_FIELD = "observation/gripper_position"
NUM_JOINTS = 7

MAX_JOINT_RAD = 2 * math.pi
"""No joint of any arm that the policy knows turns so far; degrees are soon beyond it."""

GRIPPER_SLACK = 0.1
"""A sensor may say a little less than open, or more than closed; that is clipped."""


@dataclass(frozen=True)
class Question:
    """What an arm sees and feels, and what it is to do.

    Attributes:
        canvas: uint8 [540, 640, 3].
        state: seven joint positions in rad, and the gripper from 0, open, to 1, closed.
        seed: the client's own; none leaves it to the session.
        sampling: fields that the client sets over the checkpoint's own.
        session: the client's name for its session; empty for none.
        decode_video: whether the foreseen frames are wanted too, as part of the answer.
        foresee: under which name they are wanted behind it; empty for not at all.
        idle_frames: as it came; none where it was left out.
    """

    canvas: NDArray[np.uint8]
    state: tuple[float, ...]
    prompt: object
    seed: object
    sampling: Mapping[str, Any]
    session: str
    decode_video: bool = False
    foresee: str = ""
    idle_frames: object = None


@dataclass(frozen=True)
class Reset:
    """The client begins anew; `session` as in a question."""

    session: str


def read_frame(frame: str | bytes) -> Question | Reset:
    """What a frame asks.

    Raises:
        BadInput: it is no msgpack, or a field cannot mean what it says; `param` names it.
    """
    if isinstance(frame, str):
        raise BadInput("Got a text frame; expected msgpack in a binary frame.")
    message = unpack_message(frame)
    if not isinstance(message, dict):
        raise BadInput(f"The message is a {type(message).__name__}; expected a map.")
    fields = cast("dict[str, Any]", message)
    session = fields.get("session_id", "")
    if not isinstance(session, str):
        raise BadInput(f"session_id is {shown(session)}; expected text.", param="session_id")
    match fields.get("endpoint", "infer"):
        case "reset":
            return Reset(session)
        case "infer":
            return _question(fields, session)
        case other:
            raise BadInput(f"endpoint is {shown(other)}; expected infer or reset.", param="endpoint")


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
            hint=f"The policy uses three cameras: send {', '.join(names)}, or the composed image as {CANVAS_FIELD}.",
        )
    wrist, left, right = (_picture(fields, name) for name in names)
    below = np.hstack([_letterbox(view, EXTERIOR_SIZE) for view in (left, right)])
    return np.vstack([_letterbox(wrist, WRIST_SIZE), below])


def _question(fields: Mapping[str, Any], session: str) -> Question:
    if "prompt" not in fields:
        raise BadInput("prompt is missing.", param="prompt", hint="Send an instruction for the arm.")
    joints = _last_row(fields, JOINTS_FIELD, NUM_JOINTS)
    if np.abs(joints).max() > MAX_JOINT_RAD:
        raise BadInput(
            f"{JOINTS_FIELD} reaches {np.abs(joints).max():g}; expected radians, at most 2 pi.", param=JOINTS_FIELD
        )
    gripper = _last_row(fields, GRIPPER_FIELD, 1)[0]
    if not -GRIPPER_SLACK <= gripper <= 1 + GRIPPER_SLACK:
        raise BadInput(f"{GRIPPER_FIELD} is {gripper:g}; expected 0 (open) to 1 (closed).", param=GRIPPER_FIELD)
    settings = fields.get("sampling_params", {})
    if not isinstance(settings, dict):
        raise BadInput(f"sampling_params is {shown(settings)}; expected a map.", param="sampling_params")
    decode_video = fields.get("decode_video", False)
    if not isinstance(decode_video, bool):
        raise BadInput(f"decode_video is {shown(decode_video)}; expected true or false.", param="decode_video")
    foresee = fields.get("foresee", "")
    if not isinstance(foresee, str) or len(foresee) > MAX_LABEL:
        raise BadInput(f"foresee is {shown(foresee)}; expected text of up to {MAX_LABEL} characters.", param="foresee")
    sampling = {str(name): _plain(value) for name, value in cast("dict[object, object]", settings).items()}
    seed = sampling.pop("seed", None)
    return Question(
        canvas=read_canvas(fields),
        state=(*joints.tolist(), float(np.clip(gripper, 0, 1))),
        prompt=fields["prompt"],
        seed=_plain(fields.get("seed", seed)),
        sampling=sampling,
        session=session,
        decode_video=decode_video,
        foresee=foresee,
        idle_frames=_plain(fields.get("idle_frames")),
    )


def _last_row(fields: Mapping[str, Any], name: str, width: int) -> NDArray[np.float64]:
    """float64 [width] of one row, or the last of several."""
    if name not in fields:
        raise BadInput(f"{name} is missing.", param=name)
    expected = f"expected {width} finite numbers, or rows of them" if width > 1 else "expected a finite number"
    try:
        array = np.asarray(fields[name])
    except ValueError:
        raise BadInput(f"{name} is {shown(fields[name])}; {expected}.", param=name) from None
    if array.dtype.kind not in "fiu" or array.size == 0 or array.size % width or array.ndim > 2:
        raise BadInput(f"{name} is {array.dtype} of shape {list(array.shape)}; {expected}.", param=name)
    if width > 1 and array.shape[-1] != width:
        raise BadInput(f"{name} has the shape {list(array.shape)}; {expected}.", param=name)
    row = array.reshape(-1, width)[-1].astype(np.float64)
    if not np.isfinite(row).all():
        raise BadInput(f"{name} is {shown(row.tolist())}; {expected}.", param=name)
    return row


def _plain(value: object) -> object:
    """A numpy scalar as Python's own."""
    return cast(object, value.item()) if isinstance(value, np.generic) else value


def _canvas(picture: Picture) -> Picture:
    height, width = picture.shape[:2]
    if (width, height) == CANVAS_SIZE:
        return picture
    if abs(width / height / (CANVAS_SIZE[0] / CANVAS_SIZE[1]) - 1) > SHAPE_TOLERANCE:
        raise BadInput(
            f"{CANVAS_FIELD} is {width}x{height}; the canvas is {CANVAS_SIZE[0]}x{CANVAS_SIZE[1]}, or of that shape.",
            param=CANVAS_FIELD,
            hint="Put the wrist view (640x360) on top and the two exterior views (320x180 each) side by side below it.",
        )
    return _resized(picture, CANVAS_SIZE)


def _picture(fields: Mapping[str, Any], name: str) -> Picture:
    value = fields[name]
    if not isinstance(value, np.ndarray):
        raise BadInput(f"{name} is {shown(value)}; expected an array.", param=name)
    array = cast("NDArray[Any]", value)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
        raise BadInput(
            f"{name} is {array.dtype} of shape {list(array.shape)}; expected uint8 [height, width, 3].", param=name
        )
    height, width = array.shape[:2]
    if not (MIN_SIDE <= height <= MAX_SIDE and MIN_SIDE <= width <= MAX_SIDE):
        raise BadInput(
            f"{name} is {width}x{height}; {MIN_SIDE} to {MAX_SIDE} pixels per side are supported.", param=name
        )
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

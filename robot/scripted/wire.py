"""Bytes in, bytes out: one question of an openpi, Cosmos, RoboArena or RoboLab client and its answer. No socket.

First frame (`METADATA`): the declared action contract. `needs_object_poses` asks the client for `observation/objects`,
which only a simulated world can fill; pictures may come too and are not looked at.

Request, msgpack with numpy arrays (studio.wire.arrays):
    observation/joint_position    [7] or [T, 7], rad; the last row counts
    observation/gripper_position  number, [1], [T] or [T, 1], 0 open to 1 closed; the last one counts
    observation/objects           robot.objects.pack_objects
    prompt                        text
    endpoint                      "infer", "reset", or left out
Answer: `action` and `actions` (float32 [32, 8], the same), `server_timing` {infer_ms, prev_total_ms after the first}.
Answer to a reset: {"status": "reset successful"}; there is nothing to forget.
Failure: {"type": "error", "code", "message", "hint", "param"}; the socket stays open.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from robot.objects import OBJECTS_FIELD, ObjectPose, read_numbers, unpack_objects
from robot.observation import NUM_JOINTS, ROW_WIDTH, ROWS_PER_SECOND
from robot.scripted.instruction import Refusal
from robot.scripted.policy import NUM_ROWS, plan
from studio.errors import BadInput
from studio.wire.arrays import pack_message, unpack_message

MAX_PROMPT_CHARACTERS = 2000

METADATA: dict[str, object] = {
    "policy": "scripted",
    "action_space": "joint_position",
    "action_units": "rad",
    "action_shape": [NUM_ROWS, ROW_WIDTH],
    "gripper_open": 0.0,
    "gripper_closed": 1.0,
    "rows_per_second": ROWS_PER_SECOND,
    "first_row": "next tick",
    "image_resolution": [540, 640],
    "needs_wrist_camera": False,
    "n_external_cameras": 0,
    "needs_stereo_camera": False,
    "needs_session_id": False,
    "needs_object_poses": True,
}


@dataclass(frozen=True)
class Question:
    """A request that was read.

    Attributes:
        joint_positions: float64 [7], rad.
        gripper_position: 0 open to 1 closed.
    """

    joint_positions: NDArray[np.float64]
    gripper_position: float
    prompt: str
    objects: tuple[ObjectPose, ...]


def answer(frame: bytes | str, previous_total_ms: float | None = None) -> bytes:
    """The answering frame.

    Args:
        frame: as it came.
        previous_total_ms: what the answer before took in all, as openpi's server tells it.
    """
    try:
        request = _read_request(frame)
        if request.get("endpoint", "infer") == "reset":
            return pack_message({"status": "reset successful"})
        question = read_question(request)
        began_s = time.perf_counter()
        rows = plan(question.joint_positions, question.gripper_position, question.prompt, question.objects).astype(
            np.float32
        )
        timing = {"infer_ms": (time.perf_counter() - began_s) * 1e3}
    except Refusal as refusal:
        return pack_failure(refusal.code, refusal.message, refusal.hint)
    except BadInput as error:
        return pack_failure(error.code, error.message, error.hint, error.param)
    if previous_total_ms is not None:
        timing["prev_total_ms"] = previous_total_ms
    return pack_message({"action": rows, "actions": rows, "server_timing": timing})


def pack_failure(code: str, message: str, hint: str = "", param: str | None = None) -> bytes:
    """The frame that says what went wrong."""
    return pack_message({"type": "error", "code": code, "message": message, "hint": hint, "param": param})


def read_question(request: Mapping[str, Any]) -> Question:
    """The question of a request.

    Raises:
        BadInput: a field is missing or is something else.
    """
    prompt = request.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise BadInput(f"prompt is {prompt!r:.80}; expected text.", param="prompt")
    if len(prompt) > MAX_PROMPT_CHARACTERS:
        raise BadInput(f"prompt has {len(prompt)} characters; the maximum is {MAX_PROMPT_CHARACTERS}.", param="prompt")
    joints = _last_row(request, "observation/joint_position", NUM_JOINTS)
    gripper = _last_row(request, "observation/gripper_position", 1)
    return Question(
        joint_positions=joints,
        gripper_position=float(np.clip(gripper[0], 0.0, 1.0)),
        prompt=prompt,
        objects=unpack_objects(request.get(OBJECTS_FIELD, [])),
    )


def _read_request(frame: bytes | str) -> Mapping[str, Any]:
    if isinstance(frame, str):
        raise BadInput("Got a text frame; expected msgpack in a binary frame.")
    request = unpack_message(frame)
    if not isinstance(request, dict):
        raise BadInput(f"The message is a {type(request).__name__}; expected a map.")
    fields = cast("dict[str, Any]", request)
    endpoint = fields.get("endpoint", "infer")
    if endpoint not in ("infer", "reset"):
        raise BadInput(f"endpoint is {endpoint!r:.40}; expected infer or reset.", param="endpoint")
    return fields


def _last_row(request: Mapping[str, Any], field: str, width: int) -> NDArray[np.float64]:
    """float64 [width] of one row, or the last of several."""
    value = request.get(field)
    if isinstance(value, np.ndarray) and value.ndim > 0 and value.size > width and value.size % width == 0:
        value = cast("NDArray[Any]", value).reshape(-1, width)[-1]
    return read_numbers(value, width, field)

"""From a frame to rows: what every dialect's answers have in common, and how each of them says that it failed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from robot.chunk import MAX_ROWS
from robot.faults import PolicyLost, PolicyRefused
from studio.errors import BadInput
from studio.requests import cut, shown
from studio.wire.arrays import unpack_message

MAX_FRAMES = MAX_ROWS + 1
"""Foreseen ones: where each row leads, and what was seen first."""

MAX_SIDE = 4096

RESET_ACKNOWLEDGED = "reset successful"


@dataclass(frozen=True)
class Answer:
    """What a policy said.

    Attributes:
        rows: float64, whatever shape came; the loop checks it.
        inference_s: what the server says it took; none where that is no time.
        video: predicted frames, uint8 [T, height, width, 3]; none where it is none that could be shown.
    """

    rows: NDArray[np.float64]
    inference_s: float | None = None
    video: NDArray[np.uint8] | None = None


def read_message(frame: str | bytes) -> Any:
    """The message in a frame.

    Raises:
        PolicyRefused: the server says that it failed: a text frame with a traceback (openpi, NVIDIA, RoboArena),
            {"type": "error", "message"} (vLLM-Omni and ours) or {"error": traceback} (SGLang).
        PolicyLost: it is not msgpack.
    """
    if isinstance(frame, str):
        if frame.strip() == RESET_ACKNOWLEDGED:
            return {"status": RESET_ACKNOWLEDGED}
        raise PolicyRefused(f"The policy's server failed: {_last_line(frame)}")
    try:
        message: Any = unpack_message(frame)
    except BadInput as error:
        raise PolicyLost(f"The policy's answer cannot be read: {error.message}") from None
    if isinstance(message, Mapping):
        said = cast("Mapping[Any, Any]", message)
        if said.get("type") == "error":
            raise PolicyRefused(f"The policy says: {_last_line(said.get('message'))}", hint=_words(said.get("hint")))
        if isinstance(said.get("error"), str):
            raise PolicyRefused(f"The policy's server failed: {_last_line(said['error'])}")
    return cast(Any, message)


def answer_of(message: Any, *names: str) -> Answer:
    """The rows under the first of these names that is there, or the message itself where it is an array.

    Raises:
        PolicyLost: there are none, or they are no numbers.
    """
    if isinstance(message, np.ndarray):
        return Answer(_numbers(cast(object, message)))
    if not isinstance(message, Mapping):
        raise PolicyLost(f"The policy answered a {type(message).__name__}; a map or an array is expected.")
    said = cast("Mapping[Any, Any]", message)
    name = next((name for name in names if name in said), None)
    if name is None:
        raise PolicyLost(f"The policy's answer has {shown(list(said))}; {' or '.join(names)} is expected.")
    return Answer(_numbers(said[name]), _inference_s(said.get("server_timing")), _video(said.get("video")))


def _numbers(value: object) -> NDArray[np.float64]:
    try:
        array = np.asarray(value)
    except ValueError:
        raise PolicyLost("The policy's rows are not all of one width.") from None
    if array.dtype.kind not in "fiu":
        raise PolicyLost(f"The policy's rows are of {array.dtype}; numbers are expected.")
    return array.astype(np.float64)


def _inference_s(timing: object) -> float | None:
    value = cast("Mapping[Any, Any]", timing).get("infer_ms") if isinstance(timing, Mapping) else None
    if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return None
    return float(value) / 1000


def _video(value: object) -> NDArray[np.uint8] | None:
    if not isinstance(value, np.ndarray):
        return None
    frames = cast("NDArray[Any]", value)
    if frames.dtype != np.uint8 or frames.ndim != 4 or frames.shape[3] != 3:
        return None
    num_frames, *sides = frames.shape[:3]
    return frames if num_frames <= MAX_FRAMES and all(0 < side <= MAX_SIDE for side in sides) else None


def _words(text: object) -> str:
    return cut(text) if isinstance(text, str) else ""


def _last_line(text: object) -> str:
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    return shown(lines[-1]) if lines else "nothing more is said"

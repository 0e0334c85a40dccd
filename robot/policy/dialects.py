"""The five dialects that call themselves the openpi websocket: what each is asked, and how it answers.

They share the frame (msgpack with numpy markers) and the first message (metadata); they differ in all the rest.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from robot.chunk import MAX_ROWS
from robot.faults import PolicyLost, PolicyRefused
from robot.objects import OBJECTS_FIELD, pack_objects
from robot.observation import ROWS_PER_SECOND, Observation, letterbox
from studio.errors import BadInput
from studio.requests import cut, shown
from studio.wire.arrays import unpack_message

MAX_FRAMES = MAX_ROWS + 1
"""Foreseen ones: where each row leads, and what was seen first."""

MAX_FORESEEN_SIDE = 4096

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
        raise PolicyRefused(f"The policy server failed: {_last_line(frame)}")
    try:
        message: Any = unpack_message(frame)
    except BadInput as error:
        raise PolicyLost(f"The policy's answer cannot be read: {error.message}") from None
    if isinstance(message, Mapping):
        said = cast("Mapping[Any, Any]", message)
        if said.get("type") == "error":
            raise PolicyRefused(f"The policy reports: {_last_line(said.get('message'))}", hint=_words(said.get("hint")))
        if isinstance(said.get("error"), str):
            raise PolicyRefused(f"The policy server failed: {_last_line(said['error'])}")
    return cast(Any, message)


def answer_of(message: Any, *names: str) -> Answer:
    """The rows under the first of these names that is there, or the message itself where it is an array.

    Raises:
        PolicyLost: there are none, or they are no numbers.
    """
    if isinstance(message, np.ndarray):
        return Answer(_numbers(cast(object, message)))
    if not isinstance(message, Mapping):
        raise PolicyLost(f"The policy answered a {type(message).__name__}; expected a map or an array.")
    said = cast("Mapping[Any, Any]", message)
    name = next((name for name in names if name in said), None)
    if name is None:
        raise PolicyLost(f"The policy's answer has {shown(list(said))}; expected {' or '.join(names)}.")
    return Answer(_numbers(said[name]), _inference_s(said.get("server_timing")), _video(said.get("video")))


def _numbers(value: object) -> NDArray[np.float64]:
    try:
        array = np.asarray(value)
    except ValueError:
        raise PolicyLost("The policy's rows differ in width.") from None
    if array.dtype.kind not in "fiu":
        raise PolicyLost(f"The policy's rows are of {array.dtype}; expected numbers.")
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
    return frames if num_frames <= MAX_FRAMES and all(0 < side <= MAX_FORESEEN_SIDE for side in sides) else None


def _words(text: object) -> str:
    return cut(text) if isinstance(text, str) else ""


def _last_line(text: object) -> str:
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    return shown(lines[-1]) if lines else "no details"


DialectName = Literal["auto", "openpi", "cosmos", "roboarena", "vllm_omni", "sglang"]

OPENPI_SIDE = 224
MAX_SIDE = 1280
"""Of a view that RoboArena's servers may ask for: the cameras' own are 640 x 360 and 320 x 180."""

SGLANG_DOMAIN = "droid_lerobot"


def detect(name: DialectName, url: str, metadata: Mapping[Any, Any], session: str) -> Dialect:
    """How to speak with a server: as a person said, else as its address and its first frame tell.

    Args:
        session: tells this client's questions from others', where a dialect wants that.
    """
    path = urlsplit(url).path
    if name == "auto":
        if metadata.get("object") == "action.metadata" or "/v1/actions/" in path:
            name = "sglang"
        elif not metadata or "action_units" in metadata:
            name = "cosmos"
        elif "action_space" in metadata or "n_external_cameras" in metadata:
            name = "vllm_omni" if "/v1/realtime" in path else "roboarena"
        else:
            name = "openpi"
    match name:
        case "openpi":
            return OpenpiDialect()
        case "roboarena":
            return RoboarenaDialect(metadata, session)
        case "vllm_omni":
            return VllmOmniDialect(session)
        case "sglang":
            return SglangDialect()
        case _:
            return CosmosDialect(needs_objects=metadata.get("needs_object_poses") is True)


class Dialect(ABC):
    """Pure functions between an observation and messages.

    Attributes:
        name: for the operator.
    """

    name: str

    @abstractmethod
    def question(self, seen: Observation) -> dict[str, Any]:
        """The message that asks for actions."""

    def reset(self, epoch: int) -> dict[str, Any] | None:
        """The message that tells a stateful policy that a new epoch begins; none where nothing is kept."""
        del epoch

    def answer(self, message: Any) -> Answer:
        """What a message answers: `actions` (NVIDIA and we say `action`), or a bare array. Raises PolicyLost."""
        return answer_of(message, "actions", "action")


class CosmosDialect(Dialect):
    """NVIDIA's server of the DROID policy, and ours, which speaks the same and declares what its actions mean.

    The three views at the sizes of the policy's canvas, so that nobody resizes them; answers `action`.
    (github.com/nvidia-cosmos/cosmos-framework, `action_policy_server_robolab.py`)

    Args:
        needs_objects: whether the server asked for known poses; only our scripted policy does.
    """

    name = "cosmos"

    def __init__(self, *, needs_objects: bool = False) -> None:
        self._needs_objects = needs_objects

    def question(self, seen: Observation) -> dict[str, Any]:
        """The named views rather than the canvas: a server that wants the canvas makes the same from them."""
        objects = {OBJECTS_FIELD: pack_objects(seen.objects)} if self._needs_objects else {}
        idle = {} if seen.idle_frames is None else {"idle_frames": seen.idle_frames}
        return {
            **_state_fields(seen),
            **idle,
            "observation/wrist_image_left": seen.views.wrist,
            "observation/exterior_image_1_left": seen.views.exterior_1,
            "observation/exterior_image_2_left": seen.views.exterior_2,
            **objects,
        }

    def answer(self, message: Any) -> Answer:
        """`action`, in the singular; openpi says `actions`."""
        return answer_of(message, "action", "actions")


class OpenpiDialect(Dialect):
    """openpi's own servers: one exterior view and the wrist's, 224 pixels square; answers `actions`.

    (github.com/Physical-Intelligence/openpi, `serving/websocket_policy_server.py`)
    """

    name = "openpi"

    def question(self, seen: Observation) -> dict[str, Any]:
        """As `examples/droid/main.py` asks."""
        return {
            **_state_fields(seen),
            "observation/exterior_image_1_left": letterbox(seen.views.exterior_1, OPENPI_SIDE, OPENPI_SIDE),
            "observation/wrist_image_left": letterbox(seen.views.wrist, OPENPI_SIDE, OPENPI_SIDE),
        }


class RoboarenaDialect(Dialect):
    """RoboArena's servers: the views that the server's first frame asks for, an `endpoint`, and a session.

    Its exterior cameras are counted from 0, as in RoboArena's own repository (its evaluator counts from 1).
    (github.com/robo-arena/roboarena, `policy_server.py`)

    Args:
        metadata: the server's PolicyServerConfig.
        session: of this client.
    """

    name = "roboarena"

    def __init__(self, metadata: Mapping[Any, Any], session: str) -> None:
        num_exterior = metadata.get("n_external_cameras", 2)
        self._num_exterior = num_exterior if isinstance(num_exterior, int) else 2
        self._needs_wrist = metadata.get("needs_wrist_camera", True) is not False
        self._size = _size(metadata.get("image_resolution"))
        self._session = session

    def question(self, seen: Observation) -> dict[str, Any]:
        """With `endpoint`, without which these servers end in a KeyError."""
        views: dict[str, NDArray[np.uint8]] = {}
        exteriors = (seen.views.exterior_1, seen.views.exterior_2)[: self._num_exterior]
        for index, view in enumerate(exteriors):
            views[f"observation/exterior_image_{index}_left"] = self._sized(view)
        if self._needs_wrist:
            views["observation/wrist_image_left"] = self._sized(seen.views.wrist)
        return {**_state_fields(seen), **views, "endpoint": "infer", "session_id": f"{self._session}-{seen.epoch}"}

    def reset(self, epoch: int) -> dict[str, Any]:
        """Answered by the text "reset successful"."""
        return {"endpoint": "reset", "session_id": f"{self._session}-{epoch}"}

    def _sized(self, view: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return view if self._size is None else letterbox(view, self._size[1], self._size[0])


class VllmOmniDialect(Dialect):
    """vLLM-Omni's robot endpoint, `/v1/realtime/robot/openpi`: NVIDIA's question with a session.

    The answer is a bare array, or a map where a policy names its parts.
    (vllm-omni 0.30, `entrypoints/openpi/connection.py`)

    Args:
        session: of this client.
    """

    name = "vllm_omni"

    def __init__(self, session: str) -> None:
        self._session = session
        self._question = CosmosDialect().question

    def question(self, seen: Observation) -> dict[str, Any]:
        """The first question of a session resets the policy's state: every epoch has one of its own."""
        return {**self._question(seen), "endpoint": "infer", "session_id": f"{self._session}-{seen.epoch}"}


class SglangDialect(Dialect):
    """SGLang's `/v1/actions/realtime`: the canvas in an envelope; the rows lie in an envelope too.

    SGLang's Cosmos 3 takes no state: what it answers for DROID are poses of ten values, which no arm here is driven by.
    The dialect is read so that a server of it which answers eight joint values can be used.
    (sglang 0.5.23, `multimodal_gen/runtime/entrypoints/action`)
    """

    name = "sglang"

    def question(self, seen: Observation) -> dict[str, Any]:
        """With the domain, which it insists on, and the number of rows, which is 16 otherwise."""
        canvas = seen.views.canvas()
        return {
            "input": {"task": seen.prompt, "observation": {**_state_fields(seen), "image": canvas}},
            "parameters": {
                "action_mode": "policy",
                "domain_name": SGLANG_DOMAIN,
                "action_horizon": MAX_ROWS,
                "fps": ROWS_PER_SECOND,
                "height": canvas.shape[0],
                "width": canvas.shape[1],
            },
        }

    def answer(self, message: Any) -> Answer:
        """``{"data": [{"action": {"values": rows}}]}``, or the raw map with `actions`."""
        if not isinstance(message, Mapping) or "data" not in message:
            return answer_of(message, "actions", "action")
        said = cast("Mapping[Any, Any]", message)
        try:
            values = said["data"][0]["action"]["values"]
        except (KeyError, IndexError, TypeError):
            raise PolicyLost("The policy's answer has no data[0].action.values.") from None
        return answer_of({"values": values, "server_timing": said.get("server_timing")}, "values")


def _state_fields(seen: Observation) -> dict[str, Any]:
    """The arm and the instruction, as DROID names them."""
    return {
        "observation/joint_position": seen.state.joint_positions,
        "observation/gripper_position": np.array([seen.state.gripper_position]),
        "prompt": seen.prompt,
    }


def _size(value: object) -> tuple[int, int] | None:
    """(height, width) where the server names one."""
    if not isinstance(value, list | tuple):
        return None
    sides = [side for side in cast("list[object]", value) if isinstance(side, int) and 0 < side <= MAX_SIDE]
    return (sides[0], sides[1]) if len(sides) == 2 else None

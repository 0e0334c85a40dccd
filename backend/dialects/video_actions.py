"""The action modes of `/v1/videos` and `/v1/actions/generations`: policy, forward and inverse dynamics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from backend.dialects.video_fields import ACTION_MODES, VideoFields
from backend.dialects.video_sizes import tier_of_frames
from studio.errors import BadInput, NotAllowed
from studio.media import MediaReference
from studio.requests import shown
from studio.requests.embodiments import EMBODIMENTS, EmbodimentName
from studio.specs.acting import embodiment_of
from studio.specs.draft import RequestDraft

JOINTS, GRIPPER = "observation/joint_position", "observation/gripper_position"
"""openpi's names of a DROID's seven joints and its gripper, in an `observation`."""

DROID_FRAMING = (
    "The top row is from the wrist-mounted camera. The bottom row contains two horizontally concatenated third-person "
    "perspective views of the scene from opposite sides, with the robot visible."
)
"""What NVIDIA's samples for SGLang say of a DROID picture, beside `concat_view`; the view `droid_view` says both."""


def acting_draft(fields: VideoFields, source: MediaReference | None, name: str) -> RequestDraft:
    """A request of actions.

    Args:
        fields: what was said; `action_mode` is one of its fields.
        source: the picture or clip that came.
        name: what it is called.

    Raises:
        BadInput: something is missing or does not go together.
        NotAllowed: it is to be told of its picture in words that it was not trained with.
    """
    mode = fields.action_mode
    assert mode is not None
    draft = RequestDraft(ACTION_MODES[mode])
    wanted = "video" if mode == "inverse_dynamics" else "image"
    if source is None or source.type != wanted:
        what = "a video" if wanted == "video" else "an image"
        came = "none was sent" if source is None else f"a file of type {source.type} was sent"
        raise BadInput(f"{mode} needs {what}; {came}.", param=name, hint=f"Send {what} as {name}.")
    draft.put("source_video" if wanted == "video" else "start_image", source.id, name)
    if fields.sound:
        raise BadInput(f"generate_sound cannot be combined with {mode}.", param="generate_sound", hint="Remove it.")
    embodiment = body_of(fields.domain_name, fields.domain_id, fields.raw_action_dim)
    draft.put("embodiment", embodiment, "domain_name" if fields.domain_name else "domain_id")
    width = EMBODIMENTS[embodiment].width
    draft.put("action_width", fields.raw_action_dim if width is None else None, "raw_action_dim")
    if width is not None and fields.raw_action_dim not in (None, width):
        raise BadInput(
            f"raw_action_dim is {fields.raw_action_dim}; an action of {embodiment} has {width} values.",
            param="raw_action_dim",
        )
    draft.put("view", _view(fields), "view_point")
    draft.put("resolution", tier_of_frames(fields), "image_size")
    draft.put("fps", fields.fps, "fps")
    if mode == "forward_dynamics":
        rows = _rows(fields, width or fields.raw_action_dim)
        if width is None and fields.raw_action_dim is None and rows:
            draft.put("action_width", len(rows[0]), "raw_action_dim")
        draft.put("actions", rows, "action")
        return draft
    draft.put("num_actions", _horizon(fields), "action_chunk_size")
    if mode == "policy":
        state = _state(fields)
        draft.put("state", state, "state")
        if fields.observation is not None:  # a robot asks for what to do, and nobody looks at frames
            draft.put("decode_video", False, "observation")
    return draft


def _view(fields: VideoFields) -> str | None:
    framing = fields.action_cinematography_framing
    if framing is None:
        return fields.view_point
    if " ".join(framing.split()) != DROID_FRAMING or fields.view_point not in (None, "concat_view"):
        raise NotAllowed(
            "action_cinematography_framing supports only the text that DROID images were trained with.",
            param="action_cinematography_framing",
            hint="Send only action_view_point; each view has its own text.",
        )
    return "droid_view"


def body_of(domain_name: str | None, domain_id: int | None, raw_action_dim: int | None) -> EmbodimentName:
    """The embodiment that is meant: of the bodies of one domain, the one whose actions are so wide.

    `droid_lerobot` with 8 values is `droid_joint_position`, what the DROID policy was trained on.

    Raises:
        BadInput: none is named, or nobody knows it.
    """
    if domain_name is None and domain_id is None:
        raise BadInput(
            "domain_name is missing.", param="domain_name", hint=f"Known embodiments: {', '.join(EMBODIMENTS)}."
        )
    if domain_name is None:
        bodies = _bodies(domain_id)
        if not bodies:
            known = sorted({entry.domain for entry in EMBODIMENTS.values()})
            raise BadInput(
                f"domain_id is {domain_id}.", param="domain_id", hint=f"Known ids: {', '.join(map(str, known))}."
            )
        named = bodies[0]
    else:
        named = embodiment_of(domain_name)
    entry = EMBODIMENTS[named]
    if raw_action_dim is None or entry.width in (None, raw_action_dim):
        return named
    for body in _bodies(entry.domain):
        if EMBODIMENTS[body].width == raw_action_dim:
            return body
    return named


def _bodies(domain: int | None) -> list[EmbodimentName]:
    names: tuple[EmbodimentName, ...] = get_args(EmbodimentName)
    return [name for name in names if EMBODIMENTS[name].domain == domain]


def _horizon(fields: VideoFields) -> int | None:
    chunk, num_frames = fields.action_chunk_size, fields.num_frames
    if chunk is None:
        return None if num_frames is None else num_frames - 1
    if num_frames not in (None, chunk, chunk + 1):
        raise BadInput(
            f"action_chunk_size is {chunk} and num_frames {num_frames}; {chunk + 1} frames have {chunk} actions "
            f"between them.",
            param="num_frames",
        )
    return chunk


def _rows(fields: VideoFields, width: int | None) -> list[list[float]]:
    """Rows of actions; too few for the chunk are continued with the last, too many are cut."""
    values = fields.action
    if not values:
        raise BadInput("action is missing; forward_dynamics needs actions.", param="action")
    flat = not any(isinstance(value, list | tuple) for value in values)
    if flat:  # a form's `action[][]`, or a single row
        width = width or len(values)
        if len(values) % width:
            raise BadInput(f"action has {len(values)} values, which is not a multiple of {width}.", param="action")
        rows = [list(values[start : start + width]) for start in range(0, len(values), width)]
    else:
        rows = [list(cast(list[Any], value)) if isinstance(value, list | tuple) else [value] for value in values]
    try:
        numbers = [[float(value) for value in row] for row in rows]
    except (TypeError, ValueError):
        raise BadInput(f"action is {shown(values)}; expected rows of numbers.", param="action") from None
    chunk = _horizon(fields)
    if chunk is None:
        return numbers
    return (numbers + [numbers[-1]] * min(max(chunk - len(numbers), 0), 4096))[:chunk]


def _state(fields: VideoFields) -> list[float] | None:
    if fields.state is not None:
        return list(fields.state)
    seen: Mapping[str, Any] = fields.observation or {}
    said = seen.get("state")
    if said is None and JOINTS in seen:
        said = [*_numbers(seen[JOINTS], JOINTS), *_numbers(seen.get(GRIPPER, []), GRIPPER)]
    return None if said is None else _numbers(said, "state")


def _numbers(value: object, param: str) -> list[float]:
    values = cast(list[object], value) if isinstance(value, list) else [value]
    if all(isinstance(entry, int | float) and not isinstance(entry, bool) for entry in values):
        return [float(cast(float, entry)) for entry in values]
    raise BadInput(f"{param} is {shown(cast(object, value))}; expected numbers.", param=param)

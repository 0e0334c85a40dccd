"""OpenAI's videos API in the dialects of vLLM-Omni and SGLang for Cosmos 3: what was asked for as a request of ours.

Which request it is follows from what came: `action_mode`, a control, a single frame, a picture, a clip, or only words.
What is left out comes from the checkpoint's preset, as everywhere; a transfer by one control takes the framework's own
settings for that control, and a clip that continues another the system prompt, as both serving stacks do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from backend.dialects.video_actions import acting_draft
from backend.dialects.video_fields import VideoFields, address_of
from backend.dialects.video_sizes import put_canvas
from studio.errors import BadInput, NotAllowed
from studio.media import MediaReference
from studio.requests import shown
from studio.requests.transfer_video import HINT_ORDER, HintName
from studio.specs import load_framework_defaults
from studio.specs.clips import PRESETS
from studio.specs.draft import Draft
from studio.specs.spec import Hint, hints_of

INPUTS = ("input_reference", "image_reference", "video_reference")
"""Names of the picture or clip that something is made from; only one of them at a time."""

FILES = (*INPUTS, "input_references", "control_reference")
"""Names under which a form may carry a file."""


ACTING = (
    "action",
    "action_path",
    "action_chunk_size",
    "domain_name",
    "domain_id",
    "raw_action_dim",
    "view_point",
    "state",
    "observation",
)
"""Fields that say nothing without `action_mode`."""

FOLLOWING = (
    "control_guidance",
    "control_guidance_interval",
    "num_video_frames_per_chunk",
    "num_first_chunk_conditional_frames",
    "max_frames",
)
"""Fields that say nothing without a control."""


def addresses_in(fields: VideoFields) -> Iterator[tuple[str, str]]:
    """Everything that is to be fetched or found before the request can be drawn up: what it is called, and where it is.

    Raises:
        BadInput: an address is none, or a control has a field that controls do not have.
    """
    for name in (*INPUTS, "control_reference"):
        said = address_of(getattr(fields, name), name)
        if said is not None:
            yield name, said
    for hint, control in _hints(fields).items():
        if control.control_path is not None:
            yield f"{hint}.control_path", control.control_path


def to_draft(fields: VideoFields, media: Mapping[str, MediaReference]) -> Draft:
    """The request that is meant.

    Args:
        fields: what was said.
        media: what came with it or was fetched, by the names of `addresses_in`, and of a form's files.

    Raises:
        BadInput: it says too much, too little, or what cannot be.
        NotAllowed: it is not served here.
    """
    given = [name for name in INPUTS if name in media]
    if len(given) > 1:
        raise BadInput(f"{given[0]} and {given[1]} are both given; one is looked at.", param=given[1])
    name = given[0] if given else INPUTS[0]
    source = media.get(name)
    if source is not None and source.type not in ("image", "video"):
        raise BadInput(f"{name} is a file of type {source.type}; a picture or a clip is expected.", param=name)
    for wanted in ("image", "video"):
        if source is not None and name == f"{wanted}_reference" and source.type != wanted:
            raise BadInput(f"{name} is a file of type {source.type}; {wanted} is expected.", param=name)
    hints = _hints(fields)
    if fields.control_type is not None and "control_reference" not in media:
        raise BadInput("control_type is given without control_reference.", param="control_type")
    is_transfer = bool(hints) or "control_reference" in media
    _check_company(fields, ACTING if fields.action_mode is None else (), "action_mode")
    _check_company(fields, () if is_transfer else FOLLOWING, "a control")
    if fields.action_mode is not None:
        if hints or "control_reference" in media:
            raise BadInput("A control does not go with action_mode.", param=next(iter(hints), "control_reference"))
        draft = acting_draft(fields, source, name)
    elif is_transfer:
        draft = _transfer(fields, hints, media, source, name)
    elif fields.num_frames == 1 and source is None:
        draft = _picture(fields)
    else:
        draft = _clip(fields, source, name)
    draft.put("checkpoint", fields.model, "model")
    draft.put("negative_prompt", fields.negative_prompt, "negative_prompt")
    draft.put("count", fields.n, "n")
    for field in ("num_inference_steps", "guidance_scale", "guidance_interval", "flow_shift", "schedule", "seed"):
        draft.put(f"sampling.{field}", getattr(fields, field), field)
    for field in ("use_system_prompt", "use_resolution_template", "use_duration_template", "upsample"):
        draft.put(field, getattr(fields, field), field)
    _put_adapter(draft, fields)
    if fields.prompt is not None:
        draft.put("prompt", fields.prompt, "prompt")
    return draft


def _check_company(fields: VideoFields, names: tuple[str, ...], missing: str) -> None:
    """Raises BadInput for a field that goes with something that is missing: it would change nothing."""
    for name in names:
        if getattr(fields, name) is not None:
            raise BadInput(f"{name} is given without {missing}.", param=name, hint=f"Send {missing}, or leave it out.")


def _picture(fields: VideoFields) -> Draft:
    draft = Draft("generate_image")
    put_canvas(draft, fields, None)
    return draft


def _clip(fields: VideoFields, source: MediaReference | None, name: str) -> Draft:
    draft = Draft("generate_video")
    put_canvas(draft, fields, source)
    _put_length(draft, fields)
    draft.put("sound", fields.sound, "generate_sound")
    if source is not None and source.type == "video":
        draft.put("source_video", source.id, name)
        draft.put("condition_frames", fields.condition_frames, "condition_frame_indexes_vision")
        draft.put("condition_end", fields.condition_video_keep, "condition_video_keep")
        draft.put("use_system_prompt", True, "use_system_prompt")
        return draft
    if fields.condition_frames not in (None, (0,)):
        what = "there is no clip" if source is None else "the input is a picture"
        raise BadInput(f"condition_frame_indexes_vision is given, and {what}.", param="condition_frame_indexes_vision")
    if source is not None:
        draft.put("start_image", source.id, name)
    return draft


def _transfer(
    fields: VideoFields,
    hints: Mapping[HintName, Hint],
    media: Mapping[str, MediaReference],
    source: MediaReference | None,
    name: str,
) -> Draft:
    if source is not None and source.type != "video":
        raise BadInput(f"{name} is a picture; a transfer follows a clip.", param=name)
    if fields.sound:
        raise BadInput("generate_sound does not go with a control.", param="generate_sound", hint="Leave it out.")
    draft = Draft("transfer_video")
    controls = [
        _control(draft, index, hint, control, media, source) for index, (hint, control) in enumerate(hints.items())
    ]
    if "control_reference" in media:
        hint = fields.control_type
        if hint is None or hint not in HINT_ORDER or hint in hints:
            raise BadInput(
                f"control_type is {shown(hint)}; one of {', '.join(HINT_ORDER)} is expected, each once.",
                param="control_type",
            )
        draft.names(f"controls.{len(controls)}.video", "control_reference")
        controls.append({"hint": hint, "video": media["control_reference"].id})
    _put_framework_settings(draft, tuple(control["hint"] for control in controls))
    shaped = media.get(next((key for key in media if key.endswith("control_path")), "control_reference"), source)
    put_canvas(draft, fields, shaped)
    chunk = draft.whole_groups(fields.num_video_frames_per_chunk, "num_video_frames_per_chunk")
    limits = [limit for limit in (fields.num_frames, fields.max_frames) if limit is not None]
    draft.put("num_frames", min(limits, default=None), "num_frames" if fields.num_frames else "max_frames")
    draft.put("fps", fields.fps, "fps")
    draft.put("num_chunk_frames", chunk, "num_video_frames_per_chunk")
    draft.put("num_overlap_frames", fields.num_conditional_frames, "num_conditional_frames")
    draft.put("num_source_frames", fields.num_first_chunk_conditional_frames, "num_first_chunk_conditional_frames")
    draft.put("sampling.control_guidance", fields.control_guidance, "control_guidance")
    draft.put("sampling.control_guidance_interval", fields.control_guidance_interval, "control_guidance_interval")
    draft.put("controls", controls, "extra_params")
    if source is not None and (fields.num_first_chunk_conditional_frames or any("video" not in c for c in controls)):
        draft.put("source_video", source.id, name)
    draft.names("source_video", name)
    return draft


def _put_framework_settings(draft: Draft, hints: tuple[str, ...]) -> None:
    if len(hints) != 1:
        return
    settings = load_framework_defaults().transfer_hints[hints[0]]
    names = {
        "guidance": "sampling.guidance_scale",
        "control_guidance": "sampling.control_guidance",
        "shift": "sampling.flow_shift",
        "fps": "fps",
        "num_video_frames_per_chunk": "num_chunk_frames",
    }
    for said, path in names.items():
        draft.put(path, settings.get(said), said)


def _control(
    draft: Draft,
    index: int,
    name: HintName,
    hint: Hint,
    media: Mapping[str, MediaReference],
    source: MediaReference | None,
) -> dict[str, Any]:
    draft.names(f"controls.{index}", name)
    draft.names(f"controls.{index}.video", f"{name}.control_path")
    draft.names(f"controls.{index}.weight", f"{name}.control_weight")
    control: dict[str, Any] = {"hint": name}
    if hint.weight is not None:
        control["weight"] = hint.weight
    found = media.get(f"{name}.control_path")
    preset = PRESETS.get(name)
    for other in PRESETS.values():
        if other != preset and getattr(hint, other) is not None:
            raise BadInput(f"{name}.{other} does not go with {name}.", param=f"{name}.{other}", hint="Leave it out.")
    strength = getattr(hint, preset) if preset else None
    if found is not None:
        control["video"] = found.id
    elif strength == "none" and source is not None:  # blurred by nothing: the clip itself
        control["video"] = source.id
    elif strength is not None:
        control["strength"] = strength
    return control


def _hints(fields: VideoFields) -> dict[HintName, Hint]:
    """Controls by name, and SGLang's two parallel lists of them."""
    hints = hints_of(_without_words(fields))
    paths = _listed(fields.control_path)
    names = _listed(fields.control_hint)
    if len(paths) > len(names):
        raise BadInput(
            f"control_path names {len(paths)} clips and control_hint {len(names)} controls.", param="control_hint"
        )
    for index, name in enumerate(names):
        if name not in HINT_ORDER or name in hints:
            raise BadInput(
                f"control_hint is {shown(name)}; one of {', '.join(HINT_ORDER)} is expected, each once.",
                param="control_hint",
            )
        hints[name] = Hint(control_path=paths[index]) if index < len(paths) else Hint()
    return {name: hints[name] for name in HINT_ORDER if name in hints}


def _without_words(fields: VideoFields) -> VideoFields:
    """Of a form, whose `extra_params[edge]=true` is a text."""
    words: dict[object, object] = {"true": True, "True": True, "1": True, "false": None, "False": None, "0": None}
    said = {name: getattr(fields, name) for name in HINT_ORDER}
    return fields.model_copy(update={k: words.get(v, v) if isinstance(v, str) else v for k, v in said.items()})


def _listed(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else value


def _put_length(draft: Draft, fields: VideoFields) -> None:
    """`num_frames`, else `seconds` at the frame rate; both as whole groups of four and one."""
    num_frames, said = fields.num_frames, "num_frames"
    if num_frames is None and fields.seconds is not None:
        num_frames, said = int(fields.seconds * (fields.fps or 24)), "seconds"
        draft.put("fps", fields.fps or 24.0, "fps")
    draft.put("num_frames", draft.whole_groups(num_frames, said), said)
    draft.put("fps", fields.fps, "fps")
    if fields.sound_duration is not None and num_frames is not None:
        length_s = num_frames / (fields.fps or 24)
        if abs(length_s - fields.sound_duration) > 0.5:
            raise NotAllowed(
                f"sound_duration is {fields.sound_duration:g}; the clip has {length_s:.2f} s, and its sound as many.",
                param="sound_duration",
                hint="Leave it out.",
            )


def _put_adapter(draft: Draft, fields: VideoFields) -> None:
    if fields.lora is None:
        return
    names = {"name": "name", "lora_name": "name", "adapter_name": "name", "scale": "scale", "lora_scale": "scale"}
    for said in fields.lora:
        if said not in names:
            raise BadInput(
                f"lora.{said[:60]} is not a field here.", param="lora", hint="Send lora.name and lora.scale."
            )
    draft.put("adapter", {names[said]: value for said, value in fields.lora.items() if value is not None}, "lora")

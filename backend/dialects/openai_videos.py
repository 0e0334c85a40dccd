"""OpenAI's videos API in the dialects of vLLM-Omni and SGLang for Cosmos 3: what was asked for as a request of ours.

Which request it is follows from what came: `action_mode`, a control, a single frame, a picture, a clip, or only words.
What is left out comes from the checkpoint's preset, as everywhere; a transfer by one control takes the framework's own
settings for that control, and a clip that continues another the system prompt, as both serving stacks do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from backend.dialects.video_actions import acting_draft
from backend.dialects.video_fields import VideoFields, address_of
from backend.dialects.video_sizes import put_canvas
from backend.dialects.video_transfers import controls_in, transfer_draft
from studio.errors import BadInput, NotAllowed
from studio.media import MediaReference
from studio.specs.draft import RequestDraft

INPUTS = ("input_reference", "image_reference", "video_reference")
"""Names of the picture or clip that something is made from; only one of them at a time."""

FILES = (*INPUTS, "input_references", "control_reference")
"""Names under which a form may carry a file."""


SAMPLING = (
    "num_inference_steps",
    "guidance_scale",
    "guidance_interval",
    "flow_shift",
    "schedule",
    "step_cache",
    "seed",
)
"""Fields of `sampling`, which are called as here."""

ACTING = (
    "action",
    "action_path",
    "action_chunk_size",
    "domain_name",
    "domain_id",
    "raw_action_dim",
    "view_point",
    "action_cinematography_framing",
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
    for hint, control in controls_in(fields).items():
        if control.control_path is not None:
            yield f"{hint}.control_path", control.control_path


def to_draft(fields: VideoFields, media: Mapping[str, MediaReference]) -> RequestDraft:
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
        raise BadInput(f"{given[0]} and {given[1]} are both given; send one of them.", param=given[1])
    name = given[0] if given else INPUTS[0]
    source = media.get(name)
    if source is not None and source.type not in ("image", "video"):
        raise BadInput(f"{name} is a file of type {source.type}; expected an image or a video.", param=name)
    for wanted in ("image", "video"):
        if source is not None and name == f"{wanted}_reference" and source.type != wanted:
            raise BadInput(f"{name} is a file of type {source.type}; expected {wanted}.", param=name)
    hints = controls_in(fields)
    if fields.control_type is not None and "control_reference" not in media:
        raise BadInput("control_type needs control_reference.", param="control_type")
    is_transfer = bool(hints) or "control_reference" in media
    _check_company(fields, ACTING if fields.action_mode is None else (), "action_mode")
    _check_company(fields, () if is_transfer else FOLLOWING, "a control")
    if fields.action_mode is not None:
        if hints or "control_reference" in media:
            raise BadInput(
                "A control cannot be combined with action_mode.", param=next(iter(hints), "control_reference")
            )
        draft = acting_draft(fields, source, name)
    elif is_transfer:
        draft = transfer_draft(fields, hints, media, source, name)
    elif fields.num_frames == 1 and source is None:
        draft = _picture(fields)
    else:
        draft = _clip(fields, source, name)
    draft.put("checkpoint", fields.model, "model")
    draft.put("negative_prompt", fields.negative_prompt, "negative_prompt")
    draft.put("count", fields.n, "n")
    for field in SAMPLING:
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
            raise BadInput(f"{name} needs {missing}.", param=name, hint=f"Send {missing}, or remove it.")


def _picture(fields: VideoFields) -> RequestDraft:
    draft = RequestDraft("generate_image")
    put_canvas(draft, fields, None)
    return draft


def _clip(fields: VideoFields, source: MediaReference | None, name: str) -> RequestDraft:
    draft = RequestDraft("generate_video")
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
        what = "there is no video" if source is None else "the input is an image"
        raise BadInput(
            f"condition_frame_indexes_vision needs a source video, but {what}.", param="condition_frame_indexes_vision"
        )
    if source is not None:
        draft.put("start_image", source.id, name)
    return draft


def _put_length(draft: RequestDraft, fields: VideoFields) -> None:
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
                f"sound_duration is {fields.sound_duration:g}; it must match the video's {length_s:.2f} s.",
                param="sound_duration",
                hint="Remove it.",
            )


def _put_adapter(draft: RequestDraft, fields: VideoFields) -> None:
    if fields.lora is None:
        return
    names = {"name": "name", "lora_name": "name", "adapter_name": "name", "scale": "scale", "lora_scale": "scale"}
    for said in fields.lora:
        if said not in names:
            raise BadInput(
                f"lora.{said[:60]} is not a known field.", param="lora", hint="Send lora.name and lora.scale."
            )
    draft.put("adapter", {names[said]: value for said, value in fields.lora.items() if value is not None}, "lora")

"""The fields of `/v1/videos`: OpenAI's, vLLM-Omni's for Cosmos 3, SGLang's and TensorRT-LLM's names for the same.

Names are those of vLLM-Omni 0.30 (entrypoints/openai/protocol/videos, model_extras/cosmos3, transfer, action), of
SGLang 0.5.23 (multimodal_gen/runtime/entrypoints) and of NVIDIA's cookbooks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import AliasChoices, BeforeValidator, Field, ValidationError

from backend.dialects.fields import with_extras
from studio.errors import BadInput, NotAllowed, rebuild
from studio.requests import KINDS, Frozen, cut, explain, shown
from studio.requests.transfer_video import HintName, Strength
from studio.specs.spec import Words

ActionMode = Literal["policy", "forward_dynamics", "inverse_dynamics"]
ACTION_MODES = {mode: kind.name for mode in get_args(ActionMode) for kind in KINDS.values() if mode in kind.modes}


def _text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _shape(value: object) -> object:
    return value.replace(",", ":").replace(" ", "") if isinstance(value, str) else value


def _json(value: object) -> object:
    """A list or an object that came as text, as in a form."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


Listed = BeforeValidator(_json)
Switch = bool | None
Number = float | None
Whole = int | None
Said = Annotated[str | None, BeforeValidator(_text)]
Interval = Annotated[tuple[float, float] | None, Listed]


class VideoFields(Frozen):
    """What was said, with its types; what is None was not said."""

    model: str | None = None
    prompt: Words = None
    negative_prompt: Words = None
    seconds: Annotated[Number, Field(gt=0, le=3600)] = None
    size: str | None = None
    width: Whole = None
    height: Whole = None
    aspect_ratio: Annotated[str | None, BeforeValidator(_shape)] = None
    resolution: Said = None
    short_edge: Said = None
    num_frames: Annotated[Whole, Field(ge=1, le=100_000)] = None
    fps: Annotated[Number, Field(validation_alias=AliasChoices("fps", "action_fps", "conditioning_fps"))] = None
    n: Annotated[Whole, Field(validation_alias=AliasChoices("n", "num_outputs_per_prompt", "num_outputs"))] = None

    num_inference_steps: Whole = None
    guidance_scale: Number = None
    guidance_interval: Interval = None
    flow_shift: Number = None
    step_cache: Number = None
    schedule: str | None = None
    seed: Whole = None
    use_system_prompt: Switch = None
    use_resolution_template: Switch = None
    use_duration_template: Switch = None
    upsample: Annotated[Switch, Field(validation_alias=AliasChoices("upsample", "enhance_prompt"))] = None
    sound: Annotated[
        Switch, Field(validation_alias=AliasChoices("generate_sound", "sound_gen", "enable_audio", "sound"))
    ] = None
    sound_duration: Annotated[Number, Field(validation_alias=AliasChoices("sound_duration", "audio_duration"))] = None
    lora: Annotated[dict[str, Any] | None, Listed] = None
    guardrails: Annotated[Switch, Field(validation_alias=AliasChoices("guardrails", "use_guardrails"))] = None

    input_reference: Annotated[
        Any, Field(validation_alias=AliasChoices("input_reference", "input_references", "reference_url"))
    ] = None
    image_reference: Any = None
    video_reference: Any = None
    condition_frames: Annotated[
        tuple[int, ...] | None,
        Listed,
        Field(
            validation_alias=AliasChoices(
                "condition_frame_indexes_vision", "condition_video_latent_indexes", "condition_frame_indexes"
            )
        ),
    ] = None
    condition_video_keep: Literal["first", "last"] | None = None

    edge: Annotated[Any, Listed] = None
    blur: Annotated[Any, Listed] = None
    depth: Annotated[Any, Listed] = None
    seg: Annotated[Any, Listed] = None
    wsm: Annotated[Any, Listed] = None
    control_reference: Any = None
    control_type: HintName | None = None
    control_path: Annotated[str | tuple[str, ...] | None, Listed] = None
    control_hint: Annotated[str | tuple[str, ...] | None, Listed] = None
    preset_edge_threshold: Strength | None = None
    preset_blur_strength: Strength | Literal["none"] | None = None
    control_guidance: Number = None
    control_guidance_interval: Interval = None
    num_video_frames_per_chunk: Annotated[Whole, Field(ge=1, le=100_000)] = None
    num_conditional_frames: Whole = None
    num_first_chunk_conditional_frames: Whole = None
    max_frames: Annotated[Whole, Field(ge=1)] = None

    action_mode: ActionMode | None = None
    action: Annotated[tuple[Any, ...] | None, Listed] = None
    action_path: str | None = None
    domain_name: str | None = None
    domain_id: Whole = None
    raw_action_dim: Annotated[Whole, Field(ge=1, le=1024)] = None
    action_chunk_size: Annotated[
        Whole, Field(ge=1, validation_alias=AliasChoices("action_chunk_size", "action_horizon"))
    ] = None
    image_size: Said = None
    view_point: Annotated[str | None, Field(validation_alias=AliasChoices("view_point", "action_view_point"))] = None
    action_cinematography_framing: str | None = None
    state: Annotated[tuple[float, ...] | None, Listed] = None
    observation: Annotated[
        dict[str, Any] | None, Listed, Field(validation_alias=AliasChoices("observation", "robot_obs"))
    ] = None

    max_sequence_length: Annotated[Whole, Field(ge=1)] = None
    response_format: Literal["file", "b64_json", "url", "json"] | None = None
    format: Literal["mp4", "auto"] | None = None


NOT_SERVED: dict[str, str] = {
    "true_cfg_scale": "Cosmos 3 has one guidance scale: send guidance_scale",
    "guidance_scale_2": "Cosmos 3 has one guidance scale: send guidance_scale",
    "boundary_ratio": "Cosmos 3 denoises in one stage",
    "system_prompt": "the system prompt is the model's own; use_system_prompt turns it on and off",
    "format_prompt_as_json": "prompts are used as they are; use upsample to rewrite them",
    "enable_frame_interpolation": "frame interpolation is not available",
    "source_video": "send the video as input_reference",
    "source_audio": "sound is generated and cannot be supplied",
    "audio_reference": "sound is generated and cannot be supplied",
    "video_noise_mask": "Cosmos 3 does not use masks",
    "audio_noise_mask": "Cosmos 3 does not use masks",
    "start_time_seconds": "a video is read from its beginning, or from its end with condition_video_keep",
    "history_length": "a policy uses one image",
    "action_space": "an embodiment has one action space",
    "action_normalization": "actions are in the model's units and are not normalized",
    "output_type": "images come from /v1/images/generations, or with num_frames 1",
    "enable_upscaling": "upscaling is not available",
}
"""Fields that would change the result in a way that is not had here; refused where they ask for something."""

ASKS_FOR_NOTHING: tuple[object, ...] = (False, "false", "False", "0", "", "none", [], {})

IGNORED = frozenset(
    {
        "user",
        "quality",
        "metadata",
        "return_stage_metrics",
        "deterministic_seed",
        "session_id",
        "negative_metadata_mode",
    }
    | {"video_codec_options", "preencode_mp4", "emphasize_control_in_prompt", "show_control_condition", "show_input"}
    | {"use_state", "frame_interpolation_exp", "frame_interpolation_scale", "output_compression", "stream"}
    | {"share_vision_temporal_positions", "diffusers_kwargs", "generator_device"}
)
"""They change nothing about what is made."""


def read_fields(body: Mapping[str, Any]) -> VideoFields:
    """Somebody's fields, from JSON or a form, with `extra_params` taken in.

    Raises:
        BadInput: a name is unknown, or a value cannot be what it is.
        NotAllowed: one asks for what is not served here.
    """
    fields = {name: value for name, value in with_extras(body).items() if name not in IGNORED}
    for name in NOT_SERVED.keys() & fields.keys():
        if fields.pop(name) not in ASKS_FOR_NOTHING:
            raise NotAllowed(f"{name} is not supported: {NOT_SERVED[name]}.", param=name, hint="Remove it.")
    for name, value in list(fields.items()):
        # A form cannot leave a field out once it has it, and OpenAI's client sends "" for nothing.
        if value == "" and name != "negative_prompt":
            del fields[name]
    several = fields.get("input_references")
    if isinstance(several, list):
        entries = cast(list[Any], several)
        if len(entries) != 1:
            raise NotAllowed(
                f"input_references has {len(entries)} entries; Cosmos 3 supports one.",
                param="input_references",
                hint="Send input_reference.",
            )
        fields["input_references"] = entries[0]
    try:
        return VideoFields.model_validate(fields)
    except ValidationError as error:
        why = explain(error, VideoFields)
        raise (
            why if why.param is None or len(why.param) < 80 else rebuild(why.code, why.message, cut(why.param))
        ) from None


def address_of(value: object, param: str) -> str | None:
    """Where a picture or clip lies that is not in the form: a text, or an object with `image_url`, `video_url`, `url`,
    SGLang's `b64_json`, or `file_id`, which is an id of ours.

    Raises:
        BadInput: it says nothing of the kind.
    """
    value = _json(value)
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, dict):
        entries = cast(dict[str, Any], value)
        for name in ("image_url", "video_url", "url", "file_id", "b64_json", "base64"):
            said: object = entries.get(name)
            if isinstance(said, dict):
                said = cast(dict[str, Any], said).get("url")
            if isinstance(said, str) and said:
                return f"media:{said}" if name == "file_id" else said
    raise BadInput(f"{param} is {shown(cast(object, value))}; expected a file, a URL or a media id.", param=param)

"""The fields of a sample, by the framework's names and with its types: what they ask for, and their defaults."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field, ValidationError, model_validator

from studio.errors import BadInput, NotAllowed
from studio.requests import KINDS, AspectRatio, Frozen, explain, nearest, shown
from studio.requests.transfer_video import HINT_ORDER, HintName, Strength
from studio.specs.inputs import is_picture
from studio.toml_files import shipped

Tier = Literal["256", "480", "704", "720", "768"]


def _tier(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _shape(value: object) -> object:
    return value.replace(",", ":").replace(" ", "") if isinstance(value, str) else value


def _words(value: object) -> object:
    return json.dumps(value) if isinstance(value, dict) else value


Words = Annotated[str | None, BeforeValidator(_words)]
"""Plain text, or a structured caption, as text or as an object."""


class Hint(Frozen):
    """One control: its clip, or how it is computed from the sample's own."""

    control_path: Annotated[str | None, Field(validation_alias=AliasChoices("control_path", "control"))] = None
    weight: Annotated[float | None, Field(validation_alias=AliasChoices("weight", "control_weight"))] = None
    preset_edge_threshold: Strength | None = None
    preset_blur_strength: Strength | Literal["none"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: object) -> object:
        """`true` computes it, a text is its clip: as the serving stacks take it."""
        if value is True:
            return {}
        return {"control_path": value} if isinstance(value, str) else value


class Spec(Frozen):
    """One sample. What is None is not said; fields that change nothing here are accepted and not read."""

    name: str | None = None
    model_mode: str | None = None
    seed: Annotated[int | None, Field(ge=0)] = None
    num_outputs: int | None = None
    defaults_file: str | None = None

    prompt: Words = None
    prompt_path: str | None = None
    negative_prompt: Words = None
    negative_prompt_file: str | None = None
    duration_template: str | None = None
    resolution_template: str | None = None

    num_steps: int | None = None
    guidance: float | None = None
    guidance_interval: tuple[float, float] | None = None
    shift: float | None = None

    vision_path: str | None = None
    condition_frame_indexes_vision: tuple[int, ...] | None = None
    condition_video_keep: Literal["first", "last"] | None = None
    resolution: Annotated[Tier | None, BeforeValidator(_tier)] = None
    aspect_ratio: Annotated[AspectRatio | None, BeforeValidator(_shape)] = None
    fps: float | None = None
    num_frames: Annotated[int | None, Field(ge=1)] = None
    image_save_quality: Annotated[int, Field(ge=0, le=100)] = 95
    enable_sound: bool | None = None

    action_path: str | None = None
    domain_name: str | None = None
    image_size: Annotated[str | None, BeforeValidator(_tier)] = None
    action_chunk_size: Annotated[int | None, Field(ge=1)] = None
    raw_action_dim: int | None = None
    view_point: str | None = None

    control_guidance: float | None = None
    control_guidance_interval: tuple[float, float] | None = None
    edge: Any = None
    blur: Any = None
    depth: Any = None
    seg: Any = None
    wsm: Any = None
    num_video_frames_per_chunk: Annotated[int | None, Field(ge=1)] = None
    num_conditional_frames: Annotated[int | None, Field(ge=0)] = None
    num_first_chunk_conditional_frames: Annotated[int | None, Field(ge=0)] = None
    max_frames: Annotated[int | None, Field(ge=1)] = None

    max_new_tokens: int | None = None
    do_sample: bool | None = None
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    repetition_penalty: float | None = None
    presence_penalty: float | None = None
    video_fps: float | None = None

    # Accepted only as the framework's defaults have them; see `refused`.
    normalize_cfg: bool = False
    autoregressive: bool = False
    share_vision_temporal_positions: bool = True
    prompt_upsampling: bool = False
    native_prompt_upsampling: bool = False
    show_control_condition: bool = False
    show_input: bool = False
    tensors_file: str | None = None
    pickle_file: str | None = None
    sound_path: str | None = None

    # Accepted and not read: of other samplers, of other writers of files, or a person's own.
    extra: Any = None
    model: Any = None
    output_dir: Any = None
    sigma_max: Any = None
    video_save_quality: Any = None
    negative_metadata_mode: Any = None
    inverse_duration_template: Any = None
    inverse_resolution_template: Any = None
    negative_prompt_keep_metadata: Any = None
    emphasize_control_in_prompt: Any = None
    prompt_upsampler_max_tokens: Any = None
    prompt_upsampler_temperature: Any = None
    prompt_upsampler_top_p: Any = None
    prompt_upsampler_top_k: Any = None
    prompt_upsampler_repetition_penalty: Any = None
    prompt_upsampler_presence_penalty: Any = None
    prompt_upsampler_seed: Any = None


NOT_DONE: dict[str, str] = {
    "normalize_cfg": "normalized guidance is not supported",
    "autoregressive": "autoregressive generation is not supported",
    "share_vision_temporal_positions": "controls and the video always share their positions",
    "prompt_upsampling": "prompts are not rewritten here; rewrite them first",
    "native_prompt_upsampling": "prompts are not rewritten here; rewrite them first",
    "tensors_file": "inputs are media files, not tensors",
    "pickle_file": "inputs are media files; pickles are never read",
    "sound_path": "sound is generated; sound input is not supported",
}
"""Fields whose other values would change the result in a way that is not had here."""

UNSEEN = ("show_control_condition", "show_input")
"""Fields that put more into the file than what was made; they are left out, with a note."""


def parse_spec(fields: Mapping[str, Any]) -> Spec:
    """A sample's fields with their types.

    Raises:
        BadInput: a name is unknown (the hint has the nearest known one), or a value cannot be what it is.
    """
    try:
        spec = Spec.model_validate(fields)
    except ValidationError as error:
        raise explain(error, Spec) from None
    for name, why in NOT_DONE.items():
        if getattr(spec, name) != Spec.model_fields[name].default:
            raise BadInput(f"{name} is set; {why}.", param=name, hint="Remove it.")
    return spec


def hints_of(spec: object) -> dict[HintName, Hint]:
    """The controls of a sample in the order in which the model is shown them.

    Args:
        spec: a `Spec`, or anything else whose attributes are named by the controls.

    Raises:
        BadInput: a control has a field that controls do not have, or a value of another type.
    """
    found: dict[HintName, Hint] = {}
    for name in HINT_ORDER:
        value = getattr(spec, name)
        if value is None or value is False:
            continue
        try:
            found[name] = Hint.model_validate(value)
        except ValidationError as error:
            why = explain(error, Hint)
            if why.param is None:
                raise BadInput(
                    f"{name} is {shown(value)}; expected an object with control_path or weight.", param=name
                ) from None
            message = why.message.replace(why.param, f"{name}.{why.param}", 1)
            raise BadInput(message, param=f"{name}.{why.param}", hint=why.hint) from None
    return found


ALIASES = {"policy": "wam"}
"""`policy` is what the serving stacks call it."""

KIND_OF_MODE: dict[str, str] = {
    **{mode: kind.name for kind in KINDS.values() for mode in kind.modes if mode not in ALIASES},
    "reasoner": "reason",
}
"""The request that each mode becomes; any of the clips' modes with a control is `transfer_video`."""

NOT_SERVED: dict[str, str] = {
    "image2image": "images are generated from text only; image input is not supported yet",
    "audio_image2video": "sound is generated; sound input is not supported yet",
}

CLIPS = KINDS["generate_video"].modes


def mode_of(spec: Spec) -> str:
    """The mode of a sample, as the framework infers it where it is not said: from `vision_path` and `num_frames`.

    Raises:
        NotAllowed: it is not served.
        BadInput: there is no such mode.
    """
    mode = spec.model_mode or f"{_source(spec.vision_path)}2{'image' if spec.num_frames == 1 else 'video'}"
    mode = ALIASES.get(mode, mode)
    if mode in NOT_SERVED:
        raise NotAllowed(f"model_mode {mode} is not supported: {NOT_SERVED[mode]}.", param="model_mode")
    if mode not in KIND_OF_MODE:
        raise BadInput(f"model_mode is {shown(mode)}.", param="model_mode", hint=nearest(mode, KIND_OF_MODE))
    return mode


def _source(vision_path: str | None) -> str:
    if vision_path is None:
        return "text"
    return "image" if is_picture(vision_path) else "video"


@dataclass(frozen=True)
class CheckpointDefaults:
    """The checkpoint that will make the samples, as far as defaults depend on it.

    Attributes:
        id: its preset's id, or a folder's name; empty while no server has been asked.
        defaults: request fields by kind, as its preset says.
    """

    id: str = ""
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


class FrameworkDefaults(Frozen):
    """What the framework fills in where a sample says nothing: `presets/framework_defaults.toml`, by its own names.

    Attributes:
        modes: by `model_mode`.
        transfer: of a clip that follows controls.
        transfer_hints: of a clip that follows this control alone.
        checkpoints: by a preset's id.
    """

    modes: dict[str, dict[str, Any]]
    transfer: dict[str, Any]
    transfer_hints: dict[str, dict[str, Any]] = Field(default_factory=dict)
    checkpoints: dict[str, dict[str, Any]] = Field(default_factory=dict)

    def of(self, mode: str, checkpoint: str) -> dict[str, Any]:
        """Fields of a mode; a checkpoint changes only those that the mode has, and its resolution."""
        fields = dict(self.modes.get(mode, {}))
        own = self.checkpoints.get(checkpoint, {})
        return fields | {name: value for name, value in own.items() if name in fields or name == "resolution"}


@cache
def load_framework_defaults() -> FrameworkDefaults:
    """The shipped file."""
    return shipped(FrameworkDefaults, "framework_defaults.toml")

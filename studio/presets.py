"""Presets: checkpoints and their defaults as data, and the forms that people keep.

A user's own checkpoint presets, in the data folder, win over the shipped ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import AfterValidator, BaseModel, Field, ValidationError, model_validator

from studio.captions.caption import VideoCaption
from studio.errors import BadInput
from studio.requests import KINDS, AspectRatio, Frozen, Resolution, explain, nearest
from studio.requests.actions import ActionTier
from studio.requests.embodiments import EmbodimentName
from studio.requests.fields import BoundedText, on_one_line
from studio.requests.transfer_video import HintName
from studio.rules.capabilities import Prompting
from studio.toml_files import read_toml, shipped, shipped_and_own

Precision = Literal["exact", "fp8", "fp8-attention"]
"""As the weights are; with the matrices of the generator's blocks rounded to 8 bits as they are loaded; or with its
attention in 8 bits too."""

WHERE_WEIGHTS_ARE = frozenset({"repository", "built_here", "ships"})


class CapabilityOverlay(Frozen):
    """What a preset knows better than the checkpoint's own configuration."""

    kinds: tuple[str, ...] | None = None
    resolutions: tuple[Resolution, ...] | None = None
    video_resolutions: tuple[Resolution, ...] | None = None
    aspect_ratios: tuple[AspectRatio, ...] | None = None
    num_frames: tuple[int, int] | None = None
    fps: tuple[float, float] | None = None
    sound: bool | None = None
    hints: tuple[HintName, ...] | None = None
    embodiments: tuple[EmbodimentName, ...] | None = None
    action_resolutions: tuple[ActionTier, ...] | None = None
    num_actions: tuple[int, int] | None = None
    max_prompt_tokens: int | None = None
    prompting: Prompting | None = None


class ReasonerDefaults(Frozen):
    """How its reasoner answers where nobody has said: `studio.requests.reason.TextSampling`, of the same.

    Attributes:
        leaves_out_empty: it was taught to leave out what is empty in a caption; the studio's schemas ask for no more.
    """

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    leaves_out_empty: bool = False


class Example(Frozen):
    """A prompt worth trying, with the fields that go with it.

    Among them `sample` names the field that takes a picture or a clip of the page's own, and `sample_name` which one.
    """

    title: str
    values: dict[str, Any]


class CheckpointPreset(Frozen):
    """One file of `presets/checkpoints/`.

    Attributes:
        id: the name that people type.
        title: the name that people read.
        summary: one sentence for the page.
        repository: on the Hugging Face hub; empty for a checkpoint that ships, is built here or lies in a folder.
        revision: a branch, tag or commit of the repository; empty for its main branch. A variant may say its own.
        built_here: the engine builds it on first start.
        ships: its folder comes with the studio, beside the presets and under its id.
        variant_of: id of a preset whose weights these are, and which says what is left out here.
        tuned_from: id of a preset from which its weights were tuned, and which says what is left out here. They lie
            among what is built here.
        precision: that its engine computes in; none is what the server was told.
        random_weights: it was never trained.
        simulated: it was trained on a simulated world alone. Its summary is said wherever it makes something, and who
            drives an arm by it is warned.
        weights_gb: size of its weights on disk, 10^9 bytes; that of another revision is not a variant's.
        defaults: request fields by kind, laid under what a person sends.
        structured_negative: its videos and transfers have the negative prompt of `presets/templates/negative.toml`,
            unless the defaults or the person say another one.
        reasoner: the same of conversations.
        examples: by kind; those of `reason` are questions about the picture or clip that goes with them.
    """

    id: str
    title: str
    summary: str
    repository: str = ""
    revision: str = ""
    built_here: bool = False
    ships: bool = False
    variant_of: str = ""
    tuned_from: str = ""
    precision: Precision | None = None
    random_weights: bool = False
    simulated: bool = False
    weights_gb: float | None = None
    capabilities: CapabilityOverlay = CapabilityOverlay()
    defaults: dict[str, dict[str, Any]] = Field(default_factory=dict)
    structured_negative: bool = False
    reasoner: ReasonerDefaults = ReasonerDefaults()
    examples: dict[str, tuple[Example, ...]] = Field(default_factory=dict)

    @property
    def lies_under(self) -> str:
        """The id that its folder has: a variant's is that of what it is one of."""
        return self.variant_of or self.id

    @property
    def builds_itself(self) -> bool:
        """Whether the engine makes its weights where they are missing."""
        return self.built_here and not self.tuned_from


def complete(preset: CheckpointPreset, payload: Mapping[str, Any]) -> dict[str, Any]:
    """A request's JSON with the preset's defaults laid under it, nested objects field by field.

    Over `{"sampling": {"seed": 7}}` and defaults `{"sampling": {"num_inference_steps": 20}}` this gives both.
    """
    kind = payload.get("kind")
    return laid_over(preset.defaults.get(kind, {}) if isinstance(kind, str) else {}, payload)


def laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of both; where both say something the second wins, and of nested objects field by field."""
    merged = {**under, **over}
    for name, value in under.items():
        given = over.get(name)
        if isinstance(value, Mapping) and isinstance(given, Mapping):
            merged[name] = laid_over(cast(Mapping[str, Any], value), cast(Mapping[str, Any], given))
    return merged


def load_presets(user_folder: Path | None = None) -> dict[str, CheckpointPreset]:
    """Every checkpoint preset by id, shipped ones first.

    Raises:
        BadInput: a file cannot be read, is not TOML, or says something that a preset cannot; the message names it.
    """
    found: dict[str, CheckpointPreset] = {}
    for file in shipped_and_own("checkpoints", user_folder):
        preset = _read_preset(file)
        found[preset.id] = preset
    return {name: _with_negative(_whole(preset, found)) for name, preset in found.items()}


class Negatives(BaseModel):
    """`presets/templates/negative.toml`."""

    video: dict[str, Any]


PHYSICAL_REALISM = "physical_realism"
"""The key of a negative prompt that a caption has not."""

NEGATIVE_KINDS = ("generate_video", "transfer_video")
"""Technical report, table 21: what has a structured negative prompt."""


@cache
def structured_negative() -> str:
    """The negative prompt of a video as the generator reads it: JSON on one line, in a caption's order."""
    negative = shipped(Negatives, "templates", "negative.toml").video
    realism = {PHYSICAL_REALISM: negative.pop(PHYSICAL_REALISM)}
    caption = VideoCaption.model_validate(negative).model_dump(mode="json", exclude_unset=True)
    return json.dumps(caption | realism, ensure_ascii=False)


def _with_negative(preset: CheckpointPreset) -> CheckpointPreset:
    if not preset.structured_negative:
        return preset
    under = {kind: {"negative_prompt": structured_negative()} for kind in NEGATIVE_KINDS if kind in preset.defaults}
    return preset.model_copy(update={"defaults": laid_over(under, preset.defaults)})


def _whole(preset: CheckpointPreset, presets: Mapping[str, CheckpointPreset]) -> CheckpointPreset:
    """A variant, or what was tuned, with what it leaves out; any other as it is. Raises BadInput."""
    if preset.tuned_from in presets:
        return _tuned(preset, _whole(presets[preset.tuned_from], presets))
    if not preset.variant_of:
        return _checked(preset)
    base = presets.get(preset.variant_of)
    if base is None or base.variant_of:
        which = "which is itself a variant" if base else "which has no preset"
        hint = f"Use {base.variant_of}." if base else nearest(preset.variant_of, presets)
        raise BadInput(f"The preset {preset.id} is a variant of {preset.variant_of}, {which}.", hint=hint)
    if own := sorted(WHERE_WEIGHTS_ARE & preset.model_fields_set):
        raise BadInput(f"The preset {preset.id} has the weights of {base.id}; it cannot set {', '.join(own)}.")
    under = base.model_dump(exclude_unset=True)
    if "revision" in preset.model_fields_set and preset.revision != base.revision:
        under.pop("weights_gb", None)  # other files, and nobody said how large they are
    said = laid_over(under, preset.model_dump(exclude_unset=True))
    for kind, defaults in said.get("defaults", {}).items():
        _check_defaults(preset.id, kind, defaults)
    return _checked(CheckpointPreset.model_validate(said))


def _tuned(preset: CheckpointPreset, base: CheckpointPreset) -> CheckpointPreset:
    under = base.model_dump(exclude_unset=True, exclude={*WHERE_WEIGHTS_ARE, "revision", "variant_of", "weights_gb"})
    return CheckpointPreset.model_validate(laid_over(under, preset.model_dump(exclude_unset=True)))


def _checked(preset: CheckpointPreset) -> CheckpointPreset:
    """Raises BadInput for a revision of no repository."""
    if preset.revision and not preset.repository:
        raise BadInput(
            f"The preset {preset.id} has the revision {preset.revision} and no repository.",
            hint="Set both or neither.",
        )
    return preset


def _read_preset(file: Traversable) -> CheckpointPreset:
    """One preset file; its defaults must complete to a legal request of their kind.

    Raises:
        BadInput: see `load_presets`.
    """
    name = file.name
    preset = read_toml(CheckpointPreset, file, f"The preset {name}")
    for kind in preset.defaults:
        if kind not in KINDS:
            raise BadInput(
                f"The preset {name} has defaults for {kind!r}, which is not a request kind.", hint=nearest(kind, KINDS)
            )
        _check_defaults(name, kind, preset.defaults[kind])
    return preset


def _check_defaults(name: str, kind: str, defaults: Mapping[str, Any]) -> None:
    """Raises BadInput for what a request of this kind would refuse; what only a person can say may be missing."""
    try:
        KINDS[kind].model.model_validate({"kind": kind, **defaults})
    except ValidationError as error:
        if all(entry["type"] == "missing" and len(entry["loc"]) == 1 for entry in error.errors(include_url=False)):
            return
        why = explain(error, KINDS[kind].model)
        raise BadInput(f"The preset {name}, {kind}: {why.message}", hint=why.hint) from None


MAX_NAME = 80
MAX_VALUES_BYTES = 262_144
"""Of the values as JSON: 396 actions of 57 values of ten characters fit."""


class SaveFormPreset(Frozen):
    """`POST /v1/presets`; another one of the same kind and name is replaced.

    Attributes:
        kind: of the request that the form makes.
        name: on one line.
        values: fields of that request, as in its JSON; they need not be a whole one.
    """

    kind: str
    name: Annotated[BoundedText, AfterValidator(on_one_line("the name", MAX_NAME))]
    values: dict[str, Any]

    @model_validator(mode="after")
    def _values_are_fields(self) -> Self:
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind[:80]!r}. {nearest(self.kind, KINDS)}")
        known = KINDS[self.kind].model.model_fields
        strange = next((field for field in self.values if field not in known), None)
        if strange is not None:
            raise ValueError(f"{strange[:80]!r} is not a field of {self.kind}. {nearest(strange, known)}")
        if len(json.dumps(self.values)) > MAX_VALUES_BYTES:
            raise ValueError(f"the values are larger than {MAX_VALUES_BYTES:,} bytes")
        return self


class FormPreset(SaveFormPreset):
    """One that is kept."""

    id: str
    saved_at: datetime


class FormPresetList(Frozen):
    """`GET /v1/presets`, by name."""

    presets: tuple[FormPreset, ...]

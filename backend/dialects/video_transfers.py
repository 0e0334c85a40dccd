"""A transfer of `/v1/videos`: which controls it follows, whence they come, and the settings that go with them.

vLLM-Omni says a control as a field of its name (`edge`, `wsm` …), which may come as the file `control_reference`;
SGLang says two lists side by side, `control_path` and `control_hint`, with a control's preset beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backend.dialects.video_fields import VideoFields
from backend.dialects.video_sizes import put_bucket
from studio.errors import BadInput
from studio.media import MediaReference
from studio.requests import shown
from studio.requests.transfer_video import HINT_ORDER, HintName
from studio.specs import load_framework_defaults
from studio.specs.clips import PRESETS
from studio.specs.draft import RequestDraft, put_chunks
from studio.specs.spec import Hint, hints_of

UPLOAD = "control_reference"
"""The file of a form that the control of `control_type` follows."""


def transfer_draft(
    fields: VideoFields,
    hints: Mapping[HintName, Hint],
    media: Mapping[str, MediaReference],
    source: MediaReference | None,
    name: str,
) -> RequestDraft:
    """A request that follows controls.

    Args:
        fields: what was said.
        hints: what `controls_in` found in it.
        media: what came or was fetched, by what it is called.
        source: the clip that controls are computed from.
        name: what the source is called.

    Raises:
        BadInput: something is missing or does not go together.
    """
    if source is not None and source.type != "video":
        raise BadInput(f"{name} is an image; a transfer needs a video.", param=name)
    if fields.sound:
        raise BadInput("generate_sound cannot be combined with a control.", param="generate_sound", hint="Remove it.")
    hints = _with_upload(fields, hints) if UPLOAD in media else hints
    draft = RequestDraft("transfer_video")
    controls: list[dict[str, Any]] = []
    for index, (hint, control) in enumerate(hints.items()):
        said = UPLOAD if UPLOAD in media and hint == fields.control_type else f"{hint}.control_path"
        draft.names(f"controls.{index}.video", said)
        controls.append(_control(draft, index, hint, control, media.get(said), source))
    _put_framework_settings(draft, tuple(hints))
    shaped = next((found for said, found in media.items() if said == UPLOAD or said.endswith("control_path")), source)
    put_bucket(draft, fields, shaped)
    put_chunks(draft, fields)
    draft.put("controls", controls, "extra_params")
    if source is not None and (fields.num_first_chunk_conditional_frames or any("video" not in c for c in controls)):
        draft.put("source_video", source.id, name)
    draft.names("source_video", name)
    return draft


def _put_framework_settings(draft: RequestDraft, hints: tuple[str, ...]) -> None:
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
    draft: RequestDraft,
    index: int,
    name: HintName,
    hint: Hint,
    found: MediaReference | None,
    source: MediaReference | None,
) -> dict[str, Any]:
    draft.names(f"controls.{index}", name)
    draft.names(f"controls.{index}.weight", f"{name}.control_weight")
    control: dict[str, Any] = {"hint": name}
    if hint.weight is not None:
        control["weight"] = hint.weight
    preset = PRESETS.get(name)
    for other in PRESETS.values():
        if other != preset and getattr(hint, other) is not None:
            raise BadInput(
                f"{name}.{other} cannot be combined with {name}.", param=f"{name}.{other}", hint="Remove it."
            )
    strength = getattr(hint, preset) if preset else None
    if found is not None:
        control["video"] = found.id
    elif strength == "none" and source is not None:  # blurred by nothing: the clip itself
        control["video"] = source.id
    elif strength is not None:
        control["strength"] = strength
    return control


def _with_upload(fields: VideoFields, hints: Mapping[HintName, Hint]) -> dict[HintName, Hint]:
    """The controls and the uploaded one, whose weight or preset may be said in a field of its name."""
    kind = fields.control_type
    if kind is None:
        raise BadInput(f"{UPLOAD} needs control_type.", param="control_type", hint=f"One of {', '.join(HINT_ORDER)}.")
    said = hints.get(kind, Hint())
    if said.control_path is not None:
        raise BadInput(
            f"{UPLOAD} and {kind}.control_path are both given; {kind} uses one video.",
            param=UPLOAD,
            hint="Send one of them.",
        )
    return {name: said if name == kind else hints[name] for name in HINT_ORDER if name == kind or name in hints}


def controls_in(fields: VideoFields) -> dict[HintName, Hint]:
    """Controls by name, in the order in which the model is shown them; those that came as files are not among them.

    Raises:
        BadInput: a control has a field that controls do not have, or SGLang's lists do not go together.
    """
    hints = hints_of(_without_words(fields))
    paths = _listed(fields.control_path)
    names = _listed(fields.control_hint)
    if len(paths) > len(names):
        raise BadInput(
            f"control_path names {len(paths)} videos and control_hint {len(names)} controls.", param="control_hint"
        )
    for index, name in enumerate(names):
        if name not in HINT_ORDER or name in hints:
            raise BadInput(
                f"control_hint is {shown(name)}; expected one of {', '.join(HINT_ORDER)}, each at most once.",
                param="control_hint",
            )
        preset = {field: getattr(fields, field) for hint, field in PRESETS.items() if hint == name}
        hints[name] = Hint(control_path=paths[index] if index < len(paths) else None, **preset)
    for hint, field in PRESETS.items():
        if getattr(fields, field) is not None and hint not in names:
            raise BadInput(
                f"{field} is given, but control_hint does not include {hint}.",
                param=field,
                hint=f"Send {hint}.{field}.",
            )
    return {name: hints[name] for name in HINT_ORDER if name in hints}


def _without_words(fields: VideoFields) -> VideoFields:
    """Of a form, whose `extra_params[edge]=true` is a text."""
    words: dict[object, object] = {"true": True, "True": True, "1": True, "false": None, "False": None, "0": None}
    said = {name: getattr(fields, name) for name in HINT_ORDER}
    return fields.model_copy(update={k: words.get(v, v) if isinstance(v, str) else v for k, v in said.items()})


def _listed(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else value

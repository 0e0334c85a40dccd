"""The flags of a request: their help comes from its fields, and its refusals name them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer
from annotated_types import Ge, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from studio.errors import BadInput, rebuild
from studio.requests import REQUESTS, Request, parse_request
from studio.rules import parse_size

MADE: dict[str, type[Request]] = {
    kind: REQUESTS[kind]
    for kind in (
        "generate_image",
        "generate_video",
        "transfer_video",
        "predict_video",
        "predict_actions",
        "run_policy",
    )
}
"""The kinds of request that `orrery generate` makes."""

FLAGS: dict[str, str] = {
    "prompt": "PROMPT",
    "negative_prompt": "--negative-prompt",
    "checkpoint": "--checkpoint",
    "adapter": "--adapter",
    "resolution": "--resolution",
    "aspect_ratio": "--aspect-ratio",
    "num_frames": "--num-frames",
    "fps": "--fps",
    "sound": "--sound/--no-sound",
    "start_image": "--start-image",
    "source_video": "--source-video",
    "condition_frames": "--condition-frames",
    "condition_end": "--condition-end",
    "controls": "--control",
    "control_attention": "--control-attention",
    "num_chunk_frames": "--chunk-frames",
    "num_overlap_frames": "--overlap-frames",
    "num_source_frames": "--source-frames",
    "embodiment": "--embodiment",
    "action_width": "--action-width",
    "view": "--view",
    "actions": "--actions",
    "num_actions": "--num-actions",
    "state": "--state",
    "decode_video": "--decode-video/--no-decode-video",
    "count": "--count",
    "save_latents": "--save-latents",
    "sampling.num_inference_steps": "--steps",
    "sampling.guidance_scale": "--guidance",
    "sampling.control_guidance": "--control-guidance",
    "sampling.seed": "--seed",
    "sampling.flow_shift": "--flow-shift",
    "sampling.schedule": "--schedule",
    "sampling.guidance_interval": "--guidance-interval",
    "sampling.step_cache": "--step-cache",
    "sampling.control_guidance_interval": "--control-guidance-interval",
    "upsample": "--upsample/--no-upsample",
    "use_system_prompt": "--system-prompt/--no-system-prompt",
    "use_resolution_template": "--resolution-sentence/--no-resolution-sentence",
    "use_duration_template": "--duration-sentence/--no-duration-sentence",
}
"""How the command line calls each field of a request."""

METAVARS: dict[Any, str] = {int: "INTEGER", float: "NUMBER", int | None: "INTEGER", float | None: "NUMBER"}
"""Numbers reach the request as they were typed: it says better than a flag parser what came and what was expected."""

FORMS: dict[str, tuple[str, str]] = {
    "start_image": ("FILE", ""),
    "source_video": ("FILE", ""),
    "condition_frames": ("0,1,…", ""),
    "controls": (
        "HINT[=FILE][@STRENGTH][:WEIGHT]",
        "Control: edge, blur, depth, seg or wsm, each with its clip; edge and blur without one are computed from the "
        "source clip. Once for each.",
    ),
    "actions": ("FILE", "Actions: a .json, .npy or .csv file with a row for each transition."),
    "state": ("0.1,0.2,…", ""),
    "adapter": ("NAME[:SCALE]", ""),
}
"""What to type for a flag whose value is no plain word, and its help where the field's own does not do."""


def flag(path: str) -> Any:
    """The option of one field, with its help and its ORRERY_ variable."""
    name = FLAGS[path]
    variable = "ORRERY_" + _word(path).upper()
    form, help_text = FORMS.get(path, (METAVARS.get(_field(path).annotation), ""))
    return typer.Option(name, envvar=variable, help=help_text or _help(path), metavar=form)


def said_by(params: Mapping[str, object]) -> dict[str, object]:
    """What the flags of a command say, by field path; None is unsaid."""
    values = {path: params[_word(path)] for path in FLAGS if path != "prompt"}
    return {path: None if value in ([], ()) else value for path, value in values.items()}


def build_request(kind: str, said: Mapping[str, object], size: str | None) -> Request:
    """The request that flags describe.

    Args:
        kind: what is asked for.
        said: by field path, as in `{"sampling.seed": 7}`; None is unsaid.
        size: "WIDTHxHEIGHT", or None.

    Raises:
        BadInput: a field cannot mean what it says; the hint names its flag.
    """
    payload: dict[str, Any] = {"kind": kind}
    if size is not None:
        if said.get("resolution") or said.get("aspect_ratio"):
            raise BadInput("--size says what --resolution and --aspect-ratio say.", param="size", hint="Give one.")
        payload["resolution"], payload["aspect_ratio"] = parse_size(size)
    for path, value in said.items():
        if value is not None:
            parent, _, name = path.rpartition(".")
            (payload.setdefault(parent, {}) if parent else payload)[name] = value
    try:
        return parse_request(payload)
    except BadInput as error:
        param = error.param or ""
        where = FLAGS.get(param) or FLAGS.get(param.partition(".")[0])
        if param in payload and param not in MADE[kind].model_fields:
            others = [other for other, model in MADE.items() if param in model.model_fields]
            hint = f"It goes with {', '.join(others)}; --kind says which is meant."
            raise BadInput(f"{where} does not go with {kind}.", param=param, hint=hint) from None
        hint = f"{error.hint} It is set by {where}.".strip() if where else error.hint
        raise rebuild(error.code, error.message, error.param, hint) from None


def _word(path: str) -> str:
    """The name of a flag's parameter: `--sound/--no-sound` is `sound`."""
    return FLAGS[path].split("/")[0].removeprefix("--").replace("-", "_")


def _help(path: str) -> str:
    field = _field(path)
    rules: list[object] = field.metadata
    bounds = [f"{rule.ge}" for rule in rules if isinstance(rule, Ge)]
    bounds += [f"{rule.le}" for rule in rules if isinstance(rule, Le)]
    span = f" ({' to '.join(bounds)})" if bounds else ""
    return f"{field.title}: {field.description}{span}."


def _field(path: str) -> FieldInfo:
    """The first field of this path in any kind of request."""
    return next(field for model in MADE.values() if (field := _field_of(model, path)) is not None)


def _field_of(model: type[BaseModel], path: str) -> FieldInfo | None:
    parent, _, name = path.rpartition(".")
    if parent:
        annotation = model.model_fields[parent].annotation
        assert isinstance(annotation, type)
        assert issubclass(annotation, BaseModel)
        model = annotation
    return model.model_fields.get(name)

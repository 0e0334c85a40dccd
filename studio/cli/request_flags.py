"""The flags of a request: their help comes from its fields, and its refusals name them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer
from annotated_types import Ge, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from studio.errors import BadInput, rebuild
from studio.requests import REQUESTS, GenerateImage, GenerateVideo, Request, parse_request
from studio.rules import parse_size

FLAGS: dict[str, str] = {
    "checkpoint": "--checkpoint",
    "prompt": "PROMPT",
    "aspect_ratio": "--size",
    "resolution": "--size",
    "sampling.num_inference_steps": "--steps",
    "sampling.guidance_scale": "--guidance",
    "sampling.seed": "--seed",
    "sampling.flow_shift": "--flow-shift",
    "sampling.schedule": "--schedule",
    "sampling.guidance_interval": "--guidance-interval",
    "num_frames": "--num-frames",
    "fps": "--fps",
    "sound": "--sound/--no-sound",
    "start_image": "--start-image",
    "source_video": "--source-video",
    "condition_frames": "--condition-frames",
    "condition_end": "--condition-end",
    "save_latents": "--save-latents",
    "count": "--count",
    "negative_prompt": "--negative-prompt",
    "use_system_prompt": "--system-prompt/--no-system-prompt",
    "use_resolution_template": "--resolution-sentence/--no-resolution-sentence",
    "use_duration_template": "--duration-sentence/--no-duration-sentence",
}
"""How the command line calls each field of a request."""

METAVARS: dict[Any, str] = {int: "INTEGER", float: "NUMBER"}
"""Numbers reach the request as they were typed: it says better than a flag parser what came and what was expected."""


def flag(path: str) -> Any:
    """The option of one field, with its help and its ORRERY_ variable."""
    name = FLAGS[path]
    variable = "ORRERY_" + name.split("/")[0].removeprefix("--").replace("-", "_").upper()
    return typer.Option(name, envvar=variable, help=_help(path), metavar=METAVARS.get(_field(path).annotation))


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
        payload["resolution"], payload["aspect_ratio"] = parse_size(size)
    for path, value in said.items():
        if value is not None:
            parent, _, name = path.rpartition(".")
            (payload.setdefault(parent, {}) if parent else payload)[name] = value
    try:
        return parse_request(payload)
    except BadInput as error:
        where = FLAGS.get(error.param or "")
        if error.param in payload and error.param not in REQUESTS[kind].model_fields:
            raise BadInput(
                f"{where} does not go with {kind}.", param=error.param, hint="Clips are .mp4 files."
            ) from None
        hint = f"{error.hint} It is set by {where}.".strip() if where else error.hint
        raise rebuild(error.code, error.message, error.param, hint) from None


def _help(path: str) -> str:
    field = _field(path)
    rules: list[object] = field.metadata
    bounds = [f"{rule.ge}" for rule in rules if isinstance(rule, Ge)]
    bounds += [f"{rule.le}" for rule in rules if isinstance(rule, Le)]
    span = f" ({' to '.join(bounds)})" if bounds else ""
    return f"{field.title}: {field.description}{span}."


def _field(path: str) -> FieldInfo:
    model: type[BaseModel] = GenerateVideo if path in GenerateVideo.model_fields else GenerateImage
    *parents, name = path.split(".")
    for parent in parents:
        annotation = model.model_fields[parent].annotation
        assert isinstance(annotation, type)
        assert issubclass(annotation, BaseModel)
        model = annotation
    return model.model_fields[name]

"""OpenAI's images API, with the sampling fields that vLLM-Omni and SGLang added to it for Cosmos 3."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from studio.errors import BadInput
from studio.jobs import Job
from studio.requests import cut, nearest, shown
from studio.rules import parse_size

SAMPLING = frozenset({"num_inference_steps", "guidance_scale", "flow_shift", "schedule", "seed", "guidance_interval"})
SWITCHES = frozenset({"use_system_prompt", "use_resolution_template", "use_duration_template", "negative_prompt"})
TRANSLATED = frozenset({"prompt", "model", "n", "size", "response_format", "extra_params", "extra_args"})
IGNORED = frozenset({"quality", "style", "user", "background", "moderation", "output_format", "stream"})
"""Fields of OpenAI's own models that mean nothing here, sent by its client with their defaults."""

RESPONSE_FORMATS = ("b64_json", "url")


class ImageData(BaseModel):
    """One image of the answer; `seed` is ours."""

    b64_json: str | None = None
    url: str | None = None
    revised_prompt: str | None = None
    seed: int | None = None


class ImagesAnswer(BaseModel):
    """What `images.generate` reads."""

    created: int
    data: list[ImageData]
    output_format: Literal["png"] = "png"
    size: str


def to_payload(body: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Our request's JSON and the wanted response format, from their body.

    Raises:
        BadInput: a field is unknown, or a size or response format is not one of ours.
    """
    fields = {name: value for name, value in body.items() if value is not None and name not in IGNORED}
    extra = _extra(fields.pop("extra_params", None)) | _extra(fields.pop("extra_args", None))
    fields = {**extra, **fields}
    known = SAMPLING | SWITCHES | TRANSLATED
    for name in fields:
        if name not in known:
            raise BadInput(f"{cut(name)} is not a field here.", param=cut(name), hint=nearest(name, known))
    response_format = fields.get("response_format", RESPONSE_FORMATS[0])
    if response_format not in RESPONSE_FORMATS:
        raise BadInput(
            f"response_format is {shown(response_format)}; b64_json or url is expected.", param="response_format"
        )
    payload: dict[str, Any] = {"kind": "generate_image"}
    for theirs, ours in {"prompt": "prompt", "model": "checkpoint", "n": "count"}.items():
        if theirs in fields:
            payload[ours] = fields[theirs]
    if fields.get("size", "auto") != "auto":
        size = fields["size"]
        payload["resolution"], payload["aspect_ratio"] = parse_size(size if isinstance(size, str) else shown(size))
    payload |= {name: fields[name] for name in SWITCHES & fields.keys()}
    payload["sampling"] = {name: fields[name] for name in SAMPLING & fields.keys()}
    return payload, response_format


def to_answer(job: Job, pictures: Sequence[bytes] | None, base_url: str) -> ImagesAnswer:
    """Their answer from a finished job.

    Args:
        pictures: PNG bytes of each result for `b64_json`, or none for `url`.
        base_url: this server's address as the caller knows it, without a final slash.
    """
    data = [ImageData(seed=result.seed) for result in job.results]
    for index, (image, result) in enumerate(zip(data, job.results, strict=True)):
        if pictures is None:
            image.url = f"{base_url}{result.url}"
        else:
            image.b64_json = base64.b64encode(pictures[index]).decode()
    first = job.results[0]
    return ImagesAnswer(created=int(job.created_at.timestamp()), data=data, size=f"{first.width}x{first.height}")


def _extra(value: object) -> dict[str, Any]:
    """`extra_params` as an object, or as the JSON text of one."""
    if value is None:
        return {}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, dict):
        raise BadInput("extra_params is no JSON object.", param="extra_params")
    return {str(name): entry for name, entry in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]

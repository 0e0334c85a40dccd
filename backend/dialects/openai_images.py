"""OpenAI's images API, with the sampling fields that vLLM-Omni and SGLang added to it for Cosmos 3."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel

from backend.dialects.fields import EXTRAS, adapter_of, check_names, with_extras
from studio.errors import BadInput, NotAllowed
from studio.jobs import Job
from studio.requests import shown
from studio.rules import parse_size

SAMPLING = frozenset(
    {"num_inference_steps", "guidance_scale", "flow_shift", "schedule", "seed", "guidance_interval", "step_cache"}
)
SWITCHES = frozenset(
    {"use_system_prompt", "use_resolution_template", "use_duration_template", "negative_prompt", "upsample"}
)
TRANSLATED = frozenset(
    {
        "prompt",
        "model",
        "n",
        "size",
        "width",
        "height",
        "response_format",
        "output_format",
        "output_compression",
        "lora",
    }
    | {"guardrails", "use_guardrails"}
)
IGNORED = frozenset(
    {"quality", "style", "user", "background", "moderation", "partial_images", "input_fidelity"}
    | {"max_sequence_length", "return_stage_metrics", "output_type", "deterministic_seed"}
)
"""Fields of OpenAI's own models, sent by its client with their defaults, and of the serving stacks, that change nothing
about a picture here."""

ResponseFormat = Literal["b64_json", "url", "file"]
OutputFormat = Literal["png", "jpeg", "webp"]


@dataclass(frozen=True)
class ImagesCall:
    """What was called for.

    Attributes:
        payload: our request's JSON.
        response_format: in the answer as base64, as addresses, or the file itself; several come as a zip.
        output_format: pictures are made as PNG, and written anew for another format, without their recipe.
        quality: of JPEG and WebP, 1 to 100 (`output_compression`).
        guardrails: whether the guardrail is asked; none is the server's own setting.
    """

    payload: dict[str, Any]
    response_format: ResponseFormat
    output_format: OutputFormat
    quality: int
    guardrails: bool | None


class ImageData(BaseModel):
    """One image of the answer; `seed` is ours."""

    b64_json: str | None = None
    url: str | None = None
    revised_prompt: str | None = None
    seed: int | None = None


class ImagesAnswer(BaseModel):
    """What `images.generate` reads, and SGLang's `id` and `inference_time_s`."""

    id: str
    created: int
    data: list[ImageData]
    output_format: OutputFormat = "png"
    size: str
    inference_time_s: float | None = None


def to_call(body: Mapping[str, Any]) -> ImagesCall:
    """What a body calls for.

    Raises:
        BadInput: a field is unknown, or a size or format is not one of ours.
        NotAllowed: it asks for a stream, or for an adapter in a way that is not served.
    """
    fields = {name: value for name, value in with_extras(body).items() if name not in IGNORED}
    if fields.pop("stream", None) not in (None, False):
        raise NotAllowed(
            "Streaming images is not supported.",
            param="stream",
            hint="Remove stream. GET /v1/events has previews of running jobs.",
        )
    check_names(fields, SAMPLING | SWITCHES | TRANSLATED | set(EXTRAS), "")
    response_format = _one_of(fields, "response_format", get_args(ResponseFormat))
    output_format = _one_of(fields, "output_format", get_args(OutputFormat))
    quality = fields.get("output_compression", 100)
    if isinstance(quality, bool) or not isinstance(quality, int) or not 0 <= quality <= 100:
        raise BadInput(f"output_compression is {shown(quality)}; expected 0 to 100.", param="output_compression")
    guardrails = fields.get("guardrails", fields.get("use_guardrails"))
    if guardrails is not None and not isinstance(guardrails, bool):
        raise BadInput(f"guardrails is {shown(guardrails)}; expected true or false.", param="guardrails")
    payload: dict[str, Any] = {"kind": "generate_image"}
    for theirs, ours in {"prompt": "prompt", "model": "checkpoint", "n": "count"}.items():
        if theirs in fields:
            payload[ours] = fields[theirs]
    size = fields.get("size", "auto")
    if size == "auto" and ("width" in fields or "height" in fields):  # SGLang's way to say it
        size = f"{shown(fields.get('width'))}x{shown(fields.get('height'))}"
    if size != "auto":
        payload["resolution"], payload["aspect_ratio"] = parse_size(size if isinstance(size, str) else shown(size))
    payload |= {name: fields[name] for name in SWITCHES & fields.keys()}
    payload["sampling"] = {name: fields[name] for name in SAMPLING & fields.keys()}
    payload |= adapter_of(fields.get("lora"))
    return ImagesCall(
        payload, cast(ResponseFormat, response_format), cast(OutputFormat, output_format), max(quality, 1), guardrails
    )


def _one_of(fields: Mapping[str, Any], name: str, options: Sequence[str]) -> str:
    value = fields.get(name, options[0])
    if value not in options:
        raise BadInput(f"{name} is {shown(value)}; expected {' or '.join(options)}.", param=name)
    return value


def to_answer(
    job: Job, pictures: Sequence[bytes] | None, base_url: str, output_format: OutputFormat = "png"
) -> ImagesAnswer:
    """Their answer from a finished job.

    Args:
        pictures: bytes of each result for `b64_json`, or none for `url`.
        base_url: this server's address as the caller knows it, without a final slash.
    """
    rewritten = job.request.prompt if getattr(job.request, "written_from", None) else None
    data = [ImageData(seed=result.seed, revised_prompt=rewritten) for result in job.results]
    for index, (image, result) in enumerate(zip(data, job.results, strict=True)):
        if pictures is None:
            image.url = f"{base_url}{result.url}"
        else:
            image.b64_json = base64.b64encode(pictures[index]).decode()
    first = job.results[0]
    took_s = (job.finished_at - job.started_at).total_seconds() if job.finished_at and job.started_at else None
    return ImagesAnswer(
        id=job.id,
        inference_time_s=took_s,
        created=int(job.created_at.timestamp()),
        data=data,
        size=f"{first.width}x{first.height}",
        output_format=output_format,
    )

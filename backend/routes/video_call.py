"""From the body of `POST /v1/videos` to a job."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from backend.dialects.openai_videos import FILES, addresses_in, to_draft
from backend.dialects.video_fields import VideoFields, read_fields
from backend.routes.call_body import CallBody, read_body
from backend.routes.chat import own_hosts
from backend.routes.repeated import submitted
from backend.services import Services
from studio.errors import BadInput, StudioError
from studio.jobs import Job
from studio.media import MediaReference
from studio.requests import cut, nearest

FORM_EXAMPLE: dict[str, Any] = {
    "prompt": "A small warehouse robot moves a blue box across a clean floor.",
    "size": "320x192",
    "num_frames": 17,
    "fps": 24,
    "num_inference_steps": 10,
    "guidance_scale": 6,
    "flow_shift": 10,
    "seed": 0,
    "extra_params": {"use_resolution_template": False, "use_duration_template": False, "guardrails": False},
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["prompt"],
    "properties": {
        "prompt": {"type": "string"},
        "negative_prompt": {"type": "string"},
        "model": {"type": "string"},
        "size": {"type": "string", "description": "WIDTHxHEIGHT, one of Cosmos 3's"},
        "seconds": {"type": "number"},
        "num_frames": {"type": "integer"},
        "fps": {"type": "number"},
        "num_inference_steps": {"type": "integer"},
        "guidance_scale": {"type": "number"},
        "flow_shift": {"type": "number"},
        "seed": {"type": "integer"},
        "n": {"type": "integer"},
        "generate_sound": {"type": "boolean"},
        "input_reference": {"description": "a picture or clip: a file of a form, or an address"},
        "extra_params": {"type": "object", "description": "Cosmos 3's own fields; as good beside it"},
    },
    "additionalProperties": True,
}
FORM_SCHEMA: dict[str, Any] = {
    **SCHEMA,
    "properties": {
        **SCHEMA["properties"],
        "input_reference": {"type": "string", "format": "binary"},
        "control_reference": {"type": "string", "format": "binary"},
        "extra_params": {"type": "string", "description": "JSON, or fields as extra_params[name]"},
    },
}
BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {"schema": SCHEMA, "example": FORM_EXAMPLE},
        "multipart/form-data": {
            "schema": FORM_SCHEMA,
            "example": {**FORM_EXAMPLE, "extra_params": '{"use_resolution_template": false}'},
        },
    },
}


async def submit_video(request: Request, parts: Services, key: str | None) -> tuple[Job, bool]:
    """The job that a body asks for, and whether it was asked for before.

    Raises:
        StudioError: it is none, in the caller's own names for fields.
    """
    body = await read_body(request)
    return await submit_fields(read_fields(body.fields), await files_of(body, parts), request, parts, key)


async def submit_fields(
    fields: VideoFields, media: dict[str, MediaReference], request: Request, parts: Services, key: str | None
) -> tuple[Job, bool]:
    """The job that fields ask for, with what came as files; see `submit_video`."""
    if fields.prompt is None:
        raise BadInput("prompt is missing.", param="prompt", hint="Send prompt.")
    for name, address in addresses_in(fields):
        if name not in media:
            media[name] = await parts.words.given_media.keep(address, name, own_hosts(request))
    if fields.action_path is not None and fields.action is None:
        rows = await parts.words.given_media.actions(fields.action_path, "action_path")
        fields = fields.model_copy(update={"action": tuple(rows)})
    if fields.model is not None:
        fields = fields.model_copy(update={"model": parts.fleet.catalogue.id_of(fields.model)})
    draft = to_draft(fields, media)
    try:
        return await submitted(parts, draft.payload, key, guardrails=fields.guardrails)
    except StudioError as error:
        raise draft.in_its_words(error) from None


async def files_of(body: CallBody, parts: Services) -> dict[str, MediaReference]:
    """The files of a form, kept, by their names. Raises BadInput for a name that is none."""
    for name in body.files:
        if name not in FILES:
            raise BadInput(f"{cut(name)} is not a file here.", param=cut(name), hint=nearest(name, FILES))
    media: dict[str, MediaReference] = {}
    for name, file in body.files.items():
        ours = "input_reference" if name == "input_references" else name
        media[ours] = await parts.words.given_media.keep_file(file.file, name, file.filename or "")
    return media

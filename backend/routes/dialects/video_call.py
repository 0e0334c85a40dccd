"""From the body of `POST /v1/videos`, JSON or a form with files, to a job."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from fastapi import Request
from starlette.datastructures import UploadFile

from backend.dialects.fields import object_of_form
from backend.dialects.openai_video_answers import shown_results
from backend.dialects.openai_videos import FILES, addresses_in, to_draft
from backend.dialects.video_fields import VideoFields, read_fields
from backend.edge.body_limit import MAX_JSON_BYTES
from backend.routes.dialects.chat import own_hosts
from backend.routes.job_call import submitted
from backend.services import Services
from studio.errors import BadInput, Conflict, JobNotFound, StudioError
from studio.jobs import Job
from studio.media import MediaReference
from studio.requests import cut, nearest, shown

MAX_FIELDS = 20_000
"""Of a form: 60 actions of 57 values come as 3,420 fields of OpenAI's client."""

MAX_FILES = 16

SOURCE = "input_reference"


@dataclass(frozen=True)
class CallBody:
    """Fields by name, and files of a form by theirs."""

    fields: Mapping[str, Any]
    files: Mapping[str, UploadFile] = field(default_factory=dict[str, UploadFile])


async def read_body(request: Request) -> CallBody:
    """The body of a call.

    Raises:
        BadInput: it is neither JSON nor a form, or there are two files of one name.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
        return await _form(request)
    raw = await request.body()
    body = await asyncio.to_thread(_object, raw)
    return CallBody(body)


async def _form(request: Request) -> CallBody:
    form = await request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=MAX_JSON_BYTES)
    files: dict[str, UploadFile] = {}
    texts: list[tuple[str, str]] = []
    for name, value in form.multi_items():
        if isinstance(value, str):
            texts.append((name, value))
            continue
        plain = name.removesuffix("[]").removesuffix("[0]")
        if plain in files:
            raise BadInput(f"There are two files {plain}; expected one.", param=plain[:80])
        files[plain] = value
    return CallBody(object_of_form(texts), files)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        body: object = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadInput(
            "The body is neither JSON nor a form.",
            hint="Send an object with content-type application/json, or multipart/form-data.",
        ) from None
    if not isinstance(body, dict):
        raise BadInput("The body is not a JSON object.", hint="Send an object.")
    return cast(dict[str, Any], body)


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
_FIELDS = VideoFields.model_json_schema()
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["prompt"],
    "properties": {
        **_FIELDS["properties"],
        "extra_params": {"type": "object", "description": "Cosmos 3's own fields; also accepted at the top level"},
    },
    "additionalProperties": True,
}
FORM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["prompt"],
    "properties": {
        "prompt": {"type": "string"},
        "input_reference": {"type": "string", "format": "binary"},
        "control_reference": {"type": "string", "format": "binary"},
        "extra_params": {"type": "string", "description": "JSON, or fields as extra_params[name]"},
    },
    "additionalProperties": True,
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


EXTENSION: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["video", "prompt"],
                "properties": {
                    "video": {"description": "the video to continue: its id, {id}, or a media id"},
                    **SCHEMA["properties"],
                },
                "additionalProperties": True,
            },
            "example": {
                "video": {"id": "uc1c1c1c1c1c1c1c1"},
                "prompt": "The arm puts the cube down.",
                "size": "320x192",
                "num_frames": 9,
            },
        }
    },
}


async def submit_extension(request: Request, parts: Services, key: str | None) -> tuple[Job, bool]:
    """The job that continues a video, which is the body's `video`; otherwise as `submit_video`."""
    body = await read_body(request)
    fields = {"condition_video_keep": "last", **body.fields}
    files = {SOURCE if name == "video" else name: file for name, file in body.files.items()}
    if SOURCE not in files:
        fields[SOURCE] = await _address_of(fields.pop("video", None), parts)
    return await submit_fields(read_fields(fields), await files_of(CallBody(fields, files), parts), request, parts, key)


async def _address_of(video: object, parts: Services) -> str:
    said: object = cast(dict[str, Any], video).get("id") if isinstance(video, dict) else video
    if not isinstance(said, str):
        raise BadInput(
            f"video is {shown(said)}; expected the video to continue.", param="video", hint='Send video: {"id": …}.'
        )
    try:
        job = await parts.fleet.jobs.get(said)
    except JobNotFound:
        return said  # a media id, or any other address of a video
    made = shown_results(job)
    if not made:
        raise Conflict(f"Video {said} is {job.state} and has no frames to continue.", param="video")
    if made[0].type != "video":
        raise BadInput(f"{said} is an image; only videos can be continued.", param="video", hint="Use POST /v1/videos.")
    return f"media:{made[0].id}"


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
            raise BadInput(f"{cut(name)} is not a known file field.", param=cut(name), hint=nearest(name, FILES))
    media: dict[str, MediaReference] = {}
    for name, file in body.files.items():
        ours = "input_reference" if name == "input_references" else name
        media[ours] = await parts.words.given_media.keep_file(file.file, name, file.filename or "")
    return media

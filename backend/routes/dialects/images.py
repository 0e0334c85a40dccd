"""`/v1/images/generations` in OpenAI's form: one call, one answer, and a job like any other behind it."""

from __future__ import annotations

import io
import zipfile
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request, Response
from PIL import Image
from starlette.concurrency import run_in_threadpool

from backend.dialects.openai_images import ImagesAnswer, ImagesCall, OutputFormat, to_answer, to_call
from backend.errors import documented
from backend.media import MediaStore
from backend.routes.job_call import IdempotencyKey, outcome, submitted, told_of
from backend.services import Parts
from studio.errors import BadInput, Conflict, EngineError, MediaNotFound, NotAllowed, NotImplementedHere
from studio.jobs import Job

router = APIRouter(prefix="/v1/images", tags=["openai"])

EXAMPLE = {"prompt": "A robot arm above a red cube.", "size": "256x256", "n": 1, "response_format": "b64_json"}


@router.post(
    "/generations",
    response_model=ImagesAnswer,
    responses={
        200: {"content": {"image/png": {}, "application/zip": {}}},
        **documented(BadInput, NotAllowed, MediaNotFound, Conflict, EngineError),
    },
)
async def generate(
    body: Annotated[dict[str, Any], Body(examples=[EXAMPLE])],
    request: Request,
    response: Response,
    parts: Parts,
    key: IdempotencyKey = None,
) -> ImagesAnswer | Response:
    """Generate images and wait for them. Disconnecting cancels the job."""
    call = to_call(body)
    if isinstance(call.payload.get("checkpoint"), str):
        call.payload["checkpoint"] = parts.fleet.catalogue.id_of(call.payload["checkpoint"])
    job, replayed = await submitted(parts, call.payload, key, response, guardrails=call.guardrails)
    job = await outcome(job, request, parts.fleet.jobs, shared=replayed)
    if call.response_format == "url":
        return to_answer(job, None, str(request.base_url).rstrip("/"))
    pictures = await run_in_threadpool(_pictures, job, call, parts.ledger.media)
    if call.response_format == "b64_json":
        return to_answer(job, pictures, "", call.output_format)
    headers = {"X-Request-Id": job.id} | told_of(job, replayed)
    if len(pictures) == 1:
        return Response(pictures[0], media_type=f"image/{call.output_format}", headers=headers)
    return Response(_zipped(job, pictures, call.output_format), media_type="application/zip", headers=headers)


@router.post("/edits", status_code=501, responses=documented(NotImplementedHere))
async def edits() -> None:
    """Not supported: Cosmos 3 generates images from text only."""
    raise NotImplementedHere(
        "Images are generated from text only.", hint="To start from an image, use POST /v1/videos with input_reference."
    )


@router.post("/variations", status_code=501, responses=documented(NotImplementedHere))
async def variations() -> None:
    """Not supported: see edits."""
    raise NotImplementedHere("Variations are not supported.", hint="Request n images of one prompt instead.")


def _pictures(job: Job, call: ImagesCall, media: MediaStore) -> list[bytes]:
    """The bytes of each, in the format that was asked for."""
    found = [media.file(result.id).read_bytes() for result in job.results]
    return found if call.output_format == "png" else [_written(raw, call.output_format, call.quality) for raw in found]


def _written(png: bytes, output_format: OutputFormat, quality: int) -> bytes:
    buffer = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").save(buffer, output_format.upper(), quality=quality)
    return buffer.getvalue()


def _zipped(job: Job, pictures: list[bytes], output_format: OutputFormat) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for index, picture in enumerate(pictures):
            archive.writestr(f"{job.id}-{index}.{output_format}", picture)
    return buffer.getvalue()

"""`/v1/media`: what was made or uploaded. Ranges, an ETag, and for ever: an artefact never changes."""

from __future__ import annotations

import pathlib
import shutil
from tempfile import NamedTemporaryFile
from typing import Annotated, BinaryIO, Literal

from fastapi import APIRouter, Body, Path, Query, Request, UploadFile
from fastapi.responses import FileResponse, JSONResponse, Response

from backend.errors import documented
from backend.media import DECODERS, read_recipe
from backend.media.file_names import mime_of
from backend.services import UsesControls, UsesMedia, UsesSheets, UsesUploads
from studio.catalogue import Recipe
from studio.errors import (
    BadInput,
    BrokenCheckpoint,
    Busy,
    CheckpointNotFound,
    Conflict,
    DiskFull,
    EngineError,
    MediaNotFound,
    QuotaExceeded,
    StorageError,
    TooLarge,
)
from studio.library import SpritesheetLayout, Waveform
from studio.media import MediaReference
from studio.requests import AspectRatio
from studio.requests.transfer_video import ComputeControl, ComputedHint, ControlTier, Strength

router = APIRouter(prefix="/v1/media", tags=["media"])

MediaId = Annotated[str, Path(examples=["u0123456789abcdef"])]

LAYOUT_HEADER = "x-orrery-spritesheet"
HEADERS = {"cache-control": "private, max-age=31536000, immutable", "x-content-type-options": "nosniff"}


@router.post("", status_code=201, responses=documented(BadInput, TooLarge, StorageError, DiskFull, QuotaExceeded))
async def upload(
    file: UploadFile,
    uploads: UsesUploads,
    evaluation: Annotated[bool, Query(description="for a benchmark: stays out of the library's view")] = False,
) -> MediaReference:
    """Upload an image or a video. Its type is found by decoding it; the same content has the same id."""
    return await uploads.keep(file.file, file.filename or "", evaluation=evaluation)


@router.get("/{media_id}", response_class=FileResponse, responses=documented(MediaNotFound))
async def content(media_id: MediaId, request: Request, media: UsesMedia) -> Response:
    """Download the file."""
    path = media.file(media_id)
    return serve_file(path, mime_of(path), request)


@router.get("/{media_id}/thumbnail", response_class=FileResponse, responses=documented(MediaNotFound))
async def thumbnail(media_id: MediaId, request: Request, media: UsesMedia) -> Response:
    """Get a WebP thumbnail of at most 320 pixels."""
    return serve_file(media.thumbnail(media_id), "image/webp", request)


def serve_file(path: pathlib.Path, mime: str, request: Request) -> Response:
    """A file, a part of it, or 304 when the caller has it. Raises MediaNotFound when it has just been removed."""
    try:
        facts = path.stat()
    except FileNotFoundError:
        raise MediaNotFound("The file is missing.", hint="It was removed.") from None
    response = FileResponse(path, media_type=mime, headers=HEADERS, stat_result=facts)
    etag = response.headers["etag"]
    # RFC 9110, 13.1.2: a list, compared weakly; a proxy that compresses says W/ before what we said.
    held = {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}
    if held & {etag, "*"}:
        return Response(status_code=304, headers={**HEADERS, "etag": etag})
    return response


@router.get(
    "/{media_id}/spritesheet",
    response_class=FileResponse,
    response_model=None,
    responses={
        200: {
            "content": {"image/webp": {}, "application/json": {"schema": SpritesheetLayout.model_json_schema()}},
            "description": f"The sheet, with its layout as JSON in the header {LAYOUT_HEADER}; or the layout alone.",
        },
        **documented(BadInput, MediaNotFound, StorageError),
    },
)
async def spritesheet(
    media_id: MediaId, request: Request, sheets: UsesSheets, layout: Literal["json"] | None = None
) -> Response:
    """Get up to 24 evenly spaced frames of a video, in rows of six; `layout=json` returns their positions instead."""
    if layout is not None:
        return JSONResponse((await sheets.layout(media_id)).model_dump(mode="json"), headers=HEADERS)
    path, laid = await sheets.sheet(media_id)
    response = serve_file(path, "image/webp", request)
    response.headers[LAYOUT_HEADER] = laid.model_dump_json()
    return response


@router.get("/{media_id}/waveform", responses=documented(BadInput, MediaNotFound))
async def waveform(media_id: MediaId, sheets: UsesSheets, response: Response) -> Waveform:
    """Get a video's waveform: per channel the peak of equal time intervals, 0 to 1."""
    found = await sheets.waveform(media_id)
    response.headers.update(HEADERS)
    return found


controls_router = APIRouter(prefix="/v1", tags=["media"])

CONTROL = {"source_video": "u0123456789abcdef", "hint": "edge", "strength": "low", "resolution": "480"}


@controls_router.get(
    "/media/{media_id}/control",
    response_class=Response,
    responses={
        200: {"content": {"image/png": {}}},
        **documented(BadInput, MediaNotFound, CheckpointNotFound, BrokenCheckpoint, Conflict, Busy, EngineError),
    },
)
async def preview(
    media_id: MediaId,
    controls: UsesControls,
    hint: ComputedHint,
    strength: Strength = "medium",
    resolution: ControlTier = "480",
    aspect_ratio: AspectRatio = "16:9",
    at: Annotated[float, Query(ge=0, le=1, allow_inf_nan=False)] = 0.5,
) -> Response:
    """Preview one frame of a video's control, as the model will see it; `at` 0 is the first, 1 the last."""
    png = await controls.preview(media_id, hint, strength, resolution, aspect_ratio, at)
    return Response(png, media_type="image/png", headers=HEADERS)


@controls_router.post(
    "/controls",
    status_code=201,
    responses=documented(
        *(BadInput, MediaNotFound, CheckpointNotFound, BrokenCheckpoint),
        *(Conflict, Busy, EngineError, StorageError, DiskFull),
    ),
)
async def compute(
    asked: Annotated[ComputeControl, Body(examples=[CONTROL])], request: Request, controls: UsesControls
) -> MediaReference:
    """Compute the control of a whole video and store it like an upload."""
    return await controls.compute(asked, request.is_disconnected)


recipes_router = APIRouter(prefix="/v1/recipes", tags=["media"])


@recipes_router.post("/read", responses=documented(BadInput, TooLarge))
async def read(file: UploadFile) -> Recipe:
    """Read the request from a PNG, MP4 or actions JSON that Orrery wrote; the file is not stored.

    For a PNG of another program, the `parameters` text is read; `unread` lists settings that a request does not have.
    """
    return await DECODERS.beside(lambda: _read(file.file))


def _read(stream: BinaryIO) -> Recipe:
    with NamedTemporaryFile() as whole:
        shutil.copyfileobj(stream, whole)
        whole.flush()
        return read_recipe(pathlib.Path(whole.name))

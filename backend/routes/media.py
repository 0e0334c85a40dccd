"""`/v1/media`: what was made or uploaded. Ranges, an ETag, and for ever: an artefact never changes."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request, UploadFile
from fastapi.responses import FileResponse, Response

from backend.errors import documented
from backend.media.file_names import mime_of
from backend.services import Parts
from studio.errors import BadInput, DiskFull, MediaNotFound, QuotaExceeded, StorageError, TooLarge
from studio.media import MediaReference

router = APIRouter(prefix="/v1/media", tags=["media"])

HEADERS = {"cache-control": "private, max-age=31536000, immutable", "x-content-type-options": "nosniff"}


@router.post("", status_code=201, responses=documented(BadInput, TooLarge, StorageError, DiskFull, QuotaExceeded))
async def upload(file: UploadFile, parts: Parts) -> MediaReference:
    """Keep a picture or a clip to start from. What it is shows in decoding it; the same content has the same id."""
    return await parts.uploads.keep(file.file, file.filename or "")


@router.get("/{media_id}", response_class=FileResponse, responses=documented(MediaNotFound))
async def content(media_id: str, request: Request, parts: Parts) -> Response:
    """The file itself."""
    path = parts.media.file(media_id)
    return serve_file(path, mime_of(path), request)


@router.get("/{media_id}/thumbnail", response_class=FileResponse, responses=documented(MediaNotFound))
async def thumbnail(media_id: str, request: Request, parts: Parts) -> Response:
    """A WebP of at most 320 pixels."""
    return serve_file(parts.media.thumbnail(media_id), "image/webp", request)


def serve_file(path: Path, mime: str, request: Request) -> Response:
    """A file, a part of it, or 304 when the caller has it."""
    response = FileResponse(path, media_type=mime, headers=HEADERS, stat_result=path.stat())
    etag = response.headers["etag"]
    # RFC 9110, 13.1.2: a list, compared weakly; a proxy that compresses says W/ before what we said.
    held = {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}
    if held & {etag, "*"}:
        return Response(status_code=304, headers={**HEADERS, "etag": etag})
    return response

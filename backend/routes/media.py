"""`/v1/media`: what was made. Ranges, an ETag, and for ever: an artefact never changes."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response

from backend.errors import documented
from backend.services import Parts
from studio.errors import MediaNotFound

router = APIRouter(prefix="/v1/media", tags=["media"])

HEADERS = {"cache-control": "private, max-age=31536000, immutable", "x-content-type-options": "nosniff"}


@router.get("/{media_id}", response_class=FileResponse, responses=documented(MediaNotFound))
async def content(media_id: str, request: Request, parts: Parts) -> Response:
    """The file itself."""
    return serve_file(parts.media.file(media_id), "image/png", request)


@router.get("/{media_id}/thumbnail", response_class=FileResponse, responses=documented(MediaNotFound))
async def thumbnail(media_id: str, request: Request, parts: Parts) -> Response:
    """A WebP of at most 320 pixels."""
    return serve_file(parts.media.thumbnail(media_id), "image/webp", request)


def serve_file(path: Path, mime: str, request: Request) -> Response:
    """A file, a part of it, or 304 when the caller has it."""
    response = FileResponse(path, media_type=mime, headers=HEADERS, stat_result=path.stat())
    if request.headers.get("if-none-match") == response.headers["etag"]:
        return Response(status_code=304, headers={**HEADERS, "etag": response.headers["etag"]})
    return response

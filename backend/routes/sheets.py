"""`/v1/media/{id}/spritesheet` and `/waveform`: a clip at a glance."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, JSONResponse, Response

from backend.errors import documented
from backend.routes.media import HEADERS, serve_file
from backend.services import Parts
from studio.errors import BadInput, MediaNotFound, StorageError
from studio.library import SpritesheetLayout, Waveform

router = APIRouter(prefix="/v1/media", tags=["media"])

LAYOUT_HEADER = "x-orrery-spritesheet"


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
async def spritesheet(media_id: str, request: Request, parts: Parts, layout: Literal["json"] | None = None) -> Response:
    """Up to 24 frames of a clip, evenly spaced, in rows of six; `layout=json` answers where they lie instead."""
    if layout is not None:
        return JSONResponse((await parts.sheets.layout(media_id)).model_dump(mode="json"), headers=HEADERS)
    path, laid = await parts.sheets.sheet(media_id)
    response = serve_file(path, "image/webp", request)
    response.headers[LAYOUT_HEADER] = laid.model_dump_json()
    return response


@router.get("/{media_id}/waveform", responses=documented(BadInput, MediaNotFound))
async def waveform(media_id: str, parts: Parts, response: Response) -> Waveform:
    """How loud a clip is over its length: for each channel the largest magnitude of equal stretches, 0 to 1."""
    found = await parts.sheets.waveform(media_id)
    response.headers.update(HEADERS)
    return found

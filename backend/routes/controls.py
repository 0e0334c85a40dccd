"""`/v1/controls`: what a transfer will follow, seen before anything is made with it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from backend.errors import documented
from backend.routes.media import HEADERS
from backend.services import Parts
from studio.controls import ComputeControl, ComputedHint, ControlTier
from studio.errors import BadInput, Conflict, DiskFull, MediaNotFound, StorageError
from studio.media import MediaReference
from studio.requests import AspectRatio
from studio.requests.transfer_video import Strength

router = APIRouter(prefix="/v1", tags=["media"])


@router.get(
    "/media/{media_id}/control",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}, **documented(BadInput, MediaNotFound)},
)
async def preview(
    media_id: str,
    parts: Parts,
    hint: ComputedHint,
    strength: Strength = "medium",
    resolution: ControlTier = "480",
    aspect_ratio: AspectRatio = "16:9",
    at: Annotated[float, Query(ge=0, le=1, allow_inf_nan=False)] = 0.5,
) -> Response:
    """One frame of a control that a clip would give, as the model will see it; `at` 0 is the first, 1 the last."""
    png = await parts.controls.preview(media_id, hint, strength, resolution, aspect_ratio, at)
    return Response(png, media_type="image/png", headers=HEADERS)


@router.post(
    "/controls", status_code=201, responses=documented(BadInput, MediaNotFound, Conflict, StorageError, DiskFull)
)
async def compute(asked: ComputeControl, request: Request, parts: Parts) -> MediaReference:
    """Compute the whole control of a clip and keep it like an upload: to watch, to fetch, to name in a request."""
    return await parts.controls.compute(asked, request.is_disconnected)

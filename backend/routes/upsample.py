"""`/v1/upsample`: a person's words as the structured caption that the generator was trained on."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Request

from backend.errors import documented
from backend.routes.hanging_up import unless_gone
from backend.services import Parts
from studio.errors import BadInput, Busy, EngineError, MediaNotFound, ServerUnreachable
from studio.reasoner_answers import UpsampleAnswer

router = APIRouter(prefix="/v1/upsample", tags=["reasoner"])

EXAMPLE = {"kind": "generate_video", "prompt": "The arm lifts the cube.", "start_image": "u0123456789abcdef"}


@router.post(
    "",
    response_model_exclude_unset=True,
    responses=documented(BadInput, MediaNotFound, Busy, EngineError, ServerUnreachable),
)
async def upsample(
    payload: Annotated[dict[str, Any], Body(examples=[EXAMPLE])], request: Request, parts: Parts
) -> UpsampleAnswer:
    """Upsample the prompt of a request for a picture, clip or transfer, which is not made; who hangs up stops it."""
    return UpsampleAnswer.of(await unless_gone(request, parts.upsampler.answer(payload)))

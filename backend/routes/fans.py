"""`/v1/fans`: what a policy would do about one image with other seeds or other instructions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path

from backend.errors import documented
from backend.services import UsesFans
from studio.errors import BadInput, Busy, FanNotFound
from studio.fans import FAN_EXAMPLE, Fan, FanRequest

router = APIRouter(prefix="/v1/fans", tags=["fans"])

FanId = Annotated[str, Path(examples=["9f1c2e3d4b5a"])]


@router.post("", status_code=202, responses=documented(BadInput, Busy))
async def begin(asked: Annotated[FanRequest, Body(examples=[FAN_EXAMPLE])], fans: UsesFans) -> Fan:
    """Start a fan. Its jobs are ordinary ones, named in its branches. It is kept until the server ends."""
    return fans.begin(asked)


@router.get("/{fan_id}", responses=documented(FanNotFound))
async def fan(fan_id: FanId, fans: UsesFans) -> Fan:
    """Get a fan: branches with their actions, foreseen videos and paths, then scores, and the ranking at its end."""
    return fans.get(fan_id)


@router.delete("/{fan_id}", responses=documented(FanNotFound))
async def cancel(fan_id: FanId, fans: UsesFans) -> Fan:
    """Cancel a fan and the jobs that it waits for. What it has made stays in the library."""
    return await fans.cancel(fan_id)

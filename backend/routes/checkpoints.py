"""`/v1/checkpoints` and `/v1/choices`: what can be asked of this server."""

from __future__ import annotations

from fastapi import APIRouter

from backend.errors import documented
from backend.services import Parts
from studio.catalogue import CheckpointList, ChoiceList
from studio.errors import UnknownKind
from studio.requests import REQUESTS, nearest, shown
from studio.rules import choices

router = APIRouter(prefix="/v1", tags=["checkpoints"])


@router.get("/checkpoints")
def checkpoints(parts: Parts) -> CheckpointList:
    """Every checkpoint with a preset, and the loaded one."""
    return parts.shelf.listing(parts.dispatcher.status)


@router.get("/choices/{kind}", responses=documented(UnknownKind))
async def options(kind: str, parts: Parts) -> ChoiceList:
    """The options of a request's ruled fields on the loaded checkpoint, refused ones with the reason."""
    if kind not in REQUESTS:
        raise UnknownKind(f"kind is {shown(kind)}.", param="kind", hint=nearest(kind, REQUESTS))
    ruled = choices(kind, parts.shelf.loaded.capabilities())
    return ChoiceList(checkpoint=parts.shelf.loaded.id, choices={name: tuple(row) for name, row in ruled.items()})

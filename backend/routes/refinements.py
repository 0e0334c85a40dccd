"""`/v1/refinements`: results that are judged and made anew until they are good enough."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query

from backend.errors import documented
from backend.services import Parts
from studio.errors import (
    BadInput,
    Busy,
    CheckpointNotFound,
    Conflict,
    DiskFull,
    MediaNotFound,
    NotAllowed,
    RefinementNotFound,
)
from studio.refinements import Branch, Reasoners, Refinement, RefinementList

router = APIRouter(prefix="/v1/refinements", tags=["refinements"])

EXAMPLE = {
    "generate": {"kind": "generate_image", "prompt": "A robot arm above a red cube.", "resolution": "256"},
    "num_candidates": 2,
    "max_rewrites": 2,
}


@router.post(
    "",
    status_code=202,
    responses=documented(BadInput, NotAllowed, CheckpointNotFound, MediaNotFound, Conflict, Busy, DiskFull),
)
async def submit(payload: Annotated[dict[str, Any], Body(examples=[EXAMPLE])], parts: Parts) -> Refinement:
    """Begin a refinement. What `generate` leaves out comes from the checkpoint's preset; the answer has all of it."""
    return await parts.refining.submit(payload)


@router.get("", responses=documented(BadInput))
async def newest(parts: Parts, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> RefinementList:
    """The newest refinements in short, newest first."""
    return await parts.refining.newest(limit)


@router.get("/reasoners")
async def reasoners(parts: Parts) -> Reasoners:
    """Who can take each role here: the endpoints of this server, beside the resident reasoner."""
    return parts.refining.reasoners()


@router.get("/{refinement_id}", responses=documented(RefinementNotFound))
async def get(refinement_id: str, parts: Parts) -> Refinement:
    """A refinement as it is now: its whole tree. Each node's `request`, sent as a job, makes the same result again."""
    return await parts.refining.get(refinement_id)


@router.post("/{refinement_id}/branches", status_code=202, responses=documented(RefinementNotFound, BadInput, Conflict))
async def branch(refinement_id: str, asked: Branch, parts: Parts) -> Refinement:
    """Go on from any result with your own words; the newest node of the answer is the branch."""
    return await parts.refining.branch(refinement_id, asked)


@router.post("/{refinement_id}/stop", responses=documented(RefinementNotFound, Conflict))
async def stop(refinement_id: str, parts: Parts) -> Refinement:
    """Begin nothing more and keep what is there."""
    return await parts.refining.stop(refinement_id)


@router.post("/{refinement_id}/resume", status_code=202, responses=documented(RefinementNotFound, NotAllowed, Conflict))
async def resume(refinement_id: str, parts: Parts) -> Refinement:
    """Go on with one that failed or was stopped, at the first thing that is missing."""
    return await parts.refining.resume(refinement_id)

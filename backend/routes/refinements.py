"""`/v1/refinements`: results that are judged and made anew until they are good enough."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query

from backend.errors import documented
from backend.services import UsesRefining
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

RefinementId = Annotated[str, Path(examples=["3d0c5a81fe27"])]

EXAMPLE = {
    "generate": {"kind": "generate_image", "prompt": "A robot arm above a red cube.", "resolution": "256"},
    "num_candidates": 2,
    "max_rewrites": 2,
}

BRANCH = {"node": 0, "words": "The cube is blue.", "rewrites": 1}


@router.post(
    "",
    status_code=202,
    responses=documented(BadInput, NotAllowed, CheckpointNotFound, MediaNotFound, Conflict, Busy, DiskFull),
)
async def submit(payload: Annotated[dict[str, Any], Body(examples=[EXAMPLE])], refining: UsesRefining) -> Refinement:
    """Start a refinement. Fields omitted in `generate` come from the checkpoint's preset; the answer has all fields."""
    return await refining.submit(payload)


@router.get("", responses=documented(BadInput))
async def newest(refining: UsesRefining, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> RefinementList:
    """List refinements in short, newest first."""
    return await refining.newest(limit)


@router.get("/reasoners")
async def reasoners(refining: UsesRefining) -> Reasoners:
    """List the models available for each role: the loaded reasoner and this server's endpoints."""
    return refining.reasoners()


@router.get("/{refinement_id}", responses=documented(RefinementNotFound))
async def get(refinement_id: RefinementId, refining: UsesRefining) -> Refinement:
    """Get the current tree of a refinement. Each node's `request`, sent as a job, makes the same result again."""
    return await refining.get(refinement_id)


@router.post("/{refinement_id}/branches", status_code=202, responses=documented(RefinementNotFound, BadInput, Conflict))
async def branch(
    refinement_id: RefinementId, asked: Annotated[Branch, Body(examples=[BRANCH])], refining: UsesRefining
) -> Refinement:
    """Continue from any result with your own instruction; the newest node of the answer is the branch."""
    return await refining.branch(refinement_id, asked)


@router.post("/{refinement_id}/stop", responses=documented(RefinementNotFound, Conflict))
async def stop(refinement_id: RefinementId, refining: UsesRefining) -> Refinement:
    """Stop a refinement and keep its results."""
    return await refining.stop(refinement_id)


@router.post("/{refinement_id}/resume", status_code=202, responses=documented(RefinementNotFound, NotAllowed, Conflict))
async def resume(refinement_id: RefinementId, refining: UsesRefining) -> Refinement:
    """Resume a failed or stopped refinement at its first missing step."""
    return await refining.resume(refinement_id)

"""`/v1/rollouts`: the policy in a world that the model predicts, chunk after chunk."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path

from backend.errors import documented
from backend.services import UsesRollouts
from studio.errors import BadInput, Busy, RolloutNotFound
from studio.rollouts import ROLLOUT_EXAMPLE, Rollout, RolloutRequest

router = APIRouter(prefix="/v1/rollouts", tags=["rollouts"])

RolloutId = Annotated[str, Path(examples=["9f1c2e3d4b5a"])]


@router.post("", status_code=202, responses=documented(BadInput, Busy))
async def begin(asked: Annotated[RolloutRequest, Body(examples=[ROLLOUT_EXAMPLE])], rollouts: UsesRollouts) -> Rollout:
    """Start a rollout. Its jobs are ordinary ones, named in its chunks. It is kept until the server ends."""
    return rollouts.begin(asked)


@router.get("/{rollout_id}", responses=documented(RolloutNotFound))
async def rollout(rollout_id: RolloutId, rollouts: UsesRollouts) -> Rollout:
    """Get a rollout: chunks with their actions and videos, and, at its end, the whole video."""
    return rollouts.get(rollout_id)


@router.delete("/{rollout_id}", responses=documented(RolloutNotFound))
async def cancel(rollout_id: RolloutId, rollouts: UsesRollouts) -> Rollout:
    """Cancel a rollout and the job that it waits for. What it has made stays in the library."""
    return await rollouts.cancel(rollout_id)

"""`/v1/runs/{id}/corrections` and `…/boundaries`: what people correct in a run, and what other programs take of it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query
from fastapi.responses import StreamingResponse

from backend.errors import documented
from backend.services import UsesCorrections
from studio.errors import BadInput, CorrectionNotFound, DiskFull, RunNotFound, StorageError
from studio.evaluation.boundaries import BoundaryList, Times
from studio.evaluation.boundary_layouts import BoundaryLayout
from studio.evaluation.corrections import Correction, CorrectionList, CorrectItem, PersonName

router = APIRouter(prefix="/v1/runs", tags=["evaluation"])

RunId = Annotated[str, Path(examples=["7a1f00c3d2e5"])]
Layout = Annotated[BoundaryLayout, Path(examples=["mimicgen"])]
WhoseTimes = Annotated[Times, Query(description="whose times")]
CORRECTION = {"item": "demo_0", "reference": [[0.4, 1.2], [1.2, 2.55]], "by": "ada"}
ZIP: dict[str, Any] = {"application/zip": {}}


@router.get("/{run_id}/corrections", responses=documented(RunNotFound))
async def list_corrections(run_id: RunId, corrections: UsesCorrections) -> CorrectionList:
    """List what people have corrected of the run's benchmark, oldest first; the last one of an item counts."""
    return await corrections.listing(run_id)


@router.put("/{run_id}/corrections", responses=documented(RunNotFound, BadInput, DiskFull, StorageError))
async def correct(
    run_id: RunId, asked: Annotated[CorrectItem, Body(examples=[CORRECTION])], corrections: UsesCorrections
) -> Correction:
    """Correct an item: its events, intervals or annotation. Answers stay; a person's next correction replaces it."""
    return await corrections.correct(run_id, asked)


@router.delete("/{run_id}/corrections", status_code=204, responses=documented(RunNotFound, CorrectionNotFound))
async def take_back(
    run_id: RunId,
    item: Annotated[str, Query(examples=["demo_0"])],
    by: Annotated[PersonName, Query(examples=["ada"])],
    corrections: UsesCorrections,
) -> None:
    """Delete a person's correction of an item."""
    await corrections.take_back(run_id, item, by)


@router.get("/{run_id}/boundaries", responses=documented(RunNotFound, BadInput))
async def boundaries(run_id: RunId, corrections: UsesCorrections) -> BoundaryList:
    """Get where events or intervals begin and end: by the reference, by each answer, and as corrected."""
    return await corrections.boundaries(run_id)


@router.get(
    "/{run_id}/boundaries/{layout}",
    response_class=StreamingResponse,
    responses=documented(RunNotFound, BadInput) | {200: {"content": ZIP}},
)
async def archive(
    run_id: RunId, layout: Layout, corrections: UsesCorrections, times: WhoseTimes = "corrected"
) -> StreamingResponse:
    """Download boundaries as a zip: for MimicGen a JSON per demonstration, for LeRobot rows per episode, or messages to
    train on, with their videos.
    """
    zipped = await corrections.archive(run_id, layout, times)
    name = f"{layout}-{run_id}.zip"
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return StreamingResponse(zipped, media_type="application/zip", headers=headers)

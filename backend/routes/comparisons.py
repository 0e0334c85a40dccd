"""`/v1/comparisons`: the same work done in several ways, side by side."""

from __future__ import annotations

import pathlib
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Response
from fastapi.responses import FileResponse
from starlette.types import Receive, Scope, Send

from backend.errors import documented
from backend.services import UsesComparisons, UsesExports, UsesMeasuring
from studio.comparisons import CompareRequest, Comparison, ComparisonList, ExportForm
from studio.errors import (
    BadInput,
    CheckpointNotFound,
    ComparisonNotFound,
    Conflict,
    DiskFull,
    MediaNotFound,
    NotAllowed,
    StorageError,
)

router = APIRouter(prefix="/v1/comparisons", tags=["comparisons"])

ComparisonId = Annotated[str, Path(examples=["7f21c09be4aa"])]

EXAMPLE: dict[str, Any] = {
    "title": "Before and after",
    "request": {"kind": "generate_image", "resolution": "256"},
    "axes": {"sampling.num_inference_steps": [10, 20]},
    "subjects": [{"request": {"prompt": "A robot arm above a red cube."}}],
}
MIME: dict[ExportForm, str] = {"mp4": "video/mp4", "zip": "application/zip", "csv": "text/csv; charset=utf-8"}


@router.post(
    "",
    status_code=202,
    responses=documented(BadInput, NotAllowed, CheckpointNotFound, MediaNotFound, Conflict, DiskFull),
)
async def submit(
    asked: Annotated[CompareRequest, Body(examples=[EXAMPLE])], comparisons: UsesComparisons
) -> Comparison:
    """Generate every subject with every combination of the axes' values, grouped by checkpoint."""
    return await comparisons.submit(asked)


@router.get("")
async def listing(comparisons: UsesComparisons, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> ComparisonList:
    """List comparisons, newest first."""
    return await comparisons.listing(limit)


@router.get("/{comparison_id}", responses=documented(ComparisonNotFound))
async def comparison(comparison_id: ComparisonId, comparisons: UsesComparisons) -> Comparison:
    """Get the current state of a comparison, cell by cell."""
    return await comparisons.get(comparison_id)


@router.get("/{comparison_id}/likeness", responses=documented(ComparisonNotFound))
async def likeness(comparison_id: ComparisonId, measuring: UsesMeasuring) -> Comparison:
    """Get a comparison after all finished cells are measured: PSNR and SSIM to the reference, and controls."""
    return await measuring.measure(comparison_id)


@router.get(
    "/{comparison_id}/export",
    response_class=FileResponse,
    response_model=None,
    responses={
        200: {"content": {mime.partition(";")[0]: {} for mime in MIME.values()}, "description": "The file."},
        **documented(BadInput, ComparisonNotFound, StorageError),
    },
)
async def export(
    comparison_id: ComparisonId,
    form: ExportForm,
    exports: UsesExports,
    sound: Annotated[
        str | None, Query(description="Item whose sound the video has; default: the first item with sound.")
    ] = None,
) -> FileResponse:
    """Export a comparison as one labelled video, as a zip with an offline web page, or as a table."""
    path = await exports.export(comparison_id, form, sound)
    return _PassingFile(path, media_type=MIME[form], filename=f"comparison-{comparison_id}.{form}")


@router.post(
    "/{comparison_id}/retry", status_code=202, responses=documented(ComparisonNotFound, Conflict, MediaNotFound)
)
async def retry(comparison_id: ComparisonId, comparisons: UsesComparisons) -> Comparison:
    """Queue again the cells that failed, were cancelled, or whose files were deleted."""
    return await comparisons.retry(comparison_id)


@router.post("/{comparison_id}/cancel", responses=documented(ComparisonNotFound))
async def cancel(comparison_id: ComparisonId, comparisons: UsesComparisons) -> Comparison:
    """Cancel the cells that have not ended."""
    return await comparisons.cancel(comparison_id)


@router.delete(
    "/{comparison_id}", status_code=204, response_class=Response, responses=documented(ComparisonNotFound, Conflict)
)
async def remove(comparison_id: ComparisonId, comparisons: UsesComparisons) -> None:
    """Delete a comparison that has ended; its results stay in the library."""
    await comparisons.remove(comparison_id)


class _PassingFile(FileResponse):
    """A file that goes once it was sent, or could not be: also where the caller asks for a part that it has not."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            pathlib.Path(self.path).unlink(missing_ok=True)

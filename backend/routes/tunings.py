"""`/v1/datasets` and `/v1/tunings`: what is trained on, and what is made of it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request
from fastapi.responses import FileResponse, Response

from backend.errors import documented
from backend.routes.media import HEADERS
from backend.services import Parts, UsesCaptions, UsesDatasets, UsesTunings
from studio.datasets import CaptionDataset, DatasetInfo, DatasetList, KeptFile
from studio.errors import (
    BadInput,
    BenchmarkNotFound,
    CheckpointNotFound,
    Conflict,
    DatasetNotFound,
    DiskFull,
    MediaNotFound,
    StorageError,
    TuningNotFound,
)
from studio.tuning.presets import choices
from studio.tuning.tunings import KeepSave, RecipeChoices, ResumeTuning, StartTuning, Tuning, TuningCurves, TuningList

datasets = APIRouter(prefix="/v1/datasets", tags=["tuning"])
router = APIRouter(prefix="/v1/tunings", tags=["tuning"])

DatasetName = Annotated[str, Path(description="of the data set", examples=["cups"])]
FilePath = Annotated[str, Path(description="in the data set", examples=["videos/a.mp4"])]
TuningId = Annotated[str, Path(examples=["4e7a00c3d2b1"])]
SaveStep = Annotated[int, Path(ge=0, le=2**31, examples=[100])]
RECIPE = {
    "recipe": {
        "task": "generator",
        "name": "grasp",
        "checkpoint": "speck",
        "data": "cups",
        "num_frames": 17,
        "min_window_frames": 17,
        "optimisation": {"steps": 60, "save_every": 30},
    }
}
AS_BEFORE = ResumeTuning()
CSV: dict[str, Any] = {"text/csv": {}}
TAKES = documented(BadInput, CheckpointNotFound, DatasetNotFound, BenchmarkNotFound, Conflict, StorageError, DiskFull)


@datasets.get("")
async def list_datasets(kept: UsesDatasets) -> DatasetList:
    """List the data sets: those uploaded, those of the server's folder, and the robot's recordings."""
    return await kept.listing()


@datasets.get("/{name}", responses=documented(DatasetNotFound))
async def get_dataset(name: DatasetName, kept: UsesDatasets) -> DatasetInfo:
    """Get a data set: its layout, what can be trained on it, and what is missing."""
    return await kept.get(name)


@datasets.put(
    "/{name}/files/{path:path}",
    status_code=201,
    responses=documented(BadInput, Conflict, DiskFull, StorageError),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def put_file(name: DatasetName, path: FilePath, request: Request, kept: UsesDatasets) -> KeptFile:
    """Upload one file of a data set as the body. The data set is created with its first file."""
    return await kept.put(name, path, request.stream())


@datasets.post(
    "/{name}/captions",
    status_code=202,
    responses=documented(DatasetNotFound, BadInput, Conflict, DiskFull, StorageError),
)
async def caption_dataset(
    name: DatasetName, asked: Annotated[CaptionDataset, Body(examples=[{"by": "names"}])], captions: UsesCaptions
) -> DatasetInfo:
    """Write captions for the videos that have none, or use their file names.

    Returns the data set to train on. A data set that the server only reads is laid out again under another name first.
    """
    return await captions.start(name, asked)


@datasets.delete("/{name}/captions", responses=documented(DatasetNotFound))
async def stop_captions(name: DatasetName, captions: UsesCaptions) -> DatasetInfo:
    """Stop writing captions; those written so far stay, and the next start continues."""
    return await captions.stop(name)


@datasets.delete("/{name}", status_code=204, responses=documented(DatasetNotFound, Conflict, StorageError))
async def remove_dataset(name: DatasetName, kept: UsesDatasets, captions: UsesCaptions, tunings: UsesTunings) -> None:
    """Delete an uploaded data set that no tuning is reading."""
    if tunings.uses(name):
        raise Conflict(f"A tuning is reading {name}.", hint="Stop it first.")
    await captions.stop(name)
    await kept.remove(name)


@router.get("/recipes")
async def recipes(parts: Parts) -> RecipeChoices:
    """Get the JSON Schema of each task's recipe, and the recipe presets."""
    return await asyncio.to_thread(choices, parts.tuning.recipes)


@router.post("/check", status_code=202, responses=TAKES)
async def check(asked: Annotated[StartTuning, Body(examples=[RECIPE])], tunings: UsesTunings) -> Tuning:
    """Check a recipe and its data before anything is trained; the tuning gets a report and can then be started."""
    return await tunings.check(asked)


@router.post("", status_code=202, responses=TAKES)
async def start(asked: Annotated[StartTuning, Body(examples=[RECIPE])], tunings: UsesTunings) -> Tuning:
    """Start a tuning. One runs at a time; the next one waits. A restart of the server continues it."""
    return await tunings.start(asked)


@router.get("")
async def list_tunings(tunings: UsesTunings, limit: Annotated[int, Query(ge=1, le=500)] = 100) -> TuningList:
    """List tunings, newest first."""
    return await tunings.listing(limit)


@router.get("/{tuning_id}", responses=documented(TuningNotFound))
async def get(tuning_id: TuningId, tunings: UsesTunings) -> Tuning:
    """Get a tuning as it is now: its recipe, report, progress and saves."""
    return await tunings.get(tuning_id)


@router.post("/{tuning_id}/start", status_code=202, responses=documented(TuningNotFound, Conflict, StorageError))
async def start_checked(tuning_id: TuningId, tunings: UsesTunings) -> Tuning:
    """Start a tuning that was checked."""
    return await tunings.start_checked(tuning_id)


@router.post("/{tuning_id}/stop", responses=documented(TuningNotFound, Conflict))
async def stop(tuning_id: TuningId, tunings: UsesTunings) -> Tuning:
    """Stop a tuning after its current step; it saves first and can be resumed."""
    return await tunings.stop(tuning_id)


@router.post("/{tuning_id}/save", responses=documented(TuningNotFound, Conflict))
async def save(tuning_id: TuningId, tunings: UsesTunings) -> Tuning:
    """Save after the current step and continue."""
    return await tunings.save(tuning_id)


@router.post(
    "/{tuning_id}/resume", status_code=202, responses=documented(TuningNotFound, BadInput, Conflict, StorageError)
)
async def resume(
    tuning_id: TuningId,
    tunings: UsesTunings,
    asked: Annotated[ResumeTuning, Body(examples=[{"steps": 600}])] = AS_BEFORE,
) -> Tuning:
    """Resume a stopped or failed tuning from its last state, or one that has succeeded with more steps."""
    return await tunings.resume(tuning_id, asked)


@router.get("/{tuning_id}/curves", responses=documented(TuningNotFound))
async def curves(tuning_id: TuningId, tunings: UsesTunings, after: Annotated[int, Query(ge=0)] = 0) -> TuningCurves:
    """Get losses by step, modality and noise level; `after` leaves out earlier steps."""
    return await tunings.curves(tuning_id, after)


@router.get(
    "/{tuning_id}/curves.csv",
    response_class=Response,
    responses=documented(TuningNotFound) | {200: {"content": CSV}},
)
async def curves_csv(tuning_id: TuningId, tunings: UsesTunings) -> Response:
    """Download losses as a table, a row per step."""
    name = {"content-disposition": f'attachment; filename="tuning-{tuning_id}.csv"'}
    return Response(await tunings.curves_csv(tuning_id), media_type="text/csv", headers=name)


@router.get(
    "/{tuning_id}/samples/{number}",
    response_class=FileResponse,
    responses=documented(TuningNotFound, MediaNotFound),
)
async def sample(
    tuning_id: TuningId, number: Annotated[int, Path(ge=0, le=100, examples=[0])], tunings: UsesTunings
) -> FileResponse:
    """Get the picture of a sample of the report: its frames as the trainer sees them."""
    path = await tunings.sample(tuning_id, number)
    return FileResponse(path, headers={**HEADERS, "cache-control": "private, no-cache"})


@router.post(
    "/{tuning_id}/saves/{step}/keep",
    responses=documented(TuningNotFound, BadInput, Conflict, DiskFull, StorageError),
)
async def keep(
    tuning_id: TuningId,
    step: SaveStep,
    asked: Annotated[KeepSave, Body(examples=[{"name": "grasp-best"}])],
    tunings: UsesTunings,
) -> Tuning:
    """Keep a save under a name of its own: an adapter or checkpoint that stays when the tuning is deleted."""
    return await tunings.keep(tuning_id, step, asked.name)


@router.post(
    "/{tuning_id}/saves/{step}/evaluate",
    responses=documented(TuningNotFound, BadInput, Conflict, StorageError),
)
async def evaluate(tuning_id: TuningId, step: SaveStep, tunings: UsesTunings) -> Tuning:
    """Compare a generator's save with what was before, or run the recipe's benchmarks on a reasoner's save."""
    return await tunings.evaluate(tuning_id, step)


@router.delete("/{tuning_id}", status_code=204, responses=documented(TuningNotFound, Conflict, StorageError))
async def remove(tuning_id: TuningId, tunings: UsesTunings) -> None:
    """Delete a tuning with its saves. Saves that were kept under another name stay."""
    await tunings.remove(tuning_id)

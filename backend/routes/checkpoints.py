"""What can be asked of this server: `/v1/checkpoints`, `/v1/adapters`, `/v1/choices`, and `/v1/models` for OpenAI."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.checkpoints.looking import budget_of
from backend.errors import documented
from backend.fleet import Fleet
from backend.fleet.memory import weight_bytes
from backend.services import UsesAdapters, UsesCatalogue, UsesCheckpointTasks, UsesEngines
from studio.catalogue import AdapterList, CheckpointInfo, CheckpointList, ChoiceList, DeviceMemory, KindList
from studio.errors import BadInput, BrokenCheckpoint, CheckpointNotFound, Conflict, NotACheckpoint, UnknownKind
from studio.events import CheckpointStatus, CheckpointTask
from studio.requests import KINDS, nearest, shown
from studio.rules import choices, spans
from studio.vision_budget import ClipLook, VisionBudget

router = APIRouter(prefix="/v1", tags=["checkpoints"])

Name = Annotated[str, Path(description="a preset's id", examples=["speck"])]


@router.get("/checkpoints")
async def checkpoints(catalogue: UsesCatalogue, engines: UsesEngines) -> CheckpointList:
    """List all checkpoints with a preset and the default one, their capabilities, and the memory available."""
    memory = await asyncio.to_thread(engines.memory.read)
    memory = memory.model_copy(update={"spare_gb": engines.spare_gb(memory)})
    return await asyncio.to_thread(_measured, catalogue, engines, memory)


def _measured(catalogue: CheckpointCatalogue, engines: Fleet, memory: DeviceMemory) -> CheckpointList:
    listing = catalogue.listing(engines.statuses)

    def measured(info: CheckpointInfo) -> CheckpointInfo:
        found = catalogue.named(info.id)
        here = info.installed and found.folder is not None
        disk_gb = round(weight_bytes(found.folder) / 1e9, 3) if here and found.folder else None
        needed_gb = engines.memory.needed_gb(found, memory)
        return info.model_copy(update={"disk_gb": disk_gb, "needed_gb": needed_gb and round(needed_gb, 1)})

    return listing.model_copy(
        update={"checkpoints": tuple(measured(info) for info in listing.checkpoints), "memory": memory}
    )


@router.post(
    "/checkpoints/{name}/load",
    status_code=202,
    responses=documented(CheckpointNotFound, Conflict, NotACheckpoint, BrokenCheckpoint),
)
async def load(name: Name, catalogue: UsesCatalogue, engines: UsesEngines) -> CheckpointStatus:
    """Load a checkpoint. Others are unloaded for it, if needed, when they are idle; the default stays as it is."""
    checkpoint = await asyncio.to_thread(catalogue.whole, name)
    return engines.load(checkpoint)


@router.get(
    "/checkpoints/{name}/vision-budget",
    responses=documented(BadInput, CheckpointNotFound, Conflict, NotACheckpoint, BrokenCheckpoint),
)
async def vision_budget(name: Name, catalogue: UsesCatalogue, look: Annotated[ClipLook, Query()]) -> VisionBudget:
    """Compute how many tokens a video takes of a conversation, and what is left for the question and the answer."""
    return await asyncio.to_thread(lambda: budget_of(catalogue.whole(name), look))


@router.post(
    "/checkpoints/{name}/default",
    status_code=202,
    responses=documented(CheckpointNotFound, Conflict, NotACheckpoint, BrokenCheckpoint),
)
async def make_default(name: Name, catalogue: UsesCatalogue, engines: UsesEngines) -> CheckpointStatus:
    """Load a checkpoint and make it the default: requests without a name go to it, and a robot's policy too."""
    checkpoint = await asyncio.to_thread(catalogue.whole, name)
    return engines.make_default(checkpoint)


@router.post("/checkpoints/{name}/unload", status_code=202, responses=documented(CheckpointNotFound, Conflict))
async def unload(name: Name, catalogue: UsesCatalogue, engines: UsesEngines) -> CheckpointStatus:
    """Unload a checkpoint and free its memory after its running job."""
    catalogue.named(name)
    return await engines.unload(name)


@router.post("/checkpoints/{name}/sleep", status_code=202, responses=documented(CheckpointNotFound, Conflict))
async def sleep(name: Name, catalogue: UsesCatalogue, engines: UsesEngines) -> CheckpointStatus:
    """Put a checkpoint to sleep after its running job; the next request for it wakes it.

    With a GPU of its own, its weights stay in host memory. On a CPU, with several GPUs, or with
    offloaded weights, its process ends, and waking it reads the weights from disk.
    """
    catalogue.named(name)
    return await engines.sleep(name)


@router.post("/checkpoints/{name}/pull", status_code=202, responses=documented(CheckpointNotFound, Conflict, BadInput))
async def pull(name: Name, tasks: UsesCheckpointTasks) -> CheckpointTask:
    """Download a checkpoint from the Hugging Face hub, or continue a download; `/v1/events` reports progress."""
    return tasks.pull(name)


@router.delete("/checkpoints/{name}/pull", responses=documented(CheckpointNotFound, Conflict))
async def stop_pulling(name: Name, catalogue: UsesCatalogue, tasks: UsesCheckpointTasks) -> CheckpointTask:
    """Stop a download; the downloaded part is kept."""
    catalogue.named(name)
    return await tasks.cancel(name)


@router.post("/checkpoints/{name}/verify", status_code=202, responses=documented(CheckpointNotFound, Conflict))
async def verify(name: Name, tasks: UsesCheckpointTasks) -> CheckpointTask:
    """Verify every tensor of a checkpoint; `/v1/events` reports the result."""
    return tasks.verify(name)


@router.get("/choices")
async def kinds() -> KindList:
    """List all kinds of requests: their inputs, by field, and their outputs."""
    return KindList.of_table()


@router.get("/choices/{kind}", responses=documented(UnknownKind, CheckpointNotFound, Conflict))
async def options(
    kind: Annotated[str, Path(examples=["generate_image"])], catalogue: UsesCatalogue, checkpoint: str | None = None
) -> ChoiceList:
    """Get the options and bounds of a request's fields on a checkpoint (the default one), and why some are refused."""
    if kind not in KINDS:
        raise UnknownKind(f"kind is {shown(kind)}.", param="kind", hint=nearest(kind, KINDS))
    found = catalogue.serving(checkpoint)
    can = found.capabilities()
    ruled = {name: tuple(row) for name, row in choices(kind, can).items()}
    return ChoiceList(checkpoint=found.id, choices=ruled, limits=spans(kind, can))


@router.get("/adapters")
def adapters(adapters: UsesAdapters) -> AdapterList:
    """List the LoRA adapters in the data folder's `adapters/`, by name."""
    return adapters.listing()


models_router = APIRouter(prefix="/v1/models", tags=["openai"])


class Model(BaseModel):
    """One model of OpenAI's list."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "orrery"


class ModelList(BaseModel):
    """OpenAI's list."""

    object: Literal["list"] = "list"
    data: list[Model]


@models_router.get("")
async def models(catalogue: UsesCatalogue) -> ModelList:
    """List the allowed values of `model`."""
    return ModelList(data=[Model(id=name) for name in catalogue.here()])


@models_router.get("/{name:path}", responses=documented(CheckpointNotFound))
async def model(name: Name, catalogue: UsesCatalogue) -> Model:
    """Get one model, by its id or by its repository, which has a slash."""
    served = catalogue.id_of(name)
    if served not in catalogue.here():
        raise CheckpointNotFound(f"There is no model {shown(name)}.", hint="GET /v1/models lists them.")
    return Model(id=served)

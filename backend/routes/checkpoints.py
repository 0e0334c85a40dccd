"""`/v1/checkpoints` and `/v1/choices`: what can be asked of this server, and what its engines hold."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path

from backend.errors import documented
from backend.fleet.room import weight_bytes
from backend.services import Parts
from studio.catalogue import CheckpointInfo, CheckpointList, ChoiceList, DeviceMemory, KindList
from studio.errors import BadInput, BrokenCheckpoint, CheckpointNotFound, Conflict, NotACheckpoint, UnknownKind
from studio.events import CheckpointStatus, Errand
from studio.requests import KINDS, nearest, shown
from studio.rules import choices, spans

router = APIRouter(prefix="/v1", tags=["checkpoints"])

Name = Annotated[str, Path(description="a preset's id", examples=["speck"])]


@router.get("/checkpoints")
async def checkpoints(parts: Parts) -> CheckpointList:
    """Every checkpoint with a preset and the active one, what they take, and the memory that there is."""
    memory = await asyncio.to_thread(parts.fleet.room.read)
    memory = memory.model_copy(update={"spare_gb": parts.fleet.spare_gb(memory)})
    return await asyncio.to_thread(_measured, parts, memory)


def _measured(parts: Parts, memory: DeviceMemory) -> CheckpointList:
    listing = parts.shelf.listing(parts.fleet.statuses)

    def measured(info: CheckpointInfo) -> CheckpointInfo:
        found = parts.shelf.named(info.id)
        here = info.installed and found.folder is not None
        disk_gb = round(weight_bytes(found.folder) / 1e9, 3) if here and found.folder else None
        needed_gb = parts.fleet.room.needed_gb(found, memory)
        return info.model_copy(update={"disk_gb": disk_gb, "needed_gb": needed_gb and round(needed_gb, 1)})

    return listing.model_copy(
        update={"checkpoints": tuple(measured(info) for info in listing.checkpoints), "memory": memory}
    )


@router.post(
    "/checkpoints/{name}/load",
    status_code=202,
    responses=documented(CheckpointNotFound, Conflict, NotACheckpoint, BrokenCheckpoint),
)
async def load(name: Name, parts: Parts) -> CheckpointStatus:
    """Load a checkpoint and make it the one that requests without a name go to; others leave for it, once idle."""
    checkpoint = await asyncio.to_thread(parts.shelf.whole, name)
    return parts.fleet.load(checkpoint)


@router.post("/checkpoints/{name}/unload", status_code=202, responses=documented(CheckpointNotFound, Conflict))
async def unload(name: Name, parts: Parts) -> CheckpointStatus:
    """Let a checkpoint go and free its memory, after what it does now."""
    parts.shelf.named(name)
    return await parts.fleet.unload(name)


@router.post("/checkpoints/{name}/sleep", status_code=202, responses=documented(CheckpointNotFound, Conflict))
async def sleep(name: Name, parts: Parts) -> CheckpointStatus:
    """Take a checkpoint off the device, after what it does now; the next request for it wakes it.

    Its weights stay in the host's memory where it has a GPU to itself. On a CPU, with several GPUs and with weights
    that are offloaded they are there already: its process ends, and waking it reads the disk.
    """
    parts.shelf.named(name)
    return await parts.fleet.sleep(name)


@router.post("/checkpoints/{name}/pull", status_code=202, responses=documented(CheckpointNotFound, Conflict, BadInput))
async def pull(name: Name, parts: Parts) -> Errand:
    """Fetch a checkpoint from the Hugging Face hub, from where it was left off; `/v1/events` tells how far it is."""
    return parts.errands.pull(name)


@router.delete("/checkpoints/{name}/pull", responses=documented(CheckpointNotFound, Conflict))
async def stop_pulling(name: Name, parts: Parts) -> Errand:
    """Stop fetching; what has come stays."""
    parts.shelf.named(name)
    return await parts.errands.cancel(name)


@router.post("/checkpoints/{name}/verify", status_code=202, responses=documented(CheckpointNotFound, Conflict))
async def verify(name: Name, parts: Parts) -> Errand:
    """Account for every tensor of a checkpoint; `/v1/events` tells what came of it."""
    return parts.errands.verify(name)


@router.get("/choices")
async def kinds() -> KindList:
    """Every kind of request: what it takes, by field, and what it makes."""
    return KindList.of_table()


@router.get("/choices/{kind}", responses=documented(UnknownKind, CheckpointNotFound, Conflict))
async def options(kind: str, parts: Parts, checkpoint: str | None = None) -> ChoiceList:
    """The options of a request's ruled fields on a checkpoint (the active one), the refused with the reason; bounds."""
    if kind not in KINDS:
        raise UnknownKind(f"kind is {shown(kind)}.", param="kind", hint=nearest(kind, KINDS))
    found = parts.shelf.serving(checkpoint)
    can = found.capabilities()
    ruled = {name: tuple(row) for name, row in choices(kind, can).items()}
    return ChoiceList(checkpoint=found.id, choices=ruled, limits=spans(kind, can))

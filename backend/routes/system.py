"""`/v1/system`: how busy the machine is, and what the server logs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from backend.services import UsesMachine
from studio.logs import RECENT
from studio.system import LogEntries, SystemLoad

router = APIRouter(prefix="/v1/system", tags=["system"])


@router.get("")
async def load(machine: UsesMachine) -> SystemLoad:
    """Get the load of processor, memory and GPUs."""
    return await machine.load()


@router.get("/log")
async def log(limit: Annotated[int, Query(ge=1, le=RECENT.maxlen or 1)] = 200) -> LogEntries:
    """Get the newest lines of the server's log. What workers and the robot log stands on standard error only."""
    return LogEntries(entries=tuple(RECENT)[-limit:])

"""`/v1/system`: how busy the machine is, and what the server logs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from backend.services import UsesCluster, UsesEngines, UsesMachine
from studio.logs import RECENT
from studio.system import LogEntries, SystemState

router = APIRouter(prefix="/v1/system", tags=["system"])


@router.get("")
async def load(machine: UsesMachine, cluster: UsesCluster, fleet: UsesEngines) -> SystemState:
    """Get the load of processor, memory and GPUs, and the hosts of a Ray cluster with their engines."""
    hosts = () if cluster is None else cluster.hosts(fleet.dispatchers)
    return SystemState(**dict(await machine.load()), hosts=hosts)


@router.get("/log")
async def log(limit: Annotated[int, Query(ge=1, le=RECENT.maxlen or 1)] = 200) -> LogEntries:
    """Get the newest lines of the server's log. What workers and the robot log stands on standard error only."""
    return LogEntries(entries=tuple(RECENT)[-limit:])

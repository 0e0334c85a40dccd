"""What a server says of its machine and of itself: `GET /v1/system` and `GET /v1/system/log`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from studio.requests import Frozen


class GpuLoad(Frozen):
    """One GPU: its index, how busy it is in percent, and its memory in GB."""

    index: int
    name: str
    percent: float
    used_gb: float
    total_gb: float


class SystemLoad(Frozen):
    """The machine now.

    Attributes:
        cpu_percent: of all cores, since the last time that anybody asked.
        num_cores: logical ones.
        memory_used_gb, memory_total_gb: of the host.
        gpus: those that `nvidia-smi` lists; none where there is no such program.
    """

    cpu_percent: float
    num_cores: int
    memory_used_gb: float
    memory_total_gb: float
    gpus: tuple[GpuLoad, ...] = ()


class LogEntry(Frozen):
    """One line of the server's log: when, how grave, what, and about which things."""

    at: datetime
    level: str
    event: str
    fields: dict[str, Any] = Field(default_factory=dict)


class LogEntries(Frozen):
    """The newest lines, the oldest of them first."""

    entries: tuple[LogEntry, ...]

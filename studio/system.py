"""What a server says of its machine and of itself: `GET /v1/system` and `GET /v1/system/log`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from studio.events import EngineState
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


class HostEngine(Frozen):
    """An engine there: its checkpoint, how far that is, and the job that it runs."""

    checkpoint: str
    state: EngineState
    detail: str = ""
    job_id: str | None = None


class HostLoad(Frozen):
    """Where the engines of one replica compute, of a server that was started with `--ray`.

    Attributes:
        replica: its number, from 0.
        name: of its host; none while it has none.
        waits_for: what it waits for then, in words.
        near: it is the server's own host.
        latency_ms: of a call there and back, milliseconds.
        shares_media: it uses the server's data folder; otherwise files are sent.
        checkpoints: ids of those whose files are on it.
        load: of the whole host.
        engines: the checkpoints that it has, in order of coming.
    """

    replica: int
    name: str | None = None
    waits_for: str = ""
    near: bool = False
    latency_ms: float | None = None
    shares_media: bool = False
    checkpoints: tuple[str, ...] = ()
    load: SystemLoad | None = None
    engines: tuple[HostEngine, ...] = ()


class SystemState(SystemLoad):
    """The machine now, and the hosts of a cluster; none without `--ray`."""

    hosts: tuple[HostLoad, ...] = ()


class LogEntry(Frozen):
    """One line of the server's log: when, how grave, what, and about which things."""

    at: datetime
    level: str
    event: str
    fields: dict[str, Any] = Field(default_factory=dict)


class LogEntries(Frozen):
    """The newest lines, the oldest of them first."""

    entries: tuple[LogEntry, ...]

"""How busy the machine is, for the page's meters."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time

import psutil

from studio.system import GpuLoad, SystemLoad

MAX_AGE_S = 1.5
"""However many pages ask, the machine is looked at once in so long."""

_QUERY = ["--query-gpu=index,name,utilization.gpu,memory.used,memory.total", "--format=csv,noheader,nounits"]


class Machine:
    """The load of this host. Lives on the event loop's thread."""

    def __init__(self) -> None:
        self._latest: SystemLoad | None = None
        self._looked_at = 0.0
        self._looking = asyncio.Lock()

    async def load(self) -> SystemLoad:
        """As it is now, or was a moment ago."""
        async with self._looking:
            if self._latest is None or time.monotonic() - self._looked_at > MAX_AGE_S:
                self._latest = await asyncio.to_thread(look)
                self._looked_at = time.monotonic()
            return self._latest


def look() -> SystemLoad:
    """The load of this host now. May take a second."""
    memory = psutil.virtual_memory()
    return SystemLoad(
        cpu_percent=psutil.cpu_percent(),
        num_cores=psutil.cpu_count() or 1,
        memory_used_gb=round((memory.total - memory.available) / 1e9, 2),
        memory_total_gb=round(memory.total / 1e9, 2),
        gpus=_gpus(),
    )


def _gpus() -> tuple[GpuLoad, ...]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return ()
    try:
        said = subprocess.run([program, *_QUERY], capture_output=True, text=True, timeout=5, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(_gpu(line) for line in said.splitlines() if line.count(",") == 4)


def _gpu(line: str) -> GpuLoad:
    index, name, percent, used, total = (part.strip() for part in line.split(","))
    return GpuLoad(
        index=int(index),
        name=name,
        percent=_number(percent),
        used_gb=round(_number(used) * 2**20 / 1e9, 2),
        total_gb=round(_number(total) * 2**20 / 1e9, 2),
    )


def _number(said: str) -> float:
    """What a card does not tell stands there in words."""
    try:
        return float(said)
    except ValueError:
        return 0.0

"""How much memory the device has for checkpoints, and how much one takes."""

from __future__ import annotations

import subprocess
from pathlib import Path

from studio.catalogue import DeviceMemory
from studio.checkpoints import Checkpoint
from studio.settings import ServerSettings

GB = 1e9

HEADROOM_GB = 2.0
"""Left free beside the weights on a GPU, for what a step works on; a clip of 480p takes more, and says so itself."""

PROCESS_GB = 0.6
"""A worker's libraries in host memory, as measured with torch 2.13 on a CPU."""

FLOAT32_OVER_FILE = 2.0
"""On a CPU the engine computes in float32, and released weights are bfloat16."""

QUERY = ("nvidia-smi", "--query-gpu=memory.total,memory.free", "--format=csv,noheader,nounits")
QUERY_LIMIT_S = 5.0


def devices_of(settings: ServerSettings) -> list[str]:
    """Where the replicas of a checkpoint compute: one GPU after another, or all where they are told to."""
    if settings.replicas == 1 or settings.device not in ("auto", "cuda") or not _gpus():
        return [settings.device] * settings.replicas
    return [f"cuda:{replica}" for replica in range(settings.replicas)]


def read_memory(device: str) -> DeviceMemory:
    """The memory of the device that engines compute on; of several GPUs their sum. Takes up to a second."""
    gpus = () if device == "cpu" else _gpus()
    if not gpus:
        return _host()
    if device.startswith("cuda:") and int(device[5:]) < len(gpus):
        gpus = (gpus[int(device[5:])],)
    return DeviceMemory(place="gpu", total_gb=sum(total for total, _ in gpus), free_gb=sum(free for _, free in gpus))


def needed_gb(checkpoint: Checkpoint, memory: DeviceMemory) -> float:
    """What a checkpoint takes of a memory: its weights and what belongs to them."""
    weights_gb = checkpoint.preset.weights_gb or 0.0
    if checkpoint.installed and checkpoint.folder is not None:
        weights_gb = weight_bytes(checkpoint.folder) / GB
    if memory.place == "gpu":
        return weights_gb + HEADROOM_GB
    return weights_gb * FLOAT32_OVER_FILE + PROCESS_GB


def weight_bytes(folder: Path) -> int:
    """Bytes of all weight shards of a checkpoint's folder."""
    return sum(shard.stat().st_size for shard in folder.glob("*/*.safetensors"))


def _host() -> DeviceMemory:
    lines = Path("/proc/meminfo").read_text().splitlines() if Path("/proc/meminfo").exists() else []
    kib = {name: float(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    total_gb, free_gb = (kib.get(name, 0.0) * 1024 / GB for name in ("MemTotal", "MemAvailable"))
    return DeviceMemory(place="host", total_gb=total_gb, free_gb=free_gb)


def _gpus() -> tuple[tuple[float, float], ...]:
    """(total, free) of each GPU; none without the driver's tool."""
    try:
        asked = subprocess.run(QUERY, capture_output=True, text=True, timeout=QUERY_LIMIT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return ()
    rows = [line.split(",") for line in asked.stdout.splitlines() if line.count(",") == 1]
    return tuple((float(total) * 2**20 / GB, float(free) * 2**20 / GB) for total, free in rows)

"""How much memory the devices of a server have for checkpoints, and how much one takes."""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from studio.catalogue import DeviceMemory
from studio.checkpoints import Checkpoint, read_json, shard_header
from studio.errors import BadInput, BrokenCheckpoint
from studio.presets import Precision
from studio.settings import ServerSettings

GB = 1e9

HEADROOM_GB = 2.0
"""Left free beside the weights on a GPU, for what a step works on; a clip of 480p takes more, and says so itself."""

PROCESS_GB = 0.6
"""A worker's libraries in host memory, as measured with torch 2.13 on a CPU."""

FLOAT32_OVER_FILE = 2.0
"""On a CPU the engine computes in float32, and released weights are bfloat16."""

BYTES_ON_GPU = 2
"""Of a weight there: released ones are bfloat16."""

FP8 = "F8_E4M3"
"""A safetensors header's name for it."""

_GENERATOR = ("_moe_gen.", ".add_q_proj.", ".add_k_proj.", ".add_v_proj.", ".to_add_out.")
"""In the released names of the generator's matrices."""

_SHAPE = (
    *("num_hidden_layers", "hidden_size", "intermediate_size"),
    *("num_attention_heads", "num_key_value_heads", "head_dim"),
)

QUERY = ("nvidia-smi", "--query-gpu=uuid,memory.total,memory.free", "--format=csv,noheader,nounits")
QUERY_LIMIT_S = 5.0

Gigabytes = tuple[float, float]
"""Of a memory: in all, and free."""


class FleetMemory:
    """The memory of the devices that a server's engines are put on, and what checkpoints take of it.

    Args:
        read_gpus: of all GPUs as the engine numbers them; none where there are none.
        read_host: of the machine.

    Attributes:
        memory_gb: bound on what all checkpoints may take together of a device; none is what it has free.
    """

    def __init__(
        self,
        settings: ServerSettings,
        read_gpus: Callable[[], tuple[Gigabytes, ...]] | None = None,
        read_host: Callable[[], Gigabytes] | None = None,
    ) -> None:
        self._settings = settings
        self._read_gpus = read_gpus or _gpus
        self._read_host = read_host or _host
        self.memory_gb = settings.memory_gb

    def devices(self) -> tuple[str, ...]:
        """What the engine of each replica is told. May take a second.

        Raises:
            BadInput: there are fewer GPUs.
        """
        told = self._settings
        if told.replicas == told.gpus == 1 and ":" not in told.device:
            return (told.device,)  # the first GPU, or none: nothing to ask for
        num_gpus = len(self._gpus())
        placement = Placement.of(told, "gpu" if num_gpus else "host")
        placement.check(num_gpus)
        return placement.devices

    def training_devices(self, count: int = 1) -> tuple[tuple[str, ...], bool]:
        """Where a trainer computes, as PyTorch names it, and whether engines have to leave. May take a second.

        GPUs that no engine is put on, else the engines' as well; without any the CPU, which all share.

        Raises:
            BadInput: there are fewer GPUs.
        """
        num_gpus = len(self._gpus())
        if count > max(num_gpus, 1):
            raise BadInput(
                f"The recipe asks for {count} GPUs; this machine has {num_gpus}.",
                param="optimisation.num_gpus",
                hint=f"Train on {num_gpus}." if num_gpus else "Train on the CPU, with num_gpus at 1.",
            )
        if not num_gpus:
            return ("cpu",), False
        used = Placement.of(self._settings, "gpu").gpus
        free = [number for number in range(num_gpus) if number not in used]
        lent = sorted([*free, *used][:count]) if len(free) < count else free[:count]
        return tuple(f"cuda:{number}" for number in lent), len(free) < count

    def read(self) -> DeviceMemory:
        """The memory of each device that engines are put on: what the scarcest of them has. May take a second."""
        gpus = self._gpus()
        if not gpus:
            total_gb, free_gb = self._read_host()
            return DeviceMemory(place="host", total_gb=total_gb, free_gb=free_gb)
        used = Placement.of(self._settings, "gpu").gpus
        # A checkpoint takes as much of each, and finds room on all of them or on none.
        totals, frees = zip(*gpus[used.start : used.stop] or gpus, strict=True)
        return DeviceMemory(place="gpu", total_gb=min(totals), free_gb=min(frees))

    def needed_gb(self, checkpoint: Checkpoint, memory: DeviceMemory) -> float | None:
        """What must be free of every device for a checkpoint; none where that cannot be said before it is here.

        What stays on a GPU with `--offload` or `--shard-weights` is told by the checkpoint's files, and so is the size
        of one of the hub whose preset does not say it. One that is loaded without any is built here, and is small.
        """
        if not checkpoint.installed and checkpoint.preset.repository and checkpoint.preset.weights_gb is None:
            return None
        if self._kept < 1 and memory.place == "gpu" and not checkpoint.installed:
            return None
        each_gb = needed_gb(checkpoint, memory, self._settings.precision, kept=self._kept)
        return each_gb * Placement.of(self._settings, memory.place).engines_each

    def held_gb(self, checkpoint: Checkpoint, memory: DeviceMemory) -> float:
        """What one engine takes of its device once it is loaded."""
        return held_gb(checkpoint, memory, self._settings.precision, kept=self._kept)

    @property
    def _kept(self) -> float:
        """What part of the blocks' weights each GPU keeps."""
        if self._settings.offload:
            return 0.0
        return 1 / self._settings.gpus if self._settings.shard_weights else 1.0

    def _gpus(self) -> tuple[Gigabytes, ...]:
        return () if self._settings.device == "cpu" else self._read_gpus()


def needed_gb(checkpoint: Checkpoint, memory: DeviceMemory, told: Precision = "exact", *, kept: float = 1.0) -> float:
    """What must be free of a memory for one engine: a checkpoint's weights, whole also where they are rounded once they
    are there, and what belongs to them. What is stored in FP8 is never whole in FP8, and is widened in `exact`.

    Args:
        told: the precision of one whose preset says none.
        kept: part of the weights of the towers' blocks that each GPU keeps: none where they stay on the host, half
            where two divide them. On a CPU all of them are kept.
    """
    weights_gb, spared_gb = checkpoint.preset.weights_gb or 0.0, 0.0
    if checkpoint.installed and checkpoint.folder is not None:
        of_reasoner, of_generator = num_in_fp8(checkpoint.folder)
        # As if all were bfloat16, of which FP8 is half.
        weights_gb = (weight_bytes(checkpoint.folder) + of_reasoner + of_generator) / GB
        if kept < 1 and memory.place == "gpu":
            weights_gb = max(0.0, weights_gb - _streamed_gb(checkpoint.folder, kept))
        spared_gb = _spared_gb(checkpoint, memory, told, of_generator, kept=kept)
    if memory.place == "gpu":
        return weights_gb + HEADROOM_GB - spared_gb
    return weights_gb * FLOAT32_OVER_FILE + PROCESS_GB - spared_gb


def held_gb(checkpoint: Checkpoint, memory: DeviceMemory, told: Precision, *, kept: float = 1.0) -> float:
    """What a checkpoint that is loaded takes; for the arguments see `needed_gb`."""
    whole_gb = needed_gb(checkpoint, memory, told, kept=kept)
    if not checkpoint.installed or checkpoint.folder is None or any(num_in_fp8(checkpoint.folder)):
        return whole_gb
    return whole_gb - _spared_gb(checkpoint, memory, told, num_rounded(checkpoint.folder), kept=kept)


def _spared_gb(
    checkpoint: Checkpoint, memory: DeviceMemory, told: Precision, num_weights: int, *, kept: float
) -> float:
    """What it saves to have so many of the generator's weights in 8 bits: of those that a GPU keeps."""
    if (checkpoint.preset.precision or told) == "exact":
        return 0.0
    saved_bytes = (BYTES_ON_GPU if memory.place == "gpu" else 4) - 1  # of each weight in bfloat16 or float32
    return num_weights * saved_bytes / GB * (kept if memory.place == "gpu" else 1.0)


def num_in_fp8(folder: Path) -> tuple[int, int]:
    """Weights that a checkpoint's transformer is stored with in FP8, the reasoner's and the generator's.

    From the headers of its shards, which are looked at only where its configuration speaks of it.
    """
    counts = [0, 0]
    if not read_json(folder / "transformer" / "config.json").get("quantization_config"):
        return 0, 0
    for shard in folder.glob("transformer/*.safetensors"):
        try:
            header = shard_header(shard)
        except BrokenCheckpoint:  # loading it says so
            continue
        for name, entry in header.items():
            if entry.get("dtype") == FP8:
                counts[any(part in name for part in _GENERATOR)] += math.prod(entry["shape"])
    return counts[0], counts[1]


def num_rounded(folder: Path) -> int:
    """Weights that the generator has in 8 bits in FP8: the matrices of its blocks, from the configuration alone.

    Of Nano: 36 layers of 4096 x (6144 + 4096 + 3 x 12288) are 6.95e9.
    """
    layers, of_block = _blocks(folder)
    return layers * of_block


def _streamed_gb(folder: Path, kept: float) -> float:
    """What `--offload` and `--shard-weights` keep from a GPU: the blocks of both towers, but for the part that is kept
    there and two that have their turn (`engine.memory`). Embeddings, heads, the VAE and the vision encoder live there
    as ever.

    A tower's blocks are alike, and so are both towers'. Of Nano 2 x 36 - 2 blocks of 386 MB, 27.0 GB of its 34.9.
    Norms and biases are left out: they are a thousandth.
    """
    layers, of_block = _blocks(folder)
    return max(0.0, 2 * layers * (1 - kept) - 2) * of_block * BYTES_ON_GPU / GB


def _blocks(folder: Path) -> tuple[int, int]:
    """How many blocks a tower has, and how many weights the matrices of one have."""
    config = read_json(folder / "transformer" / "config.json")
    layers, hidden, inner, heads, kv_heads, width = (int(config.get(name) or 0) for name in _SHAPE)
    attention = hidden * width * (heads + 2 * kv_heads) + heads * width * hidden
    return layers, attention + hidden * inner * (2 if config.get("hidden_act") == "relu2" else 3)


def weight_bytes(folder: Path) -> int:
    """Bytes of all weight shards of a checkpoint's folder."""
    return sum(shard.stat().st_size for shard in folder.glob("*/*.safetensors"))


def visible(gpus: Mapping[str, Gigabytes], chosen: str | None) -> tuple[Gigabytes, ...]:
    """Those that the engine sees, in its order.

    Args:
        gpus: of the machine, by UUID, in the order of their numbers.
        chosen: CUDA_VISIBLE_DEVICES: numbers or beginnings of UUIDs, read up to the first that names no GPU. A slice
            of a GPU (MIG) is in no list of the driver's tool; then it is as if nobody had chosen.
    """
    if chosen is None or chosen.startswith("MIG"):
        return tuple(gpus.values())
    found: list[Gigabytes] = []
    for name in (part.strip() for part in chosen.split(",")):
        named = [uuid for number, uuid in enumerate(gpus) if name == str(number) or (name and uuid.startswith(name))]
        if len(named) != 1:
            break
        found.append(gpus[named[0]])
    return tuple(found)


def memory_here(device: str) -> DeviceMemory:
    """The memory of all GPUs that this process sees, what the scarcest has; of the host on a CPU. May take a second."""
    gpus = () if device == "cpu" else _gpus()
    if not gpus:
        total_gb, free_gb = _host()
        return DeviceMemory(place="host", total_gb=total_gb, free_gb=free_gb)
    totals, frees = zip(*gpus, strict=True)
    return DeviceMemory(place="gpu", total_gb=min(totals), free_gb=min(frees))


def _host() -> Gigabytes:
    lines = Path("/proc/meminfo").read_text().splitlines() if Path("/proc/meminfo").exists() else []
    kib = {name: float(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    total_gb, free_gb = (kib.get(name, 0.0) * 1024 / GB for name in ("MemTotal", "MemAvailable"))
    return total_gb, free_gb


def _gpus() -> tuple[Gigabytes, ...]:
    """Each GPU that the engine sees; none without the driver's tool."""
    try:
        asked = subprocess.run(QUERY, capture_output=True, text=True, timeout=QUERY_LIMIT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return ()
    return visible(listed(asked.stdout), os.environ.get("CUDA_VISIBLE_DEVICES"))


def listed(said: str) -> dict[str, Gigabytes]:
    """The GPUs in the driver's answer to `QUERY`. One that shares the host's memory says `[N/A]`: it has the host's."""
    rows = [[part.strip() for part in line.split(",")] for line in said.splitlines() if line.count(",") == 2]
    return {uuid: _gigabytes(total, free) or _host() for uuid, total, free in rows}


def _gigabytes(total_mib: str, free_mib: str) -> Gigabytes | None:
    try:
        return float(total_mib) * 2**20 / GB, float(free_mib) * 2**20 / GB
    except ValueError:
        return None


@dataclass(frozen=True)
class Placement:
    """Where the engines of a checkpoint compute; those of every checkpoint are put alike.

    Attributes:
        devices: what the engine of each replica is told. With `--gpus` its ranks take the GPUs from there on.
        gpus: numbers of the GPUs that hold weights; none on the host.
        engines_each: how many hold all weights of a checkpoint on one device; a rank does as an engine alone.
    """

    devices: tuple[str, ...]
    gpus: range
    engines_each: int

    @classmethod
    def of(cls, settings: ServerSettings, place: Literal["gpu", "host"]) -> Self:
        """As a server was told, on a machine with GPUs or without.

        Two replicas of two GPUs begin at cuda:0 and cuda:2. On a device that was named by its number all begin there.
        """
        replicas, wide = settings.replicas, settings.gpus
        if place == "host":
            return cls((settings.device,) * replicas, range(0), replicas * wide)
        _, is_numbered, number = settings.device.partition(":")
        if is_numbered or replicas == 1:
            first = int(number or 0)
            return cls((settings.device,) * replicas, range(first, first + wide), replicas)
        return cls(tuple(f"cuda:{replica * wide}" for replica in range(replicas)), range(replicas * wide), 1)

    def check(self, num_gpus: int) -> None:
        """Raises BadInput: it takes GPUs that the machine has not."""
        if self.gpus.stop <= num_gpus:
            return
        replicas, taken = len(self.devices), len(self.gpus)
        wide = taken * self.engines_each // replicas
        raise BadInput(
            f"--replicas {replicas} with --gpus {wide} needs {taken} of this machine's GPUs "
            f"from cuda:{self.gpus.start} on; it has {num_gpus}.",
            param="replicas" if replicas > 1 else "gpus",
            hint="Start with fewer replicas, or with fewer GPUs per replica.",
        )

"""A checkpoint's folder: every tensor of it accounted for, then read straight from the shards and fused."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from engine.weights.config import ModelConfig, read_config
from engine.weights.direct_reader import DirectReader, Stretch
from engine.weights.key_map import Entry, Source, key_map
from engine.weights.quantization import (
    INSTEAD,
    PreciseSteps,
    changes_a_sum,
    check_scales,
    check_told,
    fp8_names,
    names_beside,
    read_precise_steps,
    scale_name,
)
from studio.checkpoints import check_layout, check_weights, open_shard, read_json, shard_header
from studio.errors import BrokenCheckpoint

ROOT_INDEX = "model.safetensors.index.json"
"""What transformers reads: the transformer's keys and the vision encoder's in one map of key to file."""

DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
"""Names of the safetensors header for the dtypes that released weights come in."""

STORED = DTYPES | {"F8_E4M3": torch.float8_e4m3fn}

MAX_NAMED = 5
"""Keys that an error lists before it only counts."""


@dataclass(frozen=True)
class Folder:
    """A checkpoint whose layout and keys have been checked.

    Attributes:
        shards: the file of every tensor of the transformer.
        dtype: what its weights are stored in, those in FP8 apart.
        fp8: tensors that are stored in FP8, each with its scale.
        precise_steps: the recipe of a checkpoint that is stored in FP8; none of any other.
    """

    path: Path
    config: ModelConfig
    entries: tuple[Entry, ...]
    shards: Mapping[str, Path]
    dtype: torch.dtype
    fp8: frozenset[str] = frozenset()
    precise_steps: PreciseSteps | None = None


def open_folder(path: Path) -> Folder:
    """Check a folder from its headers alone; no tensor is read.

    Raises:
        NotACheckpoint: the released layout is not there, or the weights are quantised in a way that is not read.
        BrokenCheckpoint: a shard is cut short, a key is unknown or missing, a shape does not fit the configuration.
    """
    check_layout(path)
    check_weights(path)
    config = read_config(path / "transformer" / "config.json")
    precise_steps = read_precise_steps(path / "transformer" / "config.json")
    entries = tuple(key_map(config))
    shards, found = _headers(path / "transformer")
    check_told(found, path / "transformer", is_told=precise_steps is not None)
    check_scales(found, path / "transformer")
    beside = names_beside(found)
    own = {name: header for name, header in found.items() if name not in beside}
    _account(own, [source for entry in entries for source in entry.sources], path / "transformer")
    _account_root_index(path, set(own), beside)
    stored = found["proj_in.weight"]["dtype"]
    if stored not in DTYPES:
        raise BrokenCheckpoint(f"{path}: weights stored as {stored} are not supported.", param="checkpoint")
    return Folder(path, config, entries, shards, DTYPES[stored], fp8_names(own), precise_steps)


def read_weights(
    folder: Folder,
    device: torch.device,
    dtype: torch.dtype,
    *,
    keep_fp8: bool = False,
    wanted: Callable[[str], bool] = lambda name: True,
) -> dict[str, Tensor]:
    """Every parameter by its name here, on `device`; float32 where the key map says so, else `dtype`.

    Args:
        wanted: whether a parameter of this name is read.
        keep_fp8: matrices of the generator's blocks that are stored in FP8 come without a detour: `….weight` in e4m3
            and beside it `….scale` [outputs, 1] float32, that of a whole tensor repeated. Everything else in FP8 is
            multiplied by its scale in float32 and rounded once; so is a matrix that is fused of several, when one of
            them is not in FP8.

    Raises:
        BrokenCheckpoint: a shard cannot be read after all, or a scale is no positive number.
    """
    opened: dict[Path, safe_open] = {}
    direct = DirectReader(device) if is_read_directly(device) else None
    stretches = _Stretches(folder)

    def stored(name: str) -> Tensor:
        shard = folder.shards[name]
        if shard not in opened:
            opened[shard] = safe_open(shard, framework="pt", device=str(device))
        return opened[shard].get_tensor(name)

    def scale(source: Source) -> Tensor:
        name = scale_name(source.name)
        values = stored(name).float().reshape(-1, 1)
        if not bool((values.isfinite() & (values > 0)).all()):
            raise BrokenCheckpoint(f"{folder.path}: {name} is not a positive number.", param="checkpoint")
        return values.expand(source.shape[0], 1)

    def read(source: Source, kind: torch.dtype) -> Tensor:
        tensor = stored(source.name)
        if source.name in folder.fp8:
            tensor = tensor.float() * scale(source)
        tensor = tensor.to(kind)
        return tensor.expand(source.heads, -1) if source.heads else tensor

    weights: dict[str, Tensor] = {}
    try:
        for entry in filter(lambda entry: wanted(entry.target), folder.entries):
            stays_in_fp8 = keep_fp8 and _stays_in_fp8(folder, entry)
            kind = torch.float8_e4m3fn if stays_in_fp8 else torch.float32 if entry.float32 else dtype
            if stays_in_fp8:
                weights[f"{entry.target.removesuffix('weight')}scale"] = _joined([scale(s) for s in entry.sources])
            if direct is not None and all(stretches.is_as_stored(source, kind) for source in entry.sources):
                where = [stretches.of(source) for source in entry.sources]
                weights[entry.target] = direct.place(where, [source.shape for source in entry.sources], kind)
            elif stays_in_fp8:
                weights[entry.target] = _joined([stored(source.name) for source in entry.sources])
            else:
                weights[entry.target] = _joined([read(source, kind) for source in entry.sources])
        if direct is not None:
            direct.read()
    except (SafetensorError, OSError) as error:
        raise BrokenCheckpoint(f"{folder.path} cannot be read: {error}.", param="checkpoint") from None
    return weights


def is_read_directly(device: torch.device) -> bool:
    """On a CPU a mapped file needs no reading."""
    return device.type == "cuda"


class _Stretches:
    """Where in its shard each tensor is, and as what; a shard's header is read once."""

    def __init__(self, folder: Folder) -> None:
        self._shards = folder.shards
        self._headers: dict[Path, tuple[dict[str, Any], int]] = {}

    def is_as_stored(self, source: Source, kind: torch.dtype) -> bool:
        """Whether a parameter of this kind has a source's bytes unchanged."""
        return not source.heads and STORED.get(self._header(source)[0][source.name]["dtype"]) == kind

    def of(self, source: Source) -> Stretch:
        """A source's bytes."""
        header, start = self._header(source)
        return Stretch(self._shards[source.name], start + header[source.name]["data_offsets"][0])

    def _header(self, source: Source) -> tuple[dict[str, Any], int]:
        shard = self._shards[source.name]
        if shard not in self._headers:
            self._headers[shard] = open_shard(shard)
        return self._headers[shard]


def _stays_in_fp8(folder: Folder, entry: Entry) -> bool:
    return entry.target.startswith("generator.blocks.") and all(source.name in folder.fp8 for source in entry.sources)


def _joined(parts: list[Tensor]) -> Tensor:
    return torch.cat(parts) if len(parts) > 1 else parts[0].contiguous()


def _headers(folder: Path) -> tuple[dict[str, Path], dict[str, dict]]:
    """The shard and the header entry of every tensor in the shards of a folder."""
    shards: dict[str, Path] = {}
    found: dict[str, dict] = {}
    for shard in _shard_files(folder):
        header = shard_header(shard)
        for name in header.keys() - {"__metadata__", "__bytes__"}:
            if name in shards:
                raise BrokenCheckpoint(f"{name} is in {shards[name]} and in {shard}.", param="checkpoint")
            shards[name], found[name] = shard, header[name]
    return shards, found


def _shard_files(folder: Path) -> list[Path]:
    """The files that the index names; without an index, all of them."""
    for index in sorted(folder.glob("*.safetensors.index.json")):
        return [folder / name for name in sorted(set(read_json(index).get("weight_map", {}).values()))]
    return sorted(folder.glob("*.safetensors"))


def _account(found: Mapping[str, dict], sources: Iterable[Source], where: Path) -> None:
    expected = {source.name: source.shape for source in sources}
    if unknown := sorted(found.keys() - expected.keys()):
        raise BrokenCheckpoint(
            f"{where} holds {_named(unknown)}, unknown to its configuration.",
            param="checkpoint",
            hint=INSTEAD
            if all(changes_a_sum(name, found) for name in unknown)
            else "The weights and config.json do not belong to the same model.",
        )
    if missing := sorted(expected.keys() - found.keys()):
        raise BrokenCheckpoint(f"{where} lacks {_named(missing)}.", param="checkpoint", hint="Pull it again.")
    for name, shape in expected.items():
        if tuple(found[name]["shape"]) != shape:
            raise BrokenCheckpoint(
                f"{where}: {name} has the shape {tuple(found[name]['shape'])}, its configuration says {shape}.",
                param="checkpoint",
            )


def _account_root_index(path: Path, transformer: set[str], beside: Collection[str]) -> None:
    """The reasoner's index must name tensors that are where it says, and only the two folders it is made of.

    Args:
        beside: tensors of the transformer that it may leave out.
    """
    if not (path / ROOT_INDEX).is_file():
        return
    named = read_json(path / ROOT_INDEX).get("weight_map", {})
    present = {f"transformer/{name}" for name in transformer}
    for shard in sorted((path / "vision_encoder").glob("*.safetensors")):
        present |= {f"vision_encoder/{name}" for name in shard_header(shard).keys() - {"__metadata__", "__bytes__"}}
    indexed = {f"{file.split('/')[0]}/{name}" for name, file in named.items()}
    if lost := sorted(indexed - present - {f"transformer/{name}" for name in beside}):
        raise BrokenCheckpoint(f"{path / ROOT_INDEX} names {_named(lost)}, which was not found.", param="checkpoint")
    if unnamed := sorted(present - indexed):
        raise BrokenCheckpoint(f"{path / ROOT_INDEX} does not name {_named(unnamed)}.", param="checkpoint")


def _named(names: list[str]) -> str:
    rest = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {rest} more" if rest > 0 else "")

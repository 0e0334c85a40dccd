"""A checkpoint's folder: every tensor of it accounted for, then read straight from the shards and fused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from engine.weights.config import ModelConfig, read_config
from engine.weights.key_map import Entry, Source, key_map
from studio.checkpoints import check_layout, check_weights, read_json, shard_header
from studio.errors import BrokenCheckpoint

ROOT_INDEX = "model.safetensors.index.json"
"""What transformers reads: the transformer's keys and the vision encoder's in one map of key to file."""

DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
"""Names of the safetensors header for the dtypes that released weights come in."""

MAX_NAMED = 5
"""Keys that an error lists before it only counts."""


@dataclass(frozen=True)
class Folder:
    """A checkpoint whose layout and keys have been checked.

    Attributes:
        shards: the file of every tensor of the transformer.
        dtype: what its weights are stored in.
    """

    path: Path
    config: ModelConfig
    entries: tuple[Entry, ...]
    shards: Mapping[str, Path]
    dtype: torch.dtype


def open_folder(path: Path) -> Folder:
    """Check a folder from its headers alone; no tensor is read.

    Raises:
        NotACheckpoint: the released layout is not there.
        BrokenCheckpoint: a shard is cut short, a key is unknown or missing, a shape does not fit the configuration.
    """
    check_layout(path)
    check_weights(path)
    config = read_config(path / "transformer" / "config.json")
    entries = tuple(key_map(config))
    shards, found = _headers(path / "transformer")
    _account(found, [source for entry in entries for source in entry.sources], path / "transformer")
    _account_root_index(path, set(found))
    stored = found["proj_in.weight"]["dtype"]
    if stored not in DTYPES:
        raise BrokenCheckpoint(f"{path}: weights stored as {stored} are not read here.", param="checkpoint")
    return Folder(path, config, entries, shards, DTYPES[stored])


def read_weights(folder: Folder, device: torch.device, dtype: torch.dtype) -> dict[str, Tensor]:
    """Every parameter by its name here, on `device`; float32 where the key map says so, else `dtype`.

    Raises:
        BrokenCheckpoint: a shard cannot be read after all.
    """
    opened: dict[Path, safe_open] = {}

    def read(source: Source, kind: torch.dtype) -> Tensor:
        shard = folder.shards[source.name]
        if shard not in opened:
            opened[shard] = safe_open(shard, framework="pt", device=str(device))
        tensor = opened[shard].get_tensor(source.name).to(kind)
        return tensor.expand(source.heads, -1) if source.heads else tensor

    weights: dict[str, Tensor] = {}
    try:
        for entry in folder.entries:
            parts = [read(source, torch.float32 if entry.float32 else dtype) for source in entry.sources]
            weights[entry.target] = torch.cat(parts) if len(parts) > 1 else parts[0].contiguous()
    except (SafetensorError, OSError) as error:
        raise BrokenCheckpoint(f"{folder.path} cannot be read: {error}.", param="checkpoint") from None
    return weights


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
            hint="The weights and config.json are not of one model.",
        )
    if missing := sorted(expected.keys() - found.keys()):
        raise BrokenCheckpoint(f"{where} lacks {_named(missing)}.", param="checkpoint", hint="Pull it again.")
    for name, shape in expected.items():
        if tuple(found[name]["shape"]) != shape:
            raise BrokenCheckpoint(
                f"{where}: {name} has the shape {tuple(found[name]['shape'])}, its configuration says {shape}.",
                param="checkpoint",
            )


def _account_root_index(path: Path, transformer: set[str]) -> None:
    """The reasoner's index must name tensors that are where it says, and only the two folders it is made of."""
    if not (path / ROOT_INDEX).is_file():
        return
    named = read_json(path / ROOT_INDEX).get("weight_map", {})
    present = {f"transformer/{name}" for name in transformer}
    for shard in sorted((path / "vision_encoder").glob("*.safetensors")):
        present |= {f"vision_encoder/{name}" for name in shard_header(shard).keys() - {"__metadata__", "__bytes__"}}
    indexed = {f"{file.split('/')[0]}/{name}" for name, file in named.items()}
    if lost := sorted(indexed - present):
        raise BrokenCheckpoint(f"{path / ROOT_INDEX} names {_named(lost)}, which is not there.", param="checkpoint")
    if unnamed := sorted(present - indexed):
        raise BrokenCheckpoint(f"{path / ROOT_INDEX} does not name {_named(unnamed)}.", param="checkpoint")


def _named(names: list[str]) -> str:
    rest = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {rest} more" if rest > 0 else "")

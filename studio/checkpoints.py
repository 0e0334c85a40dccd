"""Finding a checkpoint and reading off its folder, without opening a tensor, whether it is one and whether it is whole.

The released layout is a diffusers pipeline folder (`model_index.json`, `transformer/`, `vae/`, `scheduler/`,
`text_tokenizer/`) that also carries what transformers needs for the reasoner (`config.json`, `vision_encoder/`). A
distilled checkpoint's index is that of a modular pipeline; others may have both.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from studio.errors import BrokenCheckpoint, CheckpointNotFound, NotACheckpoint, StudioError, rebuild
from studio.presets import CheckpointPreset
from studio.pulling import cached_folder
from studio.requests import KINDS, nearest, shown
from studio.requests.embodiments import EMBODIMENTS
from studio.rules import Capabilities

MODULAR_INDEX = "modular_model_index.json"

INDEXES = ("model_index.json", MODULAR_INDEX)
"""What diffusers reads first, of its two kinds of pipeline; one of them suffices."""

REQUIRED = (
    "transformer/config.json",
    "vae/config.json",
    "scheduler/scheduler_config.json",
    "text_tokenizer/tokenizer_config.json",
)

SHIPPED = Path(str(files("presets")))
"""Below it lie the checkpoints that come with the studio."""

MAX_HEADER_BYTES = 100_000_000
"""The format's own limit (github.com/huggingface/safetensors, README)."""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that can be named.

    Attributes:
        id: a preset's id, or the name of a folder.
        folder: where it lies; for one that ships or is built here, where it would.
        installed: whether the folder is there.
    """

    id: str
    preset: CheckpointPreset
    folder: Path | None
    installed: bool

    @property
    def way_here(self) -> str:
        """What is to be done for it to be on this machine."""
        if self.preset.tuned_from:
            return "Its weights were deleted. Tune it again."
        if self.preset.built_here:
            return "A server builds it when it first starts with it."
        if self.preset.ships:
            place = f"presets/{self.preset.lies_under}"
            return f"Its files belong in {place} and are missing from this copy; see docs/pocket.md."
        return f"Pull it: orrery checkpoints pull {self.id}."

    def capabilities(self) -> Capabilities:
        """What it can do: its configuration, where it is installed, and its preset laid over that.

        Raises:
            BrokenCheckpoint: the configuration cannot be read.
        """
        read: dict[str, Any] = {}
        if self.installed and self.folder is not None:
            config = read_json(self.folder / "transformer" / "config.json")
            read["sound"] = bool(config.get("sound_gen")) and (self.folder / "sound_tokenizer").is_dir()
            read["embodiments"] = _embodiments(config)
            if not read["embodiments"]:
                read["kinds"] = tuple(kind for kind in Capabilities(checkpoint="").kinds if not KINDS[kind].acts)
            read["max_action_width"] = int(config.get("action_dim") or 0)
            read["distilled_steps"] = _distilled_steps(self.folder / MODULAR_INDEX)
        overlay = self.preset.capabilities.model_dump(exclude_none=True)
        return Capabilities.model_validate({"checkpoint": self.id, **read, **overlay})


def _embodiments(config: Mapping[str, Any]) -> tuple[str, ...]:
    """The bodies whose actions fit a transformer's configuration; none without actions."""
    if not config.get("action_gen"):
        return ()
    domains, width = int(config.get("num_embodiment_domains") or 0), int(config.get("action_dim") or 0)
    return tuple(
        name
        for name, body in EMBODIMENTS.items()
        if body.domain < domains and (body.width is None or body.width <= width)
    )


def _distilled_steps(index: Path) -> int | None:
    """How many levels of noise diffusers' modular index fixes; none of a checkpoint that is not distilled."""
    sigmas = read_json(index).get("distilled_sigmas") if index.is_file() else None
    return len(cast(list[object], sigmas)) if isinstance(sigmas, list) and sigmas else None


def find_checkpoint(name: str, presets: Mapping[str, CheckpointPreset], built: Path) -> Checkpoint:
    """The checkpoint that a person named: a preset's id, or a folder; a preset's own folder is that preset.

    Args:
        name: as typed.
        presets: by id.
        built: the folder of checkpoints that are built here.

    Raises:
        CheckpointNotFound: it is neither.
        NotACheckpoint: it is a folder without the released layout.
    """
    if name in presets:
        preset = presets[name]
        folder = _folder_of(preset, built)
        installed = folder is not None and any((folder / name).is_file() for name in INDEXES)
        return Checkpoint(preset.id, preset, folder, installed)
    path = _path_of(name)
    if path is None:
        raise no_checkpoint(name, presets, ": it is neither a preset nor a folder")
    check_layout(path)
    if (preset := _preset_of(path, presets, built)) is not None:
        return find_checkpoint(preset.id, presets, built)
    name = path.absolute().name
    title = f"{name}-folder" if name in presets else name  # a request that names the preset means that
    preset = CheckpointPreset(id=title, title=title, summary=f"From the folder {path.absolute()}.")
    return Checkpoint(title, preset, path.absolute(), True)


def _folder_of(preset: CheckpointPreset, built: Path) -> Path | None:
    if preset.built_here:
        return built / preset.lies_under
    return SHIPPED / preset.lies_under if preset.ships else cached_folder(preset.repository, preset.revision)


def _preset_of(path: Path, presets: Mapping[str, CheckpointPreset], built: Path) -> CheckpointPreset | None:
    """The preset whose folder this is, whatever way leads there; of a preset and its variants the preset."""
    for preset in sorted(presets.values(), key=lambda preset: bool(preset.variant_of)):
        folder = _folder_of(preset, built)
        if folder is not None and folder.exists() and folder.samefile(path):
            return preset
    return None


def no_checkpoint(name: str, known: Collection[str], why: str = "") -> CheckpointNotFound:
    """What to raise for a name that nothing has.

    Args:
        name: as it came.
        known: what it may have meant.
        why: the end of the sentence.
    """
    return CheckpointNotFound(
        f"There is no checkpoint {shown(name)}{why}.", param="checkpoint", hint=nearest(name, known)
    )


def _path_of(name: str) -> Path | None:
    try:
        path = Path(name).expanduser()
        return path if path.exists() else None
    except (OSError, RuntimeError, ValueError):  # too long for a file system, nobody's home, half a character
        return None


def check_layout(folder: Path) -> None:
    """Raises NotACheckpoint naming what is missing from the released layout."""
    if not folder.is_dir():
        raise NotACheckpoint(f"{folder} is a file; a checkpoint is a folder.", param="checkpoint")
    missing = [name for name in REQUIRED if not (folder / name).is_file()]
    if not any((folder / name).is_file() for name in INDEXES):
        missing.insert(0, INDEXES[0])
    if missing:
        raise NotACheckpoint(
            f"{folder} is not a Cosmos 3 checkpoint: missing {', '.join(missing)}.",
            param="checkpoint",
            hint="Point at the folder that holds model_index.json.",
        )


def check_weights(folder: Path) -> int:
    """Check that every weight shard is as long as its own header says.

    Returns:
        The bytes of all shards.

    Raises:
        BrokenCheckpoint: a shard is truncated, its header is no header, or an index names a shard that is not there.
    """
    total = 0
    shards = sorted(folder.glob("*/*.safetensors"))
    if not shards:
        raise BrokenCheckpoint(f"{folder} has no safetensors file.", param="checkpoint")
    for shard in shards:
        total += check_shard(shard)
    for index in sorted([*folder.glob("*.safetensors.index.json"), *folder.glob("*/*.safetensors.index.json")]):
        weight_map = read_json(index).get("weight_map")
        if not isinstance(weight_map, dict):
            raise BrokenCheckpoint(f"{index} has no weight_map.", param="checkpoint")
        for name in sorted({str(shard) for shard in cast(dict[str, object], weight_map).values()}):
            if not (index.parent / name).is_file():
                raise BrokenCheckpoint(f"{index} names {name}, which was not found.", param="checkpoint")
    return total


def without_folder(error: StudioError, folder: Path) -> StudioError:
    """The error of a checkpoint as it is told over a socket, where it is nobody's business in which folder that lies.

    Files are named from its folder on: "transformer/config.json cannot be read".
    """
    said = [
        text.replace(f"{folder}/", "").replace(str(folder), "The checkpoint") for text in (error.message, error.hint)
    ]
    return rebuild(error.code, said[0], error.param, said[1])


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a checkpoint.

    Raises:
        BrokenCheckpoint: it is not one.
    """
    try:
        value: object = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise BrokenCheckpoint(f"{path} cannot be read as JSON: {error}.", param="checkpoint") from None
    if not isinstance(value, dict):
        raise BrokenCheckpoint(f"{path} is not a JSON object.", param="checkpoint")
    return cast(dict[str, Any], value)


def shard_header(shard: Path) -> dict[str, Any]:
    """What a safetensors file says of its tensors, by name, and perhaps of itself as `__metadata__`.

    Raises:
        BrokenCheckpoint: the file cannot be read, ends before its header does, or the header is no JSON object.
    """
    return open_shard(shard)[0]


def open_shard(shard: Path) -> tuple[dict[str, Any], int]:
    """A safetensors file's header and the byte at which its tensors start, as `shard_header` raises.

    The file is 8 bytes of length, then so much JSON, then tensors (github.com/huggingface/safetensors, README).
    """
    try:
        size = shard.stat().st_size
        file = shard.open("rb")
    except OSError as error:
        raise BrokenCheckpoint(
            f"{shard} cannot be read: {error.strerror or error}.", param="checkpoint", hint="Copy or pull it again."
        ) from None
    with file:
        prefix = file.read(8)
        length = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else size
        if length > size - 8:
            raise BrokenCheckpoint(
                f"{shard} is truncated: {size:,} bytes do not hold its header.",
                param="checkpoint",
                hint="Copy or pull it again.",
            )
        if length > MAX_HEADER_BYTES:
            raise BrokenCheckpoint(f"{shard} is not a safetensors file: its header is too long.", param="checkpoint")
        try:
            parsed: object = json.loads(file.read(length))
        except (ValueError, RecursionError):
            raise BrokenCheckpoint(
                f"{shard} is not a safetensors file: its header is not JSON.", param="checkpoint"
            ) from None
    if not isinstance(parsed, dict):
        raise BrokenCheckpoint(f"{shard} is not a safetensors file: its header is not an object.", param="checkpoint")
    return cast(dict[str, Any], parsed), 8 + length


def check_shard(shard: Path) -> int:
    """The bytes of a shard that is as long as its header says.

    Raises:
        BrokenCheckpoint: it is not, or its header is none.
    """
    header, start = open_shard(shard)
    header.pop("__metadata__", None)
    try:
        expected = start + max((int(entry["data_offsets"][1]) for entry in header.values()), default=0)
    except (KeyError, IndexError, TypeError, ValueError):
        raise BrokenCheckpoint(
            f"{shard} is not a safetensors file: its header has no offsets.", param="checkpoint"
        ) from None
    size = shard.stat().st_size
    if size != expected:
        what = "truncated" if size < expected else "longer than its header says"
        raise BrokenCheckpoint(
            f"{shard} is {what}: {size:,} bytes of {expected:,}.", param="checkpoint", hint="Copy or pull it again."
        )
    return size

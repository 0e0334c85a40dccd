"""What a training makes: an adapter folder as PEFT writes it, or a checkpoint folder of the released layout."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from backend.media.scratch import sync
from engine.speck.layout import written_whole
from engine.weights import Folder
from studio.tuning import Lora
from studio.tuning.lineage import LINEAGE
from tuning.state import typed_writing

ADAPTER = "adapter_model.safetensors"
CONFIG = "adapter_config.json"
_LEAF = re.compile(r"layers\.\d+\.(?P<leaf>.+)\.lora_[AB]\.weight$")


def write_adapter(folder: Path, tensors: Mapping[str, Tensor], lora: Lora, checkpoint: str) -> int:
    """Write an adapter whole or not at all.

    Args:
        tensors: by PEFT's names, see `tuning.lora.adapter_parameters`.
        checkpoint: its name, for the configuration.

    Returns:
        Its size in bytes.

    Raises:
        DiskFull, StorageError: it could not be written; nothing is left of it.
    """
    leaves = {match["leaf"] for name in tensors if (match := _LEAF.search(name))}
    config = {
        "peft_type": "LORA",
        "base_model_name_or_path": checkpoint,
        "r": lora.rank,
        "lora_alpha": lora.scale * lora.rank,
        "target_modules": sorted(leaves),
        "lora_dropout": 0.0,
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
        "task_type": None,
    }
    with typed_writing(folder), written_whole(folder) as built:
        save_file({name: value.detach().cpu().contiguous() for name, value in tensors.items()}, built / ADAPTER)
        (built / CONFIG).write_text(json.dumps(config, indent=2) + "\n")
        _sync(built)
    return _size(folder)


def write_checkpoint(
    folder: Path, begun_with: Folder, tensors: Mapping[str, Tensor], files: Mapping[str, str] | None = None
) -> int:
    """Write a checkpoint that is another one with some of its tensors changed, whole or not at all.

    Files without a changed tensor are links to those of the other one where they are on the same disk, and copies
    elsewhere; changed ones keep their names, so that every index still holds. The other one's lineage is its own.

    Args:
        tensors: of the transformer, by their official names; they are rounded to the dtype that is stored there.
        files: text by path, in the place of what the other one has there.

    Returns:
        What it takes beside the other one, in bytes.

    Raises:
        DiskFull, StorageError: it could not be written; nothing is left of it.
    """
    changed = {begun_with.shards[name].resolve() for name in tensors}
    written = 0
    with typed_writing(folder), written_whole(folder) as built:
        for path in sorted(begun_with.path.rglob("*")):
            target = built / path.relative_to(begun_with.path)
            if path == begun_with.path / LINEAGE:
                continue
            if path.is_dir():
                target.mkdir()
            elif path.resolve() in changed:
                _rewrite(path, target, tensors)
                written += target.stat().st_size
            else:
                _take_over(path.resolve(), target)
        for name, text in (files or {}).items():
            # What is there is the other one's own file under a second name.
            (built / name).unlink(missing_ok=True)
            (built / name).write_text(text + "\n", "utf-8")
        _sync(built)
    return written


def _rewrite(path: Path, target: Path, tensors: Mapping[str, Tensor]) -> None:
    with safe_open(path, framework="pt") as file:
        kept: dict[str, Tensor] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        metadata = file.metadata()
    for name in kept.keys() & tensors.keys():
        kept[name] = tensors[name].to("cpu", kept[name].dtype).reshape(kept[name].shape).contiguous()
    save_file(kept, target, metadata=metadata)


def _take_over(path: Path, target: Path) -> None:
    try:
        os.link(path, target)
    except OSError:
        shutil.copy2(path, target)


def _sync(folder: Path) -> None:
    """Put a folder on the disk."""
    for path in (*folder.rglob("*"), folder):
        sync(path)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

"""A LoRA adapter on disk: a safetensors file, or a folder with one, as diffusers and PEFT write them.

For a module of the checkpoint, by its official name:

    transformer.layers.3.self_attn.to_q.lora_A.weight          diffusers, [rank, inputs]
    base_model.model.layers.3.self_attn.to_q.lora_B.weight     PEFT, [outputs, rank]
    layers.3.self_attn.to_q.alpha                              one number, where there is one
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from engine.adapters.adapter_config import WEIGHTS, AdapterConfig, read_adapter_config
from studio.checkpoints import shard_header
from studio.errors import BadInput, BrokenCheckpoint
from studio.requests import nearest, shown

KEY = re.compile(
    r"^(?:base_model\.model\.|transformer\.|diffusion_model\.)*(?P<module>.+?)\."
    r"(?:(?P<part>lora_A|lora_B|lora_down|lora_up)(?:\.[A-Za-z0-9_-]+)?\.weight|(?P<alpha>alpha))$"
)
"""A tensor's name. Some writers keep the adapter's own name between the part and "weight"."""

FIRST, SECOND = {"lora_A", "lora_down"}, {"lora_B", "lora_up"}


@dataclass(frozen=True)
class LowRank:
    """What is added to a module's weight: up @ down.

    Attributes:
        down: [rank, inputs].
        up: [outputs, rank], alpha over rank multiplied in.
    """

    down: Tensor
    up: Tensor


@dataclass
class _Found:
    """The names and shapes of one module's tensors, as the header gives them."""

    down: str = ""
    up: str = ""
    alpha: str = ""


def weights_file(path: Path) -> Path:
    """The safetensors file that a path means.

    Raises:
        BadInput: there is none, or there are several that it could be.
    """
    if path.is_file():
        return path
    if not path.is_dir():
        raise BadInput(f"There is no adapter at {path}.", param="adapter.name")
    for name in WEIGHTS:
        if (path / name).is_file():
            return path / name
    others = sorted(path.glob("*.safetensors"))
    if len(others) != 1:
        raise BadInput(
            f"{path} holds {len(others)} safetensors files, and none is called {' or '.join(WEIGHTS)}.",
            param="adapter.name",
        )
    return others[0]


def read_adapter(path: Path, modules: Mapping[str, tuple[int, int]]) -> dict[str, LowRank]:
    """The matrices of an adapter by the official name of their module, on the CPU, as they are stored.

    Args:
        modules: (outputs, inputs) of every module that can be adapted.

    Raises:
        BadInput: it is no LoRA adapter of plain linear layers, or not one of this checkpoint.
        BrokenCheckpoint: the file is cut short.
    """
    weights = weights_file(path)
    header = _header(weights)
    metadata = header.pop("__metadata__", {})
    found = _sorted(weights, header, modules)
    config = read_adapter_config(weights, metadata if isinstance(metadata, dict) else {})
    for module, names in found.items():
        _check_shapes(weights, module, names, header, modules[module], config)
    try:
        with safe_open(weights, framework="pt") as file:
            return {module: _read(file, module, names, config) for module, names in found.items()}
    except (SafetensorError, OSError) as error:
        raise BrokenCheckpoint(f"{weights} cannot be read: {error}.", param="adapter.name") from None


def _header(weights: Path) -> dict[str, Any]:
    try:
        return shard_header(weights)
    except BrokenCheckpoint as error:
        raise BrokenCheckpoint(error.message, param="adapter.name", hint=error.hint) from None


def _sorted(weights: Path, header: Mapping[str, Any], modules: Collection[str]) -> dict[str, _Found]:
    """Every tensor at its module.

    Raises:
        BadInput: a tensor is none of a LoRA's, its module is unknown, or half of a pair is missing.
    """
    found: dict[str, _Found] = {}
    for key in sorted(header):
        match = KEY.match(key)
        if match is None:
            raise BadInput(
                f"{weights} is no LoRA adapter that is known here: it holds {shown(key)}.",
                param="adapter.name",
                hint="Expected are lora_A, lora_B and alpha of linear layers, as diffusers and PEFT write them.",
            )
        module = match["module"]
        if module not in modules:
            raise BadInput(
                f"{weights} adapts {shown(module)}, which is no linear layer of this checkpoint's towers.",
                param="adapter.name",
                hint=nearest(module, modules) if len(found) < len(modules) else "",
            )
        names = found.setdefault(module, _Found())
        slot = "alpha" if match["alpha"] else "down" if match["part"] in FIRST else "up"
        if getattr(names, slot):
            raise BadInput(f"{weights} holds {getattr(names, slot)} and {key}.", param="adapter.name")
        setattr(names, slot, key)
    if not found:
        raise BadInput(f"{weights} holds no tensor.", param="adapter.name")
    for module, names in found.items():
        if not names.down or not names.up:
            lacking = "lora_A" if not names.down else "lora_B"
            raise BadInput(f"{weights} has no {lacking} for {module}.", param="adapter.name")
    return found


def _check_shapes(
    weights: Path, module: str, names: _Found, header: Mapping[str, Any], size: tuple[int, int], config: AdapterConfig
) -> None:
    """Raises BadInput where the two matrices fit neither each other, nor their module, nor their configuration."""
    down, up = (tuple(header[name].get("shape", ())) for name in (names.down, names.up))
    outputs, inputs = size
    rank = down[0] if len(down) == 2 else 0
    if rank < 1 or down != (rank, inputs) or len(up) != 2 or up[0] != outputs:
        raise BadInput(
            f"{weights}: the matrices of {module} are {list(down)} and {list(up)}; its weight is {[outputs, inputs]}.",
            param="adapter.name",
            hint="The adapter was trained on another checkpoint.",
        )
    announced = config.rank(module)
    if up[1] != rank or announced not in (None, rank):
        said = f"; its configuration says {announced}" if announced is not None else ""
        raise BadInput(
            f"{weights}: the matrices of {module} have the ranks {rank} and {up[1]}{said}.", param="adapter.name"
        )


def _read(file: Any, module: str, names: _Found, config: AdapterConfig) -> LowRank:
    down, up = file.get_tensor(names.down).float(), file.get_tensor(names.up).float()
    if names.alpha:
        alpha = file.get_tensor(names.alpha)
        if alpha.numel() != 1:
            raise BadInput(f"alpha of {module} has {alpha.numel()} values; one is expected.", param="adapter.name")
        scaling = float(alpha) / len(down)
    else:
        scaling = config.scaling(module, len(down))
    up = up * scaling
    if not (down.isfinite().all() and up.isfinite().all()):
        raise BadInput(f"The adapter's matrices of {module} hold values that are not finite.", param="adapter.name")
    return LowRank(down, up)

"""A LoRA adapter on disk: a safetensors file, or a folder with one, as diffusers and PEFT write them.

Beside the matrices it may say ranks and alphas, in PEFT's words: `AdapterConfig`.

For a module of the checkpoint, by its official name:

    transformer.layers.3.self_attn.to_q.lora_A.weight          diffusers, [rank, inputs]
    base_model.model.layers.3.self_attn.to_q.lora_B.weight     PEFT, [outputs, rank]
    layers.3.self_attn.to_q.alpha                              one number, where there is one
    net.language_model.model.layers.3.self_attn.q_proj_moe_gen.lora_A.default.weight    NVIDIA's framework
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import re2
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError, safe_open
from torch import Tensor

from studio.checkpoints import read_json, shard_header
from studio.errors import BadInput, BrokenCheckpoint
from studio.requests import nearest, shown

WEIGHTS = ("adapter_model.safetensors", "pytorch_lora_weights.safetensors")
"""What PEFT and diffusers call the file of matrices in a folder."""

CONFIG = "adapter_config.json"
"""PEFT's file beside it."""

METADATA = "lora_adapter_metadata"
"""Where diffusers 0.42 puts the same fields, each behind "transformer.", in the header of its own weights file."""

MAX_PATTERNS = 1024
"""Of ranks, and as many of alphas; the largest checkpoint has 896 modules that an adapter may name."""

RE2 = re2.Options()
RE2.max_mem, RE2.log_errors = 1 << 20, False

KEY = re.compile(
    r"^(?:base_model\.model\.|transformer\.|diffusion_model\.)*(?P<module>.+?)\."
    r"(?:(?P<part>lora_A|lora_B|lora_down|lora_up)(?:\.[A-Za-z0-9_-]+)?\.weight|(?P<alpha>alpha))$"
)
"""A tensor's name. Some writers keep the adapter's own name between the part and "weight"."""

FRAMEWORK = re.compile(
    r"^(?:net\.)?(?:language_model\.)?(?:model\.)?(?P<attention>layers\.\d+\.self_attn)\.(?P<leaf>\w+)$"
)
FRAMEWORK_LEAVES = {
    "q_proj": "to_q",
    "k_proj": "to_k",
    "v_proj": "to_v",
    "o_proj": "to_out",
    "q_proj_moe_gen": "add_q_proj",
    "k_proj_moe_gen": "add_k_proj",
    "v_proj_moe_gen": "add_v_proj",
    "o_proj_moe_gen": "to_add_out",
}
"""What NVIDIA's framework calls the projections of both towers, which its recipes adapt by default. Source:
cosmos-framework, `lora_target_modules` of its model configurations; the official names are diffusers'."""

FIRST = {"lora_A", "lora_down"}
"""What writers call the matrix that the input meets first."""


class AdapterConfig(BaseModel):
    """The fields of PEFT's `LoraConfig` that change what is computed, with its defaults.

    Attributes:
        r: rank where `rank_pattern` names none; none of an adapter that says nothing.
        lora_alpha: likewise; an adapter without one has its rank for it.
        rank_pattern: by a regular expression of the end of a module's name, such as `to_q` or `layers.[0-9].*`.
        alpha_pattern: likewise.
        use_rslora: alpha is divided by the root of the rank, not by the rank.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    peft_type: str = "LORA"
    r: int | None = Field(None, gt=0)
    lora_alpha: float | None = None
    rank_pattern: dict[str, int] = Field(default_factory=dict)
    alpha_pattern: dict[str, float] = Field(default_factory=dict)
    use_rslora: bool = False
    use_dora: bool = False
    lora_bias: bool = False
    fan_in_fan_out: bool = False
    bias: str = "none"

    def rank(self, module: str) -> float | None:
        """The rank that it announces for a module."""
        return _of_module(self.rank_pattern, module, self.r)

    def scaling(self, module: str, rank: int) -> float:
        """What the product of a module's matrices is multiplied by."""
        alpha = _of_module(self.alpha_pattern, module, self.lora_alpha)
        if alpha is None:
            return 1.0
        return alpha / (math.sqrt(rank) if self.use_rslora else rank)


def config_file(weights: Path) -> Path | None:
    """The file that describes a weights file, where there is one; a weights file of another name stands alone."""
    beside = weights.parent / CONFIG
    return beside if weights.name in WEIGHTS and beside.is_file() else None


def read_adapter_config(weights: Path, metadata: Mapping[str, Any]) -> AdapterConfig:
    """The configuration of a weights file: the file beside it, else its own header's, else nothing said.

    Args:
        metadata: `__metadata__` of the weights file's header.

    Raises:
        BadInput: it cannot be read, or describes something that is not read here.
    """
    beside = config_file(weights)
    try:
        raw = _in_header(metadata) if beside is None else read_json(beside)
        config = AdapterConfig.model_validate(raw)
    except (BrokenCheckpoint, ValueError, RecursionError) as error:
        raise BadInput(f"The adapter's configuration cannot be read: {_reason(error)}", param="adapter.name") from None
    _check_patterns("rank_pattern", config.rank_pattern)
    _check_patterns("alpha_pattern", config.alpha_pattern)
    refused = {
        f"of the type {config.peft_type}": config.peft_type != "LORA",
        "a DoRA": config.use_dora,
        "trained with biases": config.lora_bias or config.bias != "none",
        "transposed (fan_in_fan_out)": config.fan_in_fan_out,
    }
    for what, is_so in refused.items():
        if is_so:
            raise BadInput(
                f"{weights} is {what}; only plain LoRA adapters of linear layers are supported.", param="adapter.name"
            )
    return config


def _in_header(metadata: Mapping[str, Any]) -> dict[str, Any]:
    text = metadata.get(METADATA)
    raw: object = json.loads(text) if isinstance(text, str) else {}
    if not isinstance(raw, dict):
        raise ValueError(f"{METADATA} is {shown(raw)}, not an object.")
    return {str(name).removeprefix("transformer."): value for name, value in raw.items()}


def _check_patterns(field: str, patterns: Mapping[str, float]) -> None:
    """Raises BadInput where a pattern cannot be read, or where there are more than can be looked through quickly."""
    if len(patterns) > MAX_PATTERNS:
        raise BadInput(
            f"The adapter's {field} has {len(patterns):,} patterns; the maximum is {MAX_PATTERNS:,}.",
            param="adapter.name",
        )
    for pattern in patterns:
        try:
            re2.compile(pattern, RE2)
            _end_of_name(pattern)
        except re2.error as error:
            raise BadInput(
                f"The adapter's configuration has {shown(pattern)}, which is not a supported expression: "
                f"{error.args[0].decode()}.",
                param="adapter.name",
                hint="Expressions use RE2 syntax: no backreferences and no lookahead or lookbehind.",
            ) from None


@lru_cache(maxsize=2 * MAX_PATTERNS)
def _end_of_name(pattern: str) -> Callable[[str], object]:
    """Matches as PEFT does: the whole of a name, or all that follows one of its dots.

    RE2 reads a name once, whatever the pattern; Python's own expressions may try more ways than there is time for.
    Source: peft 0.21, `get_pattern_key`.
    """
    return re2.compile(rf"(?:.*\.)?(?:{pattern})", RE2).fullmatch


def _of_module(patterns: Mapping[str, float], module: str, otherwise: float | None) -> float | None:
    """What the first pattern that matches a module says."""
    return next((value for pattern, value in patterns.items() if _end_of_name(pattern)(module)), otherwise)


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))} is {shown(first.get('input'))}: {first['msg']}."
    return str(error)


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
            f"{path} holds {len(others)} safetensors files, but none is named {' or '.join(WEIGHTS)}.",
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


def official_name(module: str) -> str:
    """The checkpoint's name of a module that NVIDIA's framework names in its own way; any other stays."""
    match = FRAMEWORK.match(module)
    leaf = FRAMEWORK_LEAVES.get(match["leaf"]) if match else None
    return f"{match['attention']}.{leaf}" if match and leaf else module


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
                f"{weights} is not a known LoRA format: it has {shown(key)}.",
                param="adapter.name",
                hint="Expected lora_A, lora_B and alpha of linear layers, as diffusers and PEFT write them.",
            )
        module = official_name(match["module"])
        if module not in modules:
            raise BadInput(
                f"{weights} adapts {shown(module)}, which is not a linear layer of this checkpoint's towers.",
                param="adapter.name",
                hint=nearest(module, modules) if len(found) < len(modules) else "",
            )
        names = found.setdefault(module, _Found())
        slot = "alpha" if match["alpha"] else "down" if match["part"] in FIRST else "up"
        if getattr(names, slot):
            raise BadInput(f"{weights} holds {getattr(names, slot)} and {key}.", param="adapter.name")
        setattr(names, slot, key)
    if not found:
        raise BadInput(f"{weights} has no tensors.", param="adapter.name")
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
            raise BadInput(f"alpha of {module} has {alpha.numel()} values; expected one.", param="adapter.name")
        scaling = float(alpha) / len(down)
    else:
        scaling = config.scaling(module, len(down))
    up = up * scaling
    if not (down.isfinite().all() and up.isfinite().all()):
        raise BadInput(f"The adapter's matrices of {module} hold values that are not finite.", param="adapter.name")
    return LowRank(down, up)

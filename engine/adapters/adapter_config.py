"""What a LoRA adapter says about itself beside its matrices: ranks and alphas, in PEFT's words."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import re2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.checkpoints import read_json
from studio.errors import BadInput, BrokenCheckpoint
from studio.requests import shown

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
        BadInput: it cannot be read, or describes something that is not put on here.
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
                f"{weights} is {what}; plain LoRA adapters of linear layers are put on here.", param="adapter.name"
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
            f"The adapter's {field} has {len(patterns):,} patterns; at most {MAX_PATTERNS:,} are read.",
            param="adapter.name",
        )
    for pattern in patterns:
        try:
            re2.compile(pattern, RE2)
            _end_of_name(pattern)
        except re2.error as error:
            raise BadInput(
                f"The adapter's configuration names {shown(pattern)}, which is no expression that is read here: "
                f"{error.args[0].decode()}.",
                param="adapter.name",
                hint="Expressions are those of RE2: no backreferences, and nothing that looks ahead or behind.",
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

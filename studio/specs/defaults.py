"""`presets/framework_defaults.toml`: what the framework fills in where a sample says nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import Field

from studio.requests import Frozen


@dataclass(frozen=True)
class Checkpoint:
    """The checkpoint that will make the samples, as far as defaults depend on it.

    Attributes:
        id: its preset's id, or a folder's name; empty while no server has been asked.
        defaults: request fields by kind, as its preset says.
    """

    id: str = ""
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


class FrameworkDefaults(Frozen):
    """The file, by the framework's own field names.

    Attributes:
        modes: by `model_mode`.
        transfer: of a clip that follows controls.
        transfer_hints: of a clip that follows this control alone.
        checkpoints: by a preset's id.
    """

    modes: dict[str, dict[str, Any]]
    transfer: dict[str, Any]
    transfer_hints: dict[str, dict[str, Any]] = Field(default_factory=dict)
    checkpoints: dict[str, dict[str, Any]] = Field(default_factory=dict)

    def of(self, mode: str, checkpoint: str) -> dict[str, Any]:
        """Fields of a mode; a checkpoint changes only those that the mode has, and its resolution."""
        fields = dict(self.modes.get(mode, {}))
        own = self.checkpoints.get(checkpoint, {})
        return fields | {name: value for name, value in own.items() if name in fields or name == "resolution"}


@cache
def load_framework_defaults() -> FrameworkDefaults:
    """The shipped file."""
    raw = files("presets").joinpath("framework_defaults.toml").read_bytes()
    return FrameworkDefaults.model_validate(tomllib.loads(raw.decode()))

"""What a server answers when it is asked what it has: checkpoints, choices, jobs, the request in a picture.

The server writes these and the client reads them; `orrery checkpoints` makes the first one without a server.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from studio.checkpoints import Checkpoint, find_checkpoint
from studio.jobs import Job
from studio.presets import CheckpointPreset, Example
from studio.requests import Frozen, Request
from studio.rules import Capabilities, Choice

CheckpointState = Literal["absent", "installed", "preparing", "loading", "ready", "failed", "lost"]
"""`absent` and `installed` are about the disk; the others are the worker's, as in `studio.events.CheckpointStatus`."""


class CheckpointInfo(Frozen):
    """One checkpoint that can be named, and where it stands.

    Attributes:
        id, title, summary, repository, random_weights, weights_gb: as its preset says.
        installed: its folder is there; one that is built here is built when it is first loaded.
        loaded: the worker holds it and answers requests.
        capabilities: what it can do.
        defaults: request fields by kind, laid under what a person sends.
        examples: by kind.
    """

    id: str
    title: str
    summary: str
    repository: str = ""
    installed: bool
    loaded: bool = False
    state: CheckpointState
    random_weights: bool = False
    weights_gb: float | None = None
    capabilities: Capabilities
    defaults: dict[str, dict[str, Any]] = Field(default_factory=dict)
    examples: dict[str, tuple[Example, ...]] = Field(default_factory=dict)

    @classmethod
    def of(cls, checkpoint: Checkpoint, state: CheckpointState | None = None) -> CheckpointInfo:
        """What is known of a checkpoint; without a state from the worker, the disk's."""
        preset = checkpoint.preset
        return cls(
            id=checkpoint.id,
            title=preset.title,
            summary=preset.summary,
            repository=preset.repository,
            installed=checkpoint.installed,
            loaded=state == "ready",
            state=state or ("installed" if checkpoint.installed else "absent"),
            random_weights=preset.random_weights,
            weights_gb=preset.weights_gb,
            capabilities=checkpoint.capabilities(),
            defaults=preset.defaults,
            examples=preset.examples,
        )


class CheckpointList(Frozen):
    """`GET /v1/checkpoints`."""

    checkpoints: tuple[CheckpointInfo, ...]


class ChoiceList(Frozen):
    """`GET /v1/choices/{kind}`: the options of every ruled field, for the loaded checkpoint."""

    checkpoint: str
    choices: dict[str, tuple[Choice, ...]]


class JobList(Frozen):
    """`GET /v1/jobs`, newest first."""

    jobs: tuple[Job, ...]


class Recipe(Frozen):
    """`POST /v1/recipes/read`: the request that made a picture, one picture and its own seed."""

    request: Request


def list_checkpoints(presets: Mapping[str, CheckpointPreset], built: Path) -> CheckpointList:
    """Every checkpoint that has a preset, as the disk has it.

    Args:
        presets: by id.
        built: the folder of checkpoints that are built here.
    """
    found = [find_checkpoint(name, presets, built) for name in presets]
    return CheckpointList(checkpoints=tuple(CheckpointInfo.of(checkpoint) for checkpoint in found))

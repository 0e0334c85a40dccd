"""What a server answers when it is asked what it has: checkpoints, choices, jobs, the request in a picture.

The server writes these and the client reads them; `orrery checkpoints` makes the first one without a server.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from studio.checkpoints import Checkpoint, find_checkpoint
from studio.events import CheckpointStatus, EngineState
from studio.jobs import Failure, Job
from studio.presets import CheckpointPreset, Example, Precision, ReasonerDefaults
from studio.requests import KINDS, Frozen, Request
from studio.requests.kinds import Made, Taken
from studio.rules import Capabilities, Choice, Span
from studio.tuning.lineage import Lineage, lineage_of

CheckpointState = Literal["absent", "installed"] | EngineState
"""`absent` and `installed` are about the disk; the others are engines', as in `studio.events.CheckpointStatus`."""


class DeviceMemory(Frozen):
    """Memory that checkpoints live in, GB of 10^9 bytes: of a GPU, or of the host where there is none.

    Attributes:
        total_gb, free_gb: of several GPUs what the scarcest has: each holds all weights of a checkpoint.
        spare_gb: what one more checkpoint finds before others must leave: what is free, or left of `--memory-gb`; none
            where no server says it.
    """

    place: Literal["gpu", "host"]
    total_gb: float
    free_gb: float
    spare_gb: float | None = None


class CheckpointInfo(Frozen):
    """One checkpoint that can be named, and where it stands.

    Attributes:
        id, title, summary, repository, revision, built_here, ships, weights_gb: as its preset says.
        random_weights, simulated: likewise.
        variant_of: id of another one whose weights it has, or another revision of them; empty for most.
        precision: that it is computed in, where its preset says one in place of the server's.
        installed: its folder is there; one that is built here is built when it is first loaded.
        loaded: an engine holds it and answers requests.
        active: requests without a name go to it.
        detail: of a loaded one, as in ``float32 · 0.01 GB``.
        error: why it could not be loaded.
        disk_gb: what its weights take on this machine's disk, 10^9 bytes.
        needed_gb: what it takes of the memory of each device that its engines are put on, reckoned; none where that
            cannot be said, as with `--offload` or `--shard-weights` of one that is not here.
        capabilities: what it can do.
        reasoner: how its reasoner answers where nobody has said.
        defaults: request fields by kind, laid under what a person sends.
        examples: by kind.
        lineage: of one that was tuned here.
    """

    id: str
    title: str
    summary: str
    repository: str = ""
    revision: str = ""
    installed: bool
    loaded: bool = False
    active: bool = False
    detail: str = ""
    error: Failure | None = None
    disk_gb: float | None = None
    needed_gb: float | None = None
    state: CheckpointState
    built_here: bool = False
    ships: bool = False
    variant_of: str = ""
    precision: Precision | None = None
    random_weights: bool = False
    simulated: bool = False
    weights_gb: float | None = None
    capabilities: Capabilities
    reasoner: ReasonerDefaults = ReasonerDefaults()
    defaults: dict[str, dict[str, Any]] = Field(default_factory=dict)
    examples: dict[str, tuple[Example, ...]] = Field(default_factory=dict)
    lineage: Lineage | None = None

    @classmethod
    def of(
        cls, checkpoint: Checkpoint, status: CheckpointStatus | None = None, *, active: bool = False
    ) -> CheckpointInfo:
        """What is known of a checkpoint; without engines' word, the disk's."""
        preset = checkpoint.preset
        return cls(
            id=checkpoint.id,
            title=preset.title,
            summary=preset.summary,
            repository=preset.repository,
            revision=preset.revision,
            installed=checkpoint.installed,
            loaded=status is not None and status.state == "ready",
            active=active,
            detail=status.detail if status else "",
            error=status.error if status else None,
            state=status.state if status else "installed" if checkpoint.installed else "absent",
            built_here=preset.built_here,
            ships=preset.ships,
            variant_of=preset.variant_of,
            precision=preset.precision,
            random_weights=preset.random_weights,
            simulated=preset.simulated,
            weights_gb=preset.weights_gb,
            capabilities=checkpoint.capabilities(),
            reasoner=preset.reasoner,
            defaults=preset.defaults,
            examples=preset.examples,
            lineage=lineage_of(checkpoint.folder) if preset.tuned_from and checkpoint.folder else None,
        )


class CheckpointList(Frozen):
    """`GET /v1/checkpoints`.

    Attributes:
        memory: what checkpoints live in; none where nobody has looked.
        starts_with: id of the one that is active after a restart; none without a server.
    """

    checkpoints: tuple[CheckpointInfo, ...]
    memory: DeviceMemory | None = None
    starts_with: str | None = None


class ChoiceList(Frozen):
    """`GET /v1/choices/{kind}`: what may be chosen for the loaded checkpoint.

    Attributes:
        choices: the options of every ruled field.
        limits: the bounds of every ruled number, by field and tier; the tier "" stands for all of them.
    """

    checkpoint: str
    choices: dict[str, tuple[Choice, ...]]
    limits: dict[str, dict[str, Span]] = Field(default_factory=dict)


class KindFacts(Frozen):
    """What can be known of a kind of request beside its fields.

    Attributes:
        takes: by field; `controls.video` is that of every entry of a list.
        makes: of one result; `when` names the field that asks for it, and is empty for what is always made.
        acts: it deals in actions.
        is_captioned: its prompt is best a structured caption, which `POST /v1/upsample` writes.
    """

    takes: dict[str, Taken]
    makes: tuple[Made, ...]
    acts: bool
    is_captioned: bool


class KindList(Frozen):
    """`GET /v1/choices`: every kind of request."""

    kinds: dict[str, KindFacts]

    @classmethod
    def of_table(cls) -> KindList:
        """The table of kinds, for those who ask over HTTP, and for the page."""
        return cls(
            kinds={
                name: KindFacts(
                    takes=dict(kind.takes), makes=kind.makes, acts=kind.acts, is_captioned=kind.is_captioned
                )
                for name, kind in KINDS.items()
            }
        )


class JobList(Frozen):
    """`GET /v1/jobs`, newest first.

    Attributes:
        next_cursor: where the next page begins, or null at the end.
    """

    jobs: tuple[Job, ...]
    next_cursor: str | None = None


class Recipe(Frozen):
    """`POST /v1/recipes/read`: the request that made a result, one result and its own seed.

    Attributes:
        unread: names of settings that another program wrote and that have no place in the request, as in "Sampler".
    """

    request: Request
    unread: tuple[str, ...] = ()


def is_offered(checkpoint: Checkpoint) -> bool:
    """Whether it is listed: what comes with the studio, and is not there, nobody could get another way."""
    return checkpoint.installed or not checkpoint.preset.ships


def list_checkpoints(presets: Mapping[str, CheckpointPreset], built: Path) -> CheckpointList:
    """Every checkpoint that has a preset and is offered, as the disk has it.

    Args:
        presets: by id.
        built: the folder of checkpoints that are built here.
    """
    found = (find_checkpoint(name, presets, built) for name in presets)
    return CheckpointList(checkpoints=tuple(CheckpointInfo.of(each) for each in found if is_offered(each)))


class AdapterInfo(Frozen):
    """One LoRA adapter of the data folder's `adapters/`, by the name that a request's `adapter` gives.

    Attributes:
        lineage: of one that was tuned here.
    """

    name: str
    size_bytes: int
    lineage: Lineage | None = None


class AdapterList(Frozen):
    """`GET /v1/adapters`, by name."""

    adapters: tuple[AdapterInfo, ...]

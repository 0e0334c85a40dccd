"""Tunings: a post-training from its check to its last save, and what pages are told of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from studio.jobs import Failure
from studio.requests import Frozen
from studio.requests.fields import MediaId
from studio.tuning.events import DataReport, Stepped
from studio.tuning.recipes import Name, Recipe

TuningState = Literal["checking", "checked", "waiting", "running", "stopped", "succeeded", "failed"]
"""`waiting` is for its turn or its device; `stopped` can be resumed, and so can `failed`. One that is `checked` has a
report, or the error of its check."""

OPEN: tuple[TuningState, ...] = ("checking", "waiting", "running")
"""States in which a server works on a tuning, or is going to."""


class StartTuning(Frozen):
    """`POST /v1/tunings` and `/v1/tunings/check`.

    Attributes:
        recipe: what is trained, on which data sets and how.
        evaluates_saves: show and measure every save: a comparison of a generator, the benchmarks of a reasoner, a
            policy in the simulated closed loop.
    """

    recipe: Recipe
    evaluates_saves: bool = True


class SuccessRate(Frozen):
    """How often a policy's save succeeded in the simulated closed loop.

    Attributes:
        value: 0 to 1; `low` and `high` are its 95 % interval (Wilson).
        num_episodes: that it was tried in.
    """

    value: float
    low: float
    high: float
    num_episodes: int


class PictureDrift(Frozen):
    """How far a fixed image has moved because all of a reasoner was trained.

    Attributes:
        before, after: ids of the image from the checkpoint that the tuning began with, and from the save.
        psnr_db: of the second against the first.
    """

    before: MediaId
    after: MediaId
    psnr_db: float


class ResumeTuning(Frozen):
    """`POST /v1/tunings/{id}/resume`: what of the recipe may change from here on; what is not given stays."""

    steps: Annotated[
        int | None, Field(ge=1, le=1_000_000, title="Steps", description="in all; more of them lengthen a tuning")
    ] = None
    save_every: Annotated[int | None, Field(ge=1, title="Save every", description="steps")] = None
    checkpoints_activations: Annotated[
        bool | None,
        Field(title="Activation checkpointing", description="compute each block twice; takes far less memory"),
    ] = None
    offloads_weights: Annotated[
        bool | None, Field(title="Offload weights", description="keep them on the host; for adapters")
    ] = None


class TuningSave(Frozen):
    """A save.

    Attributes:
        name: `NAME@STEP`, as requests name it: an adapter, or a checkpoint.
        makes: which of the two.
        kept_as: the names under which it was kept.
        comparison: id of its comparison with what was there before; empty without one.
        runs: ids of its runs of benchmarks.
        success: of a policy that was tried.
        drift: of a reasoner all of whose weights were trained; none where images stay as they were.
        note: why it was not shown or measured.
    """

    step: int
    name: str
    makes: Literal["adapter", "checkpoint"]
    size_bytes: int
    created_at: datetime
    loss: float | None = None
    kept_as: tuple[str, ...] = ()
    comparison: str = ""
    runs: tuple[str, ...] = ()
    success: SuccessRate | None = None
    drift: PictureDrift | None = None
    note: str = ""

    @property
    def evaluation(self) -> dict[str, object]:
        """The fields that showing and measuring it fills in."""
        filled = ("comparison", "runs", "success", "drift", "note")
        return {name: getattr(self, name) for name in filled}


class TuningProgress(Frozen):
    """How far a tuning is, as it is told while it runs.

    Attributes:
        doing: what comes before the first step, `done` of `total`; empty afterwards.
        loss: of the last steps.
        eta_s: until its last step; none before the first one.
    """

    state: TuningState
    step: int = 0
    steps: int = 0
    doing: str = ""
    done: int = 0
    total: int = 0
    loss: float | None = None
    seconds_per_step: float | None = None
    eta_s: float | None = None
    waits_for: str = ""


class Tuning(Frozen):
    """`GET /v1/tunings/{id}`: a tuning as it is now.

    Attributes:
        recipe: as it was asked; posting it again repeats the tuning.
        checkpoint_title: of the one that it begins with.
        device: that it ran on last.
        progress: see there.
        report: what of the data is trained on; none before it has been looked at.
        saves: the oldest first.
        spent_s: seconds in which it ran.
        error: why it failed; what was saved stays, and `POST /v1/tunings/{id}/resume` goes on.
    """

    id: str
    recipe: Recipe
    evaluates_saves: bool = True
    checkpoint_title: str
    version: str
    state: TuningState
    device: str = ""
    created_at: datetime
    spent_s: float = 0.0
    progress: TuningProgress
    report: DataReport | None = None
    saves: tuple[TuningSave, ...] = ()
    error: Failure | None = None

    @property
    def name(self) -> str:
        """Of what is made."""
        return self.recipe.name

    def with_save(self, step: int, **changes: object) -> Tuning:
        """The same with other values of the save at a step."""
        saves = tuple(one.model_copy(update=changes) if one.step == step else one for one in self.saves)
        return self.model_copy(update={"saves": saves})


class TuningList(Frozen):
    """`GET /v1/tunings`: the newest first."""

    tunings: tuple[Tuning, ...]


class KeepSave(Frozen):
    """`POST /v1/tunings/{id}/saves/{step}/keep`: the name under which it is served from now on."""

    name: Name


class TuningCurves(Frozen):
    """`GET /v1/tunings/{id}/curves`: what was told at each step, in order."""

    points: tuple[Stepped, ...]


class RecipePreset(Frozen):
    """One file of `presets/tuning/`.

    Attributes:
        title, summary: for people.
        source: of its figures.
        task: that it is for.
        checkpoints: ids of those for which it is suggested.
        all_weights: nothing of LoRA.
        recipe: fields of the recipe; name, checkpoint and data are the person's own.
    """

    id: str
    title: str
    summary: str
    source: str
    task: Literal["generator", "reasoner", "policy"]
    checkpoints: tuple[str, ...] = ()
    all_weights: bool = False
    recipe: dict[str, Any] = Field(default_factory=dict)


class RecipeChoices(Frozen):
    """`GET /v1/tunings/recipes`: what a form is drawn from.

    Attributes:
        schemas: JSON Schema of the recipe of each task.
        presets: the shipped ones and the user's own.
    """

    schemas: dict[str, dict[str, Any]]
    presets: tuple[RecipePreset, ...]

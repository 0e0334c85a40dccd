"""Comparisons: the same work done in several ways, as one grid of cells that are looked at together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from studio.jobs import Failure, Job, JobState, Priority
from studio.library import LibraryItem, Title
from studio.requests import Frozen
from studio.requests.fields import BoundedText, MediaId

MAX_SUBJECTS = 250
MAX_SHOWN = 12
"""Library items beside each other in one row."""

MAX_CELLS = 1000

StartMode = Literal["t2v", "i2v", "v2v"]
"""From words alone, from the first frame of the ground truth, from its first frames."""

Role = Literal["reference", "shown", "made"]
ExportForm = Literal["mp4", "zip", "csv"]


class ComparisonSubject(Frozen):
    """What one row of the grid is about.

    Attributes:
        label: how the row is called; none takes its prompt.
        request: laid over the comparison's own request: a prompt, or all of a spec.
        item: a library item that was made here: its recipe lies under both.
        reference: a library item that shows how it ought to be, in the first column; cells are measured against it.
        starts: of a reference that is a clip: a row for each, made from words, from its first frame, from its first
            frames. None is one row, which starts from what its request says.
        shown: library items that stand in the row as they are.
    """

    label: Title = ""
    request: dict[str, Any] = Field(default_factory=dict)
    item: MediaId | None = None
    reference: MediaId | None = None
    starts: Annotated[tuple[StartMode, ...], Field(max_length=3)] = ()
    shown: Annotated[tuple[MediaId, ...], Field(max_length=MAX_SHOWN)] = ()

    @model_validator(mode="after")
    def _starts_from_something(self) -> Self:
        if self.starts and self.reference is None:
            raise ValueError("starts needs a reference, and none was sent")
        return self


class Replacement(Frozen):
    """A value of the axis `prompt`: the row's own prompt, with other words in place of some of it."""

    replace: Annotated[BoundedText, Field(min_length=1)]
    with_: Annotated[BoundedText, Field(alias="with")] = ""


class CompareRequest(Frozen):
    """`POST /v1/comparisons`: rows of subjects, and what is varied along them.

    Every subject is made with every combination of the axes' values. Without a request anywhere, only library items
    are shown.

    Attributes:
        request: under all of them; what nobody says comes from the checkpoint's preset.
        axes: values by the path of a field, as in `{"checkpoint": ["a", "b"], "sampling.seed": [1, 2]}`; the last one
            varies fastest. A number in a path counts in a list, as in `controls.0.weight`. Values of `prompt` may be
            `{"replace": "red", "with": "blue"}`: the row's own prompt, changed.
        column_labels: names of the made columns, where the values should not speak for themselves ("before", "after").
        shown_labels: names of the columns of items that are shown as they are.
    """

    title: Title = ""
    request: dict[str, Any] = Field(default_factory=dict)
    axes: Annotated[dict[str, Annotated[tuple[Any, ...], Field(min_length=1)]], Field(max_length=16)] = Field(
        default_factory=dict
    )
    subjects: Annotated[tuple[ComparisonSubject, ...], Field(min_length=1, max_length=MAX_SUBJECTS)]
    column_labels: Annotated[tuple[BoundedText, ...], Field(max_length=MAX_CELLS)] = ()
    shown_labels: Annotated[tuple[BoundedText, ...], Field(max_length=MAX_SHOWN)] = ()
    priority: Priority = "normal"


@dataclass(frozen=True)
class Metric:
    """A number that is measured of a result; whatever shows it reads this.

    Attributes:
        name: in JSON and in the table that is exported.
        title: above a column.
        help: what it says.
        against: what the result is measured with: the reference, or the controls that it followed.
        unit: written behind the number.
        digits: shown behind the point.
    """

    name: str
    title: str
    help: str
    against: Literal["reference", "controls"] = "reference"
    unit: str = ""
    digits: int = 3


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("psnr_db", "PSNR", "Peak signal-to-noise ratio against the ground truth", unit="dB", digits=1),
        Metric("ssim", "SSIM", "Structural similarity to the ground truth"),
        Metric("fidelity", "control", "How closely it follows its edge or blur control, 0 to 1", "controls", digits=2),
    )
}
"""Their functions stand in `backend.comparisons.likeness`."""


class Likeness(Frozen):
    """What was measured of a result: a number under the name of each metric, as in `{"psnr_db": 31.4}`.

    Attributes:
        note: what was done to measure at all: other lengths, rates or sizes.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, float | None] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]

    note: str = ""

    @model_validator(mode="after")
    def _metrics_are_known(self) -> Self:
        if unknown := self.__pydantic_extra__.keys() - METRICS.keys():
            raise ValueError(f"{min(unknown)} is not a metric; known metrics are {', '.join(METRICS)}")
        return self

    @classmethod
    def of(cls, figures: Mapping[str, float], note: str = "") -> Likeness:
        """From numbers by metric."""
        return cls.model_validate({**figures, "note": note})

    def figure(self, name: str) -> float | None:
        """What one metric says; none where it was not measured."""
        return self.__pydantic_extra__.get(name)

    def has(self, against: Literal["reference", "controls"]) -> bool:
        """Whether anything was measured with the reference, or with the controls."""
        return any(self.figure(name) is not None for name, metric in METRICS.items() if metric.against == against)


class Column(Frozen):
    """One column: the ground truth, items that are shown as they are, or what one combination of values makes."""

    label: str
    role: Role
    values: dict[str, Any] = Field(default_factory=dict)


class Cell(Frozen):
    """One cell that has something to be in it.

    Attributes:
        item: what is looked at: a picture or a clip; null as long as it is not made, or where it has gone.
        actions_url: where its actions lie, of a result that has some.
        job: of a cell that is made here, as it is now.
        error: why nothing is made: the checkpoint refuses it, or it failed.
        seconds: that its making took, from start to end.
        memory_gb: that its checkpoint takes, weights and what belongs to them, as the server reckons it.
        likeness: what was measured so far; `GET /v1/comparisons/{id}/likeness` measures.
        critic: the critic's overall score of 0 to 10, where a refinement has stored one for this item.
    """

    row: int
    column: int
    item: LibraryItem | None = None
    actions_url: str | None = None
    job: Job | None = None
    error: Failure | None = None
    seconds: float | None = None
    memory_gb: float | None = None
    likeness: Likeness | None = None
    critic: float | None = None

    @property
    def gone(self) -> bool:
        """What stood here is no more: its file has left the disk, or it was deleted for good."""
        if self.item is not None:
            return self.item.missing
        return self.error is None and (self.job is None or self.job.state is JobState.SUCCEEDED)


class ComparisonSummary(Frozen):
    """A comparison in a list.

    Attributes:
        num_cells: that are made here; `num_done` of them have ended, however.
        thumbnail_url: of something in it.
    """

    id: str
    title: str
    num_rows: int
    num_columns: int
    num_cells: int
    num_done: int
    created_at: datetime
    thumbnail_url: str | None = None


class ComparisonList(Frozen):
    """`GET /v1/comparisons`: the newest first."""

    comparisons: tuple[ComparisonSummary, ...]


class Comparison(ComparisonSummary):
    """`GET /v1/comparisons/{id}`: the grid as it is now.

    Attributes:
        rows: their labels.
        cells: row by row; where nothing belongs there is none.
    """

    rows: tuple[str, ...]
    columns: tuple[Column, ...]
    cells: tuple[Cell, ...]

    def cell(self, row: int, column: int) -> Cell | None:
        """The cell of a row and a column, if there is one."""
        return next((cell for cell in self.cells if (cell.row, cell.column) == (row, column)), None)

    @property
    def ended(self) -> bool:
        """Nothing of it waits or runs."""
        return all(cell.job is None or cell.job.state.ended for cell in self.cells)

    @property
    def num_failed(self) -> int:
        """Cells that nothing came of."""
        return sum(cell.error is not None or _is_lost(cell) for cell in self.cells)


def _is_lost(cell: Cell) -> bool:
    return cell.job is not None and cell.job.state in (JobState.FAILED, JobState.CANCELLED) and cell.error is None

"""From what is asked to a grid: rows, columns, and the request of every cell that is made."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import Field

from backend.jobs.queue_service import varied
from studio.comparisons import (
    MAX_CELLS,
    Column,
    CompareRequest,
    ComparisonSubject,
    Replacement,
    Role,
    StartMode,
)
from studio.errors import BadInput
from studio.jobs import Failure
from studio.media import MediaReference
from studio.presets import laid_over
from studio.requests import Frozen, parse_as, shown

REFERENCE = "ground truth"
START_NAMES: dict[StartMode, str] = {"t2v": "text", "i2v": "first frame", "v2v": "first frames"}


class GridPlace(Frozen):
    """A cell: either a library item as it is, or the request of the batch's job `index`."""

    row: int
    column: int
    media_id: str | None = None
    index: int | None = None


class Grid(Frozen):
    """A comparison as it is written down.

    Attributes:
        refused: by job index, why a cell is not made at all.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[Column, ...]
    places: tuple[GridPlace, ...]
    refused: dict[int, Failure] = Field(default_factory=dict[int, Failure])

    @property
    def num_made(self) -> int:
        """Cells that have a job, or would have one."""
        return sum(place.index is not None for place in self.places)


def draw_up(
    asked: CompareRequest,
    recipes: Mapping[str, Mapping[str, Any]],
    first_frames: Mapping[str, MediaReference],
    titles: Mapping[str, str],
    seed: int,
) -> tuple[Grid, list[dict[str, Any]]]:
    """The grid of a comparison, and the requests of its made cells in their order: row by row.

    Args:
        recipes: requests of the subjects' items, by the item.
        first_frames: first frames of the subjects' references that clips start from, by the reference.
        titles: of checkpoints, by id.
        seed: of every cell whose request says none, so that cells differ by what is compared alone.

    Raises:
        BadInput: there are too many cells, or an axis leads nowhere.
    """
    rows = [row for subject in asked.subjects for row in _rows_of(subject, first_frames)]
    makes = bool(asked.request or asked.axes) or any(subject.request or subject.item for subject in asked.subjects)
    num_shown = max(len(subject.shown) for subject in asked.subjects)
    num_made = len(rows) * math.prod(len(values) for values in asked.axes.values()) if makes else 0
    if num_made > MAX_CELLS:
        raise BadInput(
            f"The grid has {num_made:,} cells; the maximum is {MAX_CELLS:,}.",
            param="axes",
            hint="Use fewer rows or columns.",
        )
    combinations = [
        dict(zip(asked.axes, values, strict=True)) for values in itertools.product(*asked.axes.values()) if makes
    ]
    has_reference = any(subject.reference for subject in asked.subjects)
    columns = (
        *([Column(label=REFERENCE, role="reference")] if has_reference else []),
        *(_column(_given(asked.shown_labels, at, f"{at + 1}"), "shown") for at in range(num_shown)),
        *(
            _column(_given(asked.column_labels, at, _said(values, asked.axes, titles)), "made", values)
            for at, values in enumerate(combinations)
        ),
    )
    places: list[GridPlace] = []
    requests: list[dict[str, Any]] = []
    labels: list[str] = []
    for row, (subject, start, start_name) in enumerate(rows):
        recipe: Mapping[str, Any] = recipes[subject.item] if subject.item else {}
        under: Mapping[str, Any] = {"sampling": {"seed": seed}}
        for over in (recipe, asked.request, subject.request, start):
            under = laid_over(under, over)
        labels.append(" · ".join(filter(None, (subject.label or _prompt(under), start_name))))
        column = 0
        if has_reference:
            if subject.reference:
                places.append(GridPlace(row=row, column=0, media_id=subject.reference))
            column = 1
        for at, media_id in enumerate(subject.shown):
            places.append(GridPlace(row=row, column=column + at, media_id=media_id))
        column += num_shown
        for at, values in enumerate(combinations):
            places.append(GridPlace(row=row, column=column + at, index=len(requests)))
            requests.append(varied(under, {**values, **_reworded(under, values)}))
    title = asked.title or (labels[0] if labels[0] else "Comparison")
    return Grid(title=title[:300], rows=tuple(labels), columns=columns, places=tuple(places)), requests


def _reworded(under: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The prompt of a row in a column that replaces words of it. Raises BadInput."""
    said = values.get("prompt")
    if not isinstance(said, Mapping):
        return {}
    change = parse_as(Replacement, cast(Mapping[str, Any], said))
    prompt = str(under.get("prompt") or "")
    if change.replace not in prompt:
        raise BadInput(
            f"{shown(change.replace)} is not in the prompt {shown(prompt)}.",
            param="axes",
            hint="Replace words that every row's prompt has.",
        )
    return {"prompt": prompt.replace(change.replace, change.with_)}


def in_order(checkpoints: Sequence[str], resident: frozenset[str]) -> list[int]:
    """In which order cells are queued: those of one checkpoint together, so that each is loaded once.

    What is loaded already comes first: it would otherwise have to leave, and come again.
    """
    first = {name: index for index, name in reversed(list(enumerate(checkpoints)))}
    return sorted(range(len(checkpoints)), key=lambda at: (checkpoints[at] not in resident, first[checkpoints[at]], at))


def _rows_of(
    subject: ComparisonSubject, first_frames: Mapping[str, MediaReference]
) -> list[tuple[ComparisonSubject, dict[str, Any], str]]:
    """A subject as one row, or as one for each of its starts: what lies over its request, and what it is called."""
    if not subject.starts:
        return [(subject, {}, "")]
    reference = subject.reference
    assert reference is not None, "a subject with starts has a reference"
    fields: dict[StartMode, dict[str, Any]] = {
        "t2v": {},
        "i2v": {"start_image": first_frames[reference].id} if reference in first_frames else {},
        "v2v": {"source_video": reference},
    }
    return [(subject, fields[start], START_NAMES[start]) for start in subject.starts]


def _column(label: str, role: Role, values: Mapping[str, Any] | None = None) -> Column:
    return Column(label=label[:200], role=role, values=dict(values or {}))


def _given(labels: Sequence[str], at: int, otherwise: str) -> str:
    return (labels[at] if at < len(labels) else "") or otherwise


def _said(values: Mapping[str, Any], axes: Mapping[str, Sequence[Any]], titles: Mapping[str, str]) -> str:
    """`Nano · 20 steps`: what distinguishes one combination from the others."""
    told = {path: value for path, value in values.items() if len(axes[path]) > 1} or values
    return " · ".join(_told(path, value, titles) for path, value in told.items()) or "made"


def _told(path: str, value: Any, titles: Mapping[str, str]) -> str:
    match path.split(".")[-1], value:
        case "checkpoint", str(name):
            return titles.get(name, name)
        case "prompt", dict():
            return str(cast(Mapping[str, Any], value).get("with") or "without it")
        case "adapter", None:
            return "no adapter"
        case "adapter", dict():
            adapter = cast(Mapping[str, Any], value)
            return f"{adapter.get('name')} × {adapter.get('scale', 1)}"
        case "num_inference_steps", 1:
            return "1 step"
        case "num_inference_steps", steps:
            return f"{steps} steps"
        case name, str(text):
            return text if name == "prompt" else f"{name.replace('_', ' ')} {text}"
        case name, other:
            return f"{name.replace('_', ' ')} {json.dumps(other)}"


def _prompt(request: Mapping[str, Any]) -> str:
    words = request.get("written_from") or request.get("prompt") or ""
    return " ".join(str(words).split())[:300]

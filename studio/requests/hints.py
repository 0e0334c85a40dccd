"""How a field wants to be drawn: metadata beside its bounds, read by the form and by nobody else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FormHint:
    """Drawing advice for one field.

    Attributes:
        row: fields with the same row name share a line.
        fold: the field is rare and stands behind the fold.
        unit: what its number counts, shown after it.
        names: pairs of (value, shown) where the value itself is no good word.
        lines: text lines, for long text.
        step: slider step, where the bounds alone do not say it.
        hidden: the form does not draw it.
    """

    row: str = ""
    fold: bool = False
    unit: str = ""
    names: tuple[tuple[Any, str], ...] = ()
    lines: int = 1
    step: float | None = None
    hidden: bool = False

"""Where an adapter or a checkpoint comes from that was tuned here: a file in its folder."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from studio.requests import Frozen
from studio.tuning.recipes import Recipe

LINEAGE = "lineage.json"

DEFAULTS = "request_defaults.json"
"""Beside it, of a checkpoint that is asked as it was trained: request fields by kind, as a preset's `defaults` are."""


class Lineage(Frozen):
    """Where an adapter or a checkpoint comes from; `lineage.json` in its folder.

    Attributes:
        tuning: id of the tuning; `step` of its save.
        recipe: that it was made by.
    """

    tuning: str
    step: int
    recipe: Recipe
    version: str
    created_at: datetime


def lineage_of(folder: Path) -> Lineage | None:
    """Of an adapter's or a checkpoint's folder; none of one that was not tuned here."""
    try:
        return Lineage.model_validate_json((folder / LINEAGE).read_text("utf-8"))
    except (OSError, ValueError):
        return None

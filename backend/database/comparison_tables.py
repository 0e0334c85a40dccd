"""Comparisons as the database holds them, and what was measured between two media."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from backend.database.tables import Table, Utc


class ComparisonRow(Table):
    """One comparison: its cells that are made here are the jobs of the batch with its id.

    `number` is the order of acceptance, `document` a `backend.comparisons.grid.Grid` and what was refused of it.
    """

    __tablename__ = "comparisons"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(Utc)


class MeasurementRow(Table):
    """What was measured of a medium against another one: `document` is a `studio.comparisons.Likeness`."""

    __tablename__ = "measurements"

    media_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    against_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)

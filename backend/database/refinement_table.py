"""Refinements as the database holds them, and the scores in them by what was judged."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Float, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from backend.database.tables import Table


class RefinementRow(Table):
    """One refinement: its tree is one document, so that a kill leaves the whole of it as it was at the last change.

    `number` is the order of acceptance, `document` a `studio.refinements.Refinement`.
    """

    __tablename__ = "refinements"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    state: Mapped[str] = mapped_column(String(16))
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class CriticScoreRow(Table):
    """The overall score, 0 to 10, that a refinement's critic gave a medium.

    It stands in the tree as well, and is written with it: trees are large, and a comparison asks for a few media only.
    """

    __tablename__ = "critic_scores"

    media_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    score: Mapped[float] = mapped_column(Float)

"""The tables of the data folder's database. A change here needs a migration beside it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, Index, Integer, String, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Utc(TypeDecorator[datetime]):
    """A moment in UTC: SQLite keeps no zone, so it goes in without one and comes out with it."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To the database: UTC, without zone."""
        return value.astimezone(UTC).replace(tzinfo=None) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """From the database: UTC, with zone."""
        return value.replace(tzinfo=UTC) if value else None


class Table(DeclarativeBase):
    """The declarative base; its metadata is what migrations are compared with."""


class JobRow(Table):
    """One job. `number` is the order of acceptance, `position` the order of running."""

    __tablename__ = "jobs"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    kind: Mapped[str] = mapped_column(String(32))
    state: Mapped[str] = mapped_column(String(16))
    checkpoint: Mapped[str] = mapped_column(String(256))
    request: Mapped[dict[str, Any]] = mapped_column(JSON)
    position: Mapped[int] = mapped_column(Integer)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    returns: Mapped[int] = mapped_column(Integer, default=0)
    num_steps: Mapped[int] = mapped_column(Integer)
    stopped_at_step: Mapped[int | None] = mapped_column(Integer)
    results: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(Utc)
    started_at: Mapped[datetime | None] = mapped_column(Utc)
    finished_at: Mapped[datetime | None] = mapped_column(Utc)

    __table_args__ = (Index("jobs_by_state", "state", "position"),)

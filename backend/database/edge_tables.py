"""What the edge writes down beside the jobs: keys of calls that may come twice, and videos that were deleted."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from backend.database.tables import Table, Utc


class PromiseRow(Table):
    """One `Idempotency-Key` and the job that it stands for; written before the job is."""

    __tablename__ = "promises"

    key: Mapped[str] = mapped_column(String(256), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    job_id: Mapped[str] = mapped_column(String(12))
    created_at: Mapped[datetime] = mapped_column(Utc)


class DeletedVideoRow(Table):
    """A job that `DELETE /v1/videos/{id}` has taken out of that list."""

    __tablename__ = "deleted_videos"

    job_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    deleted_at: Mapped[datetime] = mapped_column(Utc)

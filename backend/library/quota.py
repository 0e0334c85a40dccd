"""How much the library holds, and how much more it may."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.database.tables import ArtefactRow
from studio.errors import QuotaExceeded


def held_bytes(session: Session) -> int:
    """Of all files, those in the trash among them."""
    return session.scalar(select(func.sum(ArtefactRow.size_bytes))) or 0


def is_full(session: Session, quota_bytes: int | None) -> bool:
    """Whether nothing more goes in."""
    return quota_bytes is not None and held_bytes(session) >= quota_bytes


def check_room(session: Session, quota_bytes: int | None, size_bytes: int) -> None:
    """Raises QuotaExceeded when files of this size do not go in any more."""
    if quota_bytes is None:
        return
    held = held_bytes(session)
    if held + size_bytes > quota_bytes:
        raise QuotaExceeded(
            f"The library holds {held / 1e9:.2f} of {quota_bytes / 1e9:.2f} GB; {size_bytes / 1e9:.2f} GB more do not "
            "go in.",
            hint="Empty the trash, or start the server with a larger --quota-gb.",
        )

"""What people do to items: star, rate, tag, name, throw away and take back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.database.tables import ArtefactRow
from backend.library.items import find_artefact
from backend.library.recording import index_notes
from studio.errors import BadInput
from studio.library import MAX_TAGS, ItemChange, ItemsChange

_AT_ONCE = 500
"""Names in one statement."""


def change_item(session: Session, media_id: str, change: ItemChange) -> ArtefactRow:
    """Set what is given. Raises MediaNotFound."""
    row = find_artefact(session, media_id)
    if change.starred is not None:
        row.starred = change.starred
    if change.rating is not None:
        row.rating = change.rating
    if change.tags is not None:
        row.tags = _once(change.tags)
    if change.title is not None:
        row.title = change.title
    index_notes(session, row)
    return row


def change_items(session: Session, change: ItemsChange) -> list[str]:
    """Do the same to many; answers those that there are.

    Raises:
        BadInput: one of them would have too many tags; nothing is changed then.
    """
    changed: list[str] = []
    for row in rows_of(session, change.ids):
        if change.starred is not None:
            row.starred = change.starred
        if change.rating is not None:
            row.rating = change.rating
        removed = {tag.casefold() for tag in change.remove_tags}
        tags = _once((*(tag for tag in row.tags if tag.casefold() not in removed), *change.add_tags))
        if len(tags) > MAX_TAGS:
            raise BadInput(f"{row.id} would have {len(tags)} tags; the maximum is {MAX_TAGS}.", param="add_tags")
        if tags != row.tags:
            row.tags = tags
            index_notes(session, row)
        changed.append(row.id)
    return changed


def trash_items(session: Session, ids: Sequence[str]) -> list[str]:
    """Into the trash; answers those that were not in it."""
    now = datetime.now(UTC)
    thrown = [row for row in rows_of(session, ids) if row.trashed_at is None]
    for row in thrown:
        row.trashed_at = now
    return [row.id for row in thrown]


def restore_items(session: Session, ids: Sequence[str]) -> list[str]:
    """Out of the trash; answers those that were in it."""
    taken = [row for row in rows_of(session, ids) if row.trashed_at is not None]
    for row in taken:
        row.trashed_at = None
    return [row.id for row in taken]


def rows_of(session: Session, ids: Sequence[str]) -> Iterator[ArtefactRow]:
    """The rows of those that there are, each once."""
    names = list(dict.fromkeys(ids))
    for begin in range(0, len(names), _AT_ONCE):
        some = names[begin : begin + _AT_ONCE]
        yield from session.scalars(select(ArtefactRow).where(ArtefactRow.id.in_(some), ~ArtefactRow.erasing)).all()


def _once(tags: Sequence[str]) -> list[str]:
    """Each tag once, as it was first spelt, in the order of the alphabet."""
    first: dict[str, str] = {}
    for tag in tags:
        first.setdefault(tag.casefold(), tag)
    return [first[folded] for folded in sorted(first)]

"""From rows to what people see of them."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.database.tables import ArtefactRow
from backend.media import MediaStore, read_recipe
from studio.errors import MediaNotFound, StudioError
from studio.library import LibraryItem
from studio.media import MediaReference
from studio.requests import Request, shown

_FACTS = (
    *("width", "height", "num_frames", "fps", "duration_s", "has_sound", "num_actions"),
    *("num_computed_steps", "num_kept_steps", "thumbnail_url"),
)


def find_artefact(session: Session, media_id: str) -> ArtefactRow:
    """The row of an artefact that is not about to go. Raises MediaNotFound."""
    row = session.scalars(select(ArtefactRow).where(ArtefactRow.id == media_id, ~ArtefactRow.erasing)).first()
    if row is None:
        raise MediaNotFound(f"There is no media {shown(media_id)} in the library.", hint="GET /v1/library lists it.")
    return row


def items_of(rows: Iterable[ArtefactRow], store: MediaStore) -> tuple[LibraryItem, ...]:
    """Items as they are now; a look at the disk says whether each file is still there."""
    return tuple(item_of(row, store) for row in rows)


def item_of(row: ArtefactRow, store: MediaStore) -> LibraryItem:
    """One item; see `items_of`."""
    reference = MediaReference.model_validate(row.reference)
    return LibraryItem(
        **{name: getattr(reference, name) for name in _FACTS},
        id=row.id,
        job_id=row.job_id,
        kind=row.kind,
        type=reference.type,
        mime=reference.mime,
        size_bytes=row.size_bytes,
        seed=row.seed,
        checkpoint=row.checkpoint,
        prompt=row.prompt,
        title=row.title,
        starred=row.starred,
        tags=tuple(row.tags),
        created_at=row.created_at,
        trashed_at=row.trashed_at,
        url=reference.url,
        spritesheet_url=f"{reference.url}/spritesheet" if reference.type == "video" else None,
        missing=not store.holds(row.id, reference.mime),
    )


def carried_request(store: MediaStore, media_id: str) -> Request | None:
    """The request that made it elsewhere; none where the file says nothing, or nothing that is a request here."""
    try:
        return read_recipe(store.file(media_id)).request
    except (StudioError, OSError):
        return None

"""Uploads that lie in the store without a row: an older version knew none, and a kill may come between the two."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import structlog
from sqlalchemy import select

from backend.database import Database
from backend.database.tables import ArtefactRow
from backend.library.carried import carried_request
from backend.library.shelving import Origin, shelve
from backend.media import MediaStore, origin_of
from backend.media.references import reference_of
from studio.errors import BadInput, MediaNotFound

log = structlog.get_logger("orrery.library")


def unknown_uploads(database: Database, media: Path) -> list[str]:
    """Names of uploads that have a file and no row, oldest first."""
    with database.transaction() as session:
        known = set(session.scalars(select(ArtefactRow.id).where(ArtefactRow.job_id.is_(None))))
    found: dict[str, float] = {}
    for path in _upload_files(media):
        name = path.name.partition(".")[0]
        if name not in known:
            found[name] = path.stat().st_mtime
    return sorted(found, key=lambda name: found[name])


def adopt_upload(database: Database, store: MediaStore, media_id: str) -> bool:
    """Write one down, with the moment of its file; false where it cannot be read. Blocks while it reads."""
    try:
        path = store.file(media_id)
        facts = store.facts(media_id)
    except (BadInput, MediaNotFound) as error:
        log.warning("upload_not_adopted", media_id=media_id, reason=error.message)
        return False
    origin = origin_of(path) if facts.type == "video" else None
    made_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    source_id = origin.source_video if origin else None
    made_by = carried_request(store, media_id)
    said = made_by.model_dump(mode="json") if made_by is not None else {}
    reference = reference_of(media_id, path, facts, None)
    shelved = Origin(source_id=source_id, created_at=made_at, request=said)

    def write_down() -> None:
        with database.transaction() as session:
            if session.scalars(select(ArtefactRow.id).where(ArtefactRow.id == media_id)).first() is None:
                shelve(session, reference, shelved)

    database.in_turn(write_down)
    return True


def _upload_files(media: Path) -> Iterator[Path]:
    for path in media.glob("u?/u*"):
        if path.suffix != ".part" and path.suffixes not in ([".webp"], [".sheet", ".webp"]):
            yield path

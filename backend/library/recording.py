"""Writing artefacts down, with their job's success or before an upload is answered; and how much more fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from backend.database.search_words import search_words
from backend.database.tables import ArtefactRow, JobRow
from studio.errors import QuotaExceeded
from studio.library import UPLOAD
from studio.media import MediaReference


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
            f"The library holds {held / 1e9:.2f} of {quota_bytes / 1e9:.2f} GB; {size_bytes / 1e9:.2f} GB more do "
            f"not fit.",
            hint="Empty the trash, or start the server with a larger --quota-gb.",
        )


_INSERT_WORDS = text("INSERT INTO artefact_words (rowid, prompt, notes) VALUES (:number, :prompt, :notes)")
_UPDATE_NOTES = text("UPDATE artefact_words SET notes = :notes WHERE rowid = :number")
_DELETE_WORDS = text("DELETE FROM artefact_words WHERE rowid = :number")


@dataclass(frozen=True)
class Origin:
    """What is said of an artefact beside its file.

    Attributes:
        job_id: that made it, or none.
        kind: of the request, or "upload".
        request: its JSON; of an upload what it carries inside, or empty.
        source_id: the clip that a control was computed from.
        created_at: when it was made; now, where none is given.
        shelf_order: of what was in another library before; see `ArtefactRow`.
        evaluation: uploaded for a benchmark, or made by its run.
    """

    kind: str = UPLOAD
    job_id: str | None = None
    checkpoint: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict[str, Any])
    title: str = ""
    tags: tuple[str, ...] = ()
    starred: bool = False
    source_id: str | None = None
    created_at: datetime | None = None
    shelf_order: int | None = None
    trashed_at: datetime | None = None
    evaluation: bool = False


def add_results(session: Session, job: JobRow, results: Sequence[MediaReference]) -> None:
    """Write down what a job has made."""
    origin = Origin(job.kind, job.id, job.checkpoint, job.request, evaluation=job.evaluation)
    for reference in results:
        add_artefact(session, reference, origin)


def add_artefact(session: Session, reference: MediaReference, origin: Origin) -> ArtefactRow:
    """Write down one artefact that is not there yet."""
    now = datetime.now(UTC)
    request = origin.request
    prompt, written_from = str(request.get("prompt", "")), request.get("written_from") or ""
    row = ArtefactRow(
        id=reference.id,
        job_id=origin.job_id,
        kind=origin.kind,
        type=reference.type,
        reference=reference.model_dump(mode="json"),
        size_bytes=reference.size_bytes,
        seed=reference.seed,
        checkpoint=origin.checkpoint,
        prompt=written_from or prompt,
        title=origin.title,
        tags=list(origin.tags),
        starred=origin.starred,
        source_id=origin.source_id,
        created_at=origin.created_at or now,
        shelf_order=origin.shelf_order or _next_order(session, origin.created_at or now),
        trashed_at=origin.trashed_at,
        erasing=False,
        evaluation=origin.evaluation,
    )
    session.add(row)
    session.flush()
    said = search_words(prompt, written_from, str(request.get("negative_prompt", "")))
    session.execute(_INSERT_WORDS, {"number": row.number, "prompt": said, "notes": _notes(row)})
    return row


def index_notes(session: Session, row: ArtefactRow) -> None:
    """Let an artefact be found by the title and the tags that it has now."""
    session.execute(_UPDATE_NOTES, {"number": row.number, "notes": _notes(row)})


def remove_artefact(session: Session, row: ArtefactRow) -> None:
    """Forget an artefact, whose files are gone."""
    session.execute(_DELETE_WORDS, {"number": row.number})
    session.delete(row)


def mark_results(session: Session, rows: Iterable[ArtefactRow], *, deleted: bool) -> set[str]:
    """Say in the jobs that made them that artefacts are deleted, or are there again; answers the ids of those jobs."""
    by_job: dict[str, set[str]] = {}
    for row in rows:
        if row.job_id is not None:
            by_job.setdefault(row.job_id, set()).add(row.id)
    for job in session.scalars(select(JobRow).where(JobRow.id.in_(by_job))).all():
        job.results = [
            {**result, "deleted": deleted} if result["id"] in by_job[job.id] else result for result in job.results
        ]
    return set(by_job)


def _notes(row: ArtefactRow) -> str:
    return search_words(row.title, *row.tags)


def _next_order(session: Session, made_at: datetime) -> int:
    """Microseconds since 1970; behind everything that is there, though the clock may have gone back."""
    newest = session.scalar(select(func.max(ArtefactRow.shelf_order))) or 0
    return max(newest + 1, round(made_at.timestamp() * 1_000_000))

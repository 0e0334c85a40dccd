"""Bringing an export in, job by job: what is here already stays, and a kill leaves whole jobs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

import structlog
from pydantic import ValidationError
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.database import Database
from backend.database.named_media import named_media
from backend.database.tables import ArtefactRow, JobInputRow, JobRow
from backend.library.export_file import ExportFile
from backend.library.records import behind_all, document_in, id_in, is_said, json_in, number_in
from backend.library.room import check_room
from backend.library.shelving import Origin, mark_results, shelve
from backend.media import MediaStore
from backend.media.file_names import SUFFIXES, is_media_name
from backend.media.references import is_served_here, sha256_of
from backend.media.scratch import scratch
from studio.errors import StudioError
from studio.import_report import ImportReport
from studio.jobs import BatchPlace, Failure, JobState
from studio.library import UPLOAD, ItemChange
from studio.media import MediaReference
from studio.queue import MAX_BATCH
from studio.requests import parse_request

log = structlog.get_logger("orrery.import")

MAX_THUMBNAIL_BYTES = 2**20


@dataclass
class _Found:
    """An artefact of an export, and what is said of it there."""

    reference: MediaReference
    row: Mapping[str, Any]


@dataclass
class _Counts:
    items: int = 0
    jobs: int = 0
    known: int = 0
    missing: int = 0


class Importer:
    """Reads one export into the library. Runs on any thread but for what it writes, which runs alone.

    Args:
        folder: where files are unpacked before they get their place.
        quota_bytes: what the library may hold, or none.
    """

    def __init__(self, database: Database, store: MediaStore, folder: Path, quota_bytes: int | None) -> None:
        self._database = database
        self._store = store
        self._folder = folder
        self._quota_bytes = quota_bytes

    def bring_in(self, export: ExportFile) -> ImportReport:
        """Everything that is not here yet.

        Raises:
            QuotaExceeded, DiskFull, StorageError: the rest does not go in; what came in before stays.
        """
        counts = _Counts()
        by_job: dict[str | None, list[_Found]] = {}
        for row in export.rows("artefacts"):
            found = _artefact(row)
            if found is not None:
                by_job.setdefault(row["job_id"], []).append(found)
        for found in by_job.pop(None, []):
            self._bring(export, None, [found], counts)
        for row in export.rows("jobs", newest_first=True):  # each goes behind what is here
            self._bring(export, row, by_job.pop(str(row["id"]), []), counts)
        return ImportReport(
            num_items=counts.items,
            num_jobs=counts.jobs,
            num_known_items=counts.known,
            num_missing_items=counts.missing,
        )

    def _bring(self, export: ExportFile, said: Mapping[str, Any] | None, found: list[_Found], counts: _Counts) -> None:
        """A job with its results, or an upload: the files first, then the rows in one transaction."""
        job = None if said is None else _job(said)
        if said is not None and job is None:
            counts.missing += len(found)
            return
        new = [each for each in found if not self._is_known(each.reference.id, counts)]
        counts.missing += len(new)
        new = self._without_unmade(job, new)
        whole = [each for each in new if self._unpack(export, each.reference)]
        counts.missing -= len(whole)
        origins = [_origin(each.row, job) for each in whole]
        counts.jobs += self._database.in_turn(partial(self._write, job, whole, origins))
        counts.items += len(whole)

    def _write(self, job: JobRow | None, whole: list[_Found], origins: list[Origin]) -> bool:
        """Everything of one job; whether that is new here."""
        with self._database.transaction() as session:
            is_new = job is not None and not session.scalar(select(func.count()).where(JobRow.id == job.id))
            if job is not None and is_new:
                job.number = behind_all(session, JobRow.number)
                _place(session, job)
                session.add_all(JobInputRow(job_id=job.id, media_id=name) for name in named_media(job.request))
                session.add(job)
            back: list[ArtefactRow] = []
            for each, origin in zip(whole, origins, strict=True):
                check_room(session, self._quota_bytes, each.reference.size_bytes)
                back.append(shelve(session, each.reference, origin))
            mark_results(session, back, deleted=False)  # of a job that is known, they may have been deleted here
        return is_new

    def _is_known(self, media_id: str, counts: _Counts) -> bool:
        with self._database.transaction() as session:
            known = session.scalar(select(func.count()).where(ArtefactRow.id == media_id))
        counts.known += bool(known)
        return bool(known)

    def _without_unmade(self, job: JobRow | None, new: list[_Found]) -> list[_Found]:
        """Of results of a job that is here only those that it made here too: a retry gives the others' names again."""
        with self._database.transaction() as session:
            here = job and session.scalars(select(JobRow.results).where(JobRow.id == job.id)).first()
        made = None if here is None else {result["id"] for result in here}
        return [each for each in new if made is None or each.reference.id in made]

    def _unpack(self, export: ExportFile, reference: MediaReference) -> bool:
        """Put a file into the store, if it is there and is what it is said to be."""
        suffix = ".safetensors" if reference.type == "latents" else SUFFIXES.get(reference.mime)
        entry = None if suffix is None else export.entry_of(reference.id, suffix)
        if entry is None or entry.file_size != reference.size_bytes:
            return False
        small = export.entry_of(reference.id, ".webp") if reference.thumbnail_url else None
        with scratch(self._folder, 2) as (file, thumbnail):
            export.extract(entry, file)
            if sha256_of(file) != reference.sha256:
                return False
            if small is not None and small.file_size <= MAX_THUMBNAIL_BYTES:
                export.extract(small, thumbnail)
                self._store.adopt(reference, file, thumbnail)
            else:
                self._store.adopt(reference, file, None)
        return True


def _artefact(row: Mapping[str, Any]) -> _Found | None:
    """One that an export describes in a way that it could have been made here; none otherwise."""
    try:
        reference = MediaReference.model_validate_json(str(row["reference"]))
    except (ValidationError, ValueError):
        return None
    is_upload = row["job_id"] is None
    expected = reference.id == row["id"] and is_media_name(reference.id) and not row["erasing"]
    owned = reference.id == f"u{reference.sha256[:16]}" if is_upload else reference.id.startswith(f"{row['job_id']}-")
    return _Found(reference, row) if expected and owned and is_served_here(reference) else None


def _origin(row: Mapping[str, Any], job: JobRow | None) -> Origin:
    change = _said_of(row)
    return Origin(
        kind=UPLOAD if job is None else job.kind,
        job_id=None if job is None else job.id,
        checkpoint=None if job is None else job.checkpoint,
        request={} if job is None else job.request,
        title=change.title or "",
        tags=change.tags or (),
        starred=bool(row["starred"]),
        source_id=row["source_id"] if is_media_name(str(row["source_id"])) else None,
        created_at=_moment(row["created_at"]),
        shelf_order=int(row["shelf_order"]) if isinstance(row["shelf_order"], int) else None,
        trashed_at=_moment(row["trashed_at"]) if row["trashed_at"] else None,
    )


def _said_of(row: Mapping[str, Any]) -> ItemChange:
    """Title and tags, as far as they could have been given here."""
    with suppress(ValueError, TypeError):
        return ItemChange(title=str(row["title"]), tags=tuple(json_in(row, "tags")))
    return ItemChange()


def _job(said: Mapping[str, Any]) -> JobRow | None:
    """A job's row as an ended one: what was open there does not begin here. None where it cannot be read."""
    job_id = str(said["id"])
    try:
        id_in(said)
        request = json_in(said, "request")
        if not isinstance(request, dict):
            raise ValueError("its request is no object")
        request = cast("dict[str, Any]", request)
        parse_request(request)
        results = [MediaReference.model_validate(each) for each in json_in(said, "results")]
        if not all(map(is_served_here, results)):
            raise ValueError("its results lie elsewhere")
        error = document_in(said, Failure, "error") if is_said(said, "error") else None
        state = JobState(str(said["state"]))
    except (StudioError, ValueError, TypeError) as unreadable:
        log.warning("job_not_imported", job_id=job_id[:20], reason=str(unreadable)[:200])
        return None
    batch = _batch_of(said)
    return JobRow(
        id=job_id,
        kind=str(request["kind"]),
        state=state if state.ended else JobState.CANCELLED,
        checkpoint=str(said["checkpoint"])[:256],
        request=request,
        position=0,
        attempts=0,
        returns=0,
        num_steps=_count(said["num_steps"]),
        stopped_at_step=None if said["stopped_at_step"] is None else _count(said["stopped_at_step"]),
        results=[result.model_dump(mode="json") for result in results],
        error=error.model_dump(mode="json") if error else None,
        created_at=_moment(said["created_at"]),
        started_at=_moment(said["started_at"]) if said["started_at"] else None,
        finished_at=_moment(said["finished_at"] or said["created_at"]),
        batch_id=batch.id if batch else None,
        batch_index=batch.index if batch else None,
        batch_size=batch.size if batch else None,
    )


def _batch_of(said: Mapping[str, Any]) -> BatchPlace | None:
    """Where it stood in the comparison, or the batch, that it was handed in with; none where it was alone."""
    with suppress(ValueError):
        size = number_in(said, "batch_size", 1, MAX_BATCH)
        return BatchPlace(id=id_in(said, "batch_id"), index=number_in(said, "batch_index", 0, size - 1), size=size)
    return None


def _place(session: Session, job: JobRow) -> None:
    """Leave a job out of its batch where another one has its place here: a cell that was made again."""
    taken = (JobRow.batch_id == job.batch_id, JobRow.batch_index == job.batch_index)
    if job.batch_id is not None and session.scalar(select(func.count()).where(*taken)):
        job.batch_id = job.batch_index = job.batch_size = None


def _moment(text: object) -> datetime:
    try:
        return datetime.fromisoformat(str(text)).replace(tzinfo=UTC)
    except ValueError:
        return datetime.now(UTC)


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**31 else 0

"""Bringing a backup in: what is here already stays, and of the rest all comes in or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import structlog
from sqlalchemy import CursorResult, text
from sqlalchemy.orm import Session

from backend.checkpoints.adapters import AdapterFolder
from backend.database import Database
from backend.database.evaluation_tables import (
    BenchmarkRow,
    BlindPairRow,
    BlindTestRow,
    BlindVerdictRow,
    CorrectionRow,
    EvaluationAnswerRow,
    EvaluationRunRow,
    EvaluationVerdictRow,
    HuePromptRow,
    HueQuestionRow,
    HueRatingRow,
    HueStudyRow,
    HueTaskRow,
    QuestionDraftRow,
    TuningRow,
    TuningStepRow,
)
from backend.database.tables import (
    AnswerRow,
    ArtefactRow,
    ComparisonRow,
    CriticScoreRow,
    GradeRow,
    JobInputRow,
    JobRow,
    MeasurementRow,
    QuestionRow,
    RefinementRow,
    Table,
    VoteRow,
)
from backend.library.backup import Backup, no_backup
from backend.library.changes import rows_of
from backend.library.recording import check_room, mark_results
from backend.media.scratch import keep, typed_disk_errors
from studio.data_folder import DataFolder
from studio.errors import BadInput, DiskFull, QuotaExceeded, StorageError
from studio.library import BroughtRecords, ImportReport, RecordName
from studio.presets import load_presets
from studio.prompting import load_tasks
from studio.prompting.templates import load_refining_texts
from studio.refinements import Refinement, rested
from studio.tuning.presets import load_recipes
from studio.tuning.tunings import OPEN

log = structlog.get_logger("orrery.import")

RECORDS: dict[RecordName, type[Table]] = {
    "comparisons": ComparisonRow,
    "measurements": MeasurementRow,
    "refinements": RefinementRow,
    "questions": QuestionRow,
    "answers": AnswerRow,
    "grades": GradeRow,
    "votes": VoteRow,
    "benchmarks": BenchmarkRow,
    "runs": EvaluationRunRow,
    "run_answers": EvaluationAnswerRow,
    "run_verdicts": EvaluationVerdictRow,
    "corrections": CorrectionRow,
    "question_drafts": QuestionDraftRow,
    "studies": HueStudyRow,
    "study_prompts": HuePromptRow,
    "study_questions": HueQuestionRow,
    "study_ratings": HueRatingRow,
    "study_tasks": HueTaskRow,
    "tunings": TuningRow,
    "tuning_steps": TuningStepRow,
    "blind_tests": BlindTestRow,
    "blind_pairs": BlindPairRow,
    "blind_verdicts": BlindVerdictRow,
}

_AT_ONCE = 500
"""Names in one statement."""

_NOT_MADE_HERE = """
    SELECT old.id FROM backup.artefacts AS old JOIN main.jobs AS job ON job.id = old.job_id
    WHERE NOT EXISTS (SELECT 1 FROM json_each(job.results) WHERE json_extract(value, '$.id') = old.id)
"""
"""Results of jobs that are here and have ended otherwise: a retry gives their names again."""

_PLACE_IS_TAKEN = """
    EXISTS (
        SELECT 1 FROM main.jobs AS here
        WHERE here.batch_id = jobs.batch_id AND here.batch_index = jobs.batch_index AND here.id <> jobs.id
    )
"""
"""Of a cell that was made again here."""

_WORDS = """
    INSERT INTO main.artefact_words (rowid, prompt, notes)
    SELECT new.number, said.prompt, said.notes
    FROM backup.artefact_words AS said
    JOIN backup.artefacts AS old ON old.number = said.rowid
    JOIN main.artefacts AS new ON new.id = old.id
    WHERE NOT EXISTS (SELECT 1 FROM main.artefact_words WHERE rowid = new.number)
"""


@dataclass(frozen=True)
class _Items:
    """What there is to bring in.

    Attributes:
        new: ids of items that are not here.
        returning: of these, those whose job is here: they were deleted.
        num_missing: whose file is not in the backup, or whose job has ended otherwise here.
    """

    new: Sequence[str]
    returning: Sequence[str]
    num_known: int
    num_missing: int


def restore(
    backup: Backup, place: Path, database: Database, folder: DataFolder, quota_bytes: int | None
) -> ImportReport:
    """Bring in everything that is not here yet. Jobs, refinements, runs and tunings that were open come in as ended.

    Args:
        place: a folder on the disk of the data folder, where files wait until all of them are there.
        quota_bytes: what the library may hold, or none.

    Raises:
        BadInput: the backup cannot be read.
        QuotaExceeded, DiskFull, StorageError: it does not go in.
    """
    try:
        with database.transaction(attached=backup.database) as session:
            items = _prepare(session, backup, quota_bytes)
    except (DiskFull, QuotaExceeded):
        raise
    except StorageError as error:
        raise no_backup(f"its database cannot be read ({error.message})") from None
    own, known_own = _own_files(backup, folder)
    names = [*own, *(name for media_id in items.new for name in backup.media[media_id])]
    backup.unpack(names, place)
    try:
        with typed_disk_errors(folder.root):
            for name in names:
                (folder.root / name).parent.mkdir(parents=True, exist_ok=True)
            keep(*((place / name, folder.root / name) for name in names))
        refused = _unusable(own, folder)
        report = database.in_turn(partial(_merge, database, backup, items))
    except StorageError:
        _remove(names, folder)
        raise
    _remove(refused, folder)
    return report.model_copy(
        update={
            "num_own_files": len(_units(own) - _units(refused)),
            "num_known_own_files": known_own,
            "num_refused_own_files": len(refused),
        }
    )


def _prepare(session: Session, backup: Backup, quota_bytes: int | None) -> _Items:
    """Leave in the copy of the backup's database what is to come in, as ended; nothing is changed here yet."""
    _run(session, "DELETE FROM backup.artefacts WHERE erasing")
    num_known = _run(session, "DELETE FROM backup.artefacts WHERE id IN (SELECT id FROM main.artefacts)")
    num_missing = _run(session, f"DELETE FROM backup.artefacts WHERE id IN ({_NOT_MADE_HERE})")
    listed = session.scalars(text("SELECT id FROM backup.artefacts")).all()
    missing = [media_id for media_id in listed if media_id not in backup.media]
    for media_id in missing:
        _run(session, "DELETE FROM backup.artefacts WHERE id = :id", id=media_id)
    check_room(session, quota_bytes, session.scalar(text("SELECT total(size_bytes) FROM backup.artefacts")) or 0)
    _run(
        session,
        "UPDATE backup.jobs SET state = 'cancelled', finished_at = coalesce(finished_at, created_at) "
        "WHERE state IN ('queued', 'running')",
    )
    _run(session, "UPDATE backup.jobs SET position = 0, end_number = NULL")
    alone = "batch_id = NULL, batch_index = NULL, batch_size = NULL"
    _run(session, f"UPDATE backup.jobs SET {alone} WHERE {_PLACE_IS_TAKEN}")
    _stop_refinements(session)
    for table in (EvaluationRunRow, HueTaskRow):
        _run(
            session,
            f"UPDATE backup.{table.__tablename__} SET state = 'stopped', "
            "document = json_set(document, '$.state', 'stopped') WHERE state = 'running'",
        )
    _run(
        session,
        "UPDATE backup.tunings SET state = 'stopped', "
        "document = json_set(document, '$.state', 'stopped', '$.progress.state', 'stopped') "
        f"WHERE state IN ({', '.join(repr(state) for state in OPEN)})",
    )
    returning = text("SELECT id FROM backup.artefacts WHERE job_id IN (SELECT id FROM main.jobs)")
    return _Items(
        new=[media_id for media_id in listed if media_id in backup.media],
        returning=session.scalars(returning).all(),
        num_known=num_known,
        num_missing=num_missing + len(missing),
    )


def _stop_refinements(session: Session) -> None:
    """Those that ran end as if a person had stopped them there."""
    running = session.scalars(text("SELECT document FROM backup.refinements WHERE state = 'running'")).all()
    for tree in map(Refinement.model_validate_json, running):
        failed = next((node.error for node in tree.nodes if node.stage == "failed"), None)
        stopped = rested(tree).model_copy(update={"state": "stopped", "error": failed})
        changed = "UPDATE backup.refinements SET state = 'stopped', document = :document WHERE id = :id"
        _run(session, changed, document=stopped.model_dump_json(), id=tree.id)


def _merge(database: Database, backup: Backup, items: _Items) -> ImportReport:
    with database.transaction(attached=backup.database) as session:
        num_jobs, _ = _insert(session, JobRow)
        _insert(session, JobInputRow)
        num_items, _ = _insert(session, ArtefactRow)
        _run(session, _WORDS)
        for begin in range(0, len(items.returning), _AT_ONCE):
            mark_results(session, rows_of(session, items.returning[begin : begin + _AT_ONCE]), deleted=False)
        _insert(session, CriticScoreRow)
        records: dict[RecordName, BroughtRecords] = {}
        for name, kind in RECORDS.items():
            num_added, num_known = _insert(session, kind)
            records[name] = BroughtRecords(num_added=num_added, num_known=num_known)
    return ImportReport(
        num_items=num_items,
        num_jobs=num_jobs,
        num_known_items=items.num_known,
        num_missing_items=items.num_missing,
        records=records,
    )


def _insert(session: Session, kind: type[Table]) -> tuple[int, int]:
    """Rows that are not here, each older than all that are here; answers how many those are, and how many stay out."""
    name = kind.__tablename__
    columns = [column.name for column in kind.__table__.columns]
    behind = (
        f"number - (SELECT max(number) FROM backup.{name}) "
        f"+ (SELECT min(0, coalesce(min(number), 0)) FROM main.{name}) - 1"
    )
    values = ", ".join(behind if column == "number" else column for column in columns)
    rows = f"SELECT {values} FROM backup.{name}"
    num_added = _run(session, f"INSERT OR IGNORE INTO main.{name} ({', '.join(columns)}) {rows}")
    num_all = session.scalar(text(f"SELECT count(*) FROM backup.{name}")) or 0
    return num_added, num_all - num_added


def _run(session: Session, statement: str, **values: Any) -> int:
    """How many rows a statement has changed."""
    return cast("CursorResult[Any]", session.execute(text(statement), values)).rowcount


def _own_files(backup: Backup, folder: DataFolder) -> tuple[list[str], int]:
    """Those that are not here, and how many are: a file by its name, an adapter as a whole."""
    adapters = {adapter.name for adapter in AdapterFolder(folder.adapters).listing().adapters}
    known = [
        name
        for name in backup.own_files
        if (folder.root / name).exists()
        or (name.startswith("adapters/") and name.split("/")[1].removesuffix(".safetensors") in adapters)
    ]
    return [name for name in backup.own_files if name not in set(known)], len(_units(known))


def _units(names: Sequence[str]) -> set[str]:
    """A folder of an adapter counts as one."""
    return {"/".join(name.split("/")[:2]) if name.startswith("adapters/") else name for name in names}


def _unusable(names: Sequence[str], folder: DataFolder) -> list[str]:
    """The presets that came in, where they cannot be read beside those that are here: the next start would fail."""
    try:
        load_presets(folder.presets)
        load_tasks(folder.tasks)
        load_refining_texts(folder.templates)
        load_recipes(folder.presets / "tuning")
    except BadInput as error:
        log.warning("presets_not_imported", reason=error.message)
        return [name for name in names if name.startswith("presets/")]
    return []


def _remove(names: Sequence[str], folder: DataFolder) -> None:
    for name in names:
        (folder.root / name).unlink(missing_ok=True)

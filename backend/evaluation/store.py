"""Runs as rows, with their answers, verdicts and corrections; what is there twice is written once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import Session

from backend.database import Database
from backend.database.evaluation_tables import (
    CorrectionRow,
    EvaluationAnswerRow,
    EvaluationRunRow,
    EvaluationVerdictRow,
    QuestionDraftRow,
)
from backend.evaluation.benchmarks import find_benchmark
from studio.errors import RunNotFound
from studio.evaluation import Answer, Benchmark, FieldVerdict
from studio.evaluation.corrections import Correction
from studio.evaluation.runs import EvaluationRun
from studio.requests import shown

CALIBRATION = "calibration"
"""In place of a run's id: verdicts on the known pairs."""


class RunStore:
    """Writes runs down and finds them again. Every method raises StorageError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, run: EvaluationRun) -> None:
        """Write down a new one."""
        row = EvaluationRunRow(
            id=run.id, benchmark_id=run.benchmark_id, state=run.state, document=run.model_dump(mode="json")
        )
        await self._database.write(lambda session: session.add(row))

    async def put(self, run: EvaluationRun) -> None:
        """Write one down as it is now; nothing happens where it has been deleted."""
        change = update(EvaluationRunRow).where(EvaluationRunRow.id == run.id)
        values = change.values(state=run.state, document=run.model_dump(mode="json"))
        await self._database.write(lambda session: session.execute(values))

    async def get(self, run_id: str) -> EvaluationRun:
        """A run with its counts as they are. Raises RunNotFound."""
        return await self._database.look(lambda session: _counted(session, _row(session, run_id)))

    async def listing(self, limit: int, benchmark_id: str | None = None) -> tuple[EvaluationRun, ...]:
        """The newest ones, newest first."""
        query = select(EvaluationRunRow).order_by(EvaluationRunRow.number.desc()).limit(limit)
        if benchmark_id is not None:
            query = query.where(EvaluationRunRow.benchmark_id == benchmark_id)
        return await self._database.look(
            lambda session: tuple(_counted(session, row) for row in session.scalars(query).all())
        )

    async def running(self) -> list[EvaluationRun]:
        """Those that ran when the server ended, in the order in which they were started."""
        query = select(EvaluationRunRow).where(EvaluationRunRow.state == "running").order_by(EvaluationRunRow.number)
        return await self._database.look(
            lambda session: [_counted(session, row) for row in session.scalars(query).all()]
        )

    async def benchmark(self, run: EvaluationRun) -> Benchmark:
        """What a run answers: its version's items, as many as it asks, under its own settings."""

        def look(session: Session) -> Benchmark:
            whole = Benchmark.model_validate(find_benchmark(session, run.benchmark_id).document)
            return whole.model_copy(update={"items": whole.items[: run.num_items], "settings": run.settings})

        return await self._database.look(look)

    async def version(self, name: str) -> tuple[str, Benchmark]:
        """A benchmark's version with its id, by that id or the newest one of a name. Raises BenchmarkNotFound."""

        def look(session: Session) -> tuple[str, Benchmark]:
            row = find_benchmark(session, name)
            return row.id, Benchmark.model_validate(row.document)

        return await self._database.look(look)

    async def keep_answer(self, run_id: str, answer: Answer) -> None:
        """Write an answer down. One that has failed before gives way to it; one with a text stays."""
        statement = sqlite.insert(EvaluationAnswerRow).values(
            run_id=run_id,
            item=answer.item,
            trial=answer.trial,
            failed=answer.error is not None,
            document=answer.model_dump(mode="json"),
        )
        new = {"failed": statement.excluded.failed, "document": statement.excluded.document}
        keys = ["run_id", "item", "trial"]
        once = statement.on_conflict_do_update(keys, set_=new, where=EvaluationAnswerRow.failed.is_(True))
        await self._database.write(lambda session: session.execute(once))

    async def replace_answer(self, run_id: str, answer: Answer) -> None:
        """Write down what was computed of an answer that is kept."""
        row = EvaluationAnswerRow
        keys = (row.run_id == run_id, row.item == answer.item, row.trial == answer.trial)
        change = update(row).where(*keys).values(document=answer.model_dump(mode="json"))
        await self._database.write(lambda session: session.execute(change))

    async def answers(self, run_id: str) -> tuple[Answer, ...]:
        """All answers so far, in no order."""
        query = select(EvaluationAnswerRow.document).where(EvaluationAnswerRow.run_id == run_id)
        return await self._database.look(
            lambda session: tuple(Answer.model_validate(found) for found in session.scalars(query))
        )

    async def answered(self, run_id: str) -> set[tuple[str, int]]:
        """Items and trials that have a text."""
        row = EvaluationAnswerRow
        query = select(row.item, row.trial).where(row.run_id == run_id, ~row.failed)
        return await self._database.look(lambda session: {(item, trial) for item, trial in session.execute(query)})

    async def keep_verdicts(self, run_id: str, verdicts: Iterable[FieldVerdict]) -> None:
        """Write verdicts down; one that is there, and has a score, stays."""
        rows = [{"run_id": run_id, **verdict.model_dump()} for verdict in verdicts]
        statement = sqlite.insert(EvaluationVerdictRow)
        new = {"score": statement.excluded.score, "why": statement.excluded.why}
        keys = ["run_id", "item", "trial", "field", "judge"]
        once = statement.on_conflict_do_update(keys, set_=new, where=EvaluationVerdictRow.score.is_(None))
        await self._database.write(lambda session: session.execute(once, rows))

    async def verdicts(self, run_id: str) -> tuple[FieldVerdict, ...]:
        """What judges said of a run."""
        row = EvaluationVerdictRow
        columns = (row.item, row.trial, row.field, row.judge, row.score, row.why)
        query = select(*columns).where(row.run_id == run_id)

        def look(session: Session) -> tuple[FieldVerdict, ...]:
            return tuple(FieldVerdict.model_validate(dict(found)) for found in session.execute(query).mappings())

        return await self._database.look(look)

    async def keep_correction(self, benchmark_id: str, correction: Correction) -> None:
        """Write a correction down; that of the same person and item gives way to it."""
        statement = sqlite.insert(CorrectionRow).values(
            benchmark_id=benchmark_id,
            item=correction.item,
            person=correction.by,
            document=correction.model_dump(mode="json"),
        )
        keys = ["benchmark_id", "item", "person"]
        once = statement.on_conflict_do_update(keys, set_={"document": statement.excluded.document})
        await self._database.write(lambda session: session.execute(once))

    async def remove_correction(self, benchmark_id: str, item: str, person: str) -> Correction | None:
        """Forget one, which is answered; none where it was not there."""
        row = CorrectionRow
        gone = delete(row).where(row.benchmark_id == benchmark_id, row.item == item, row.person == person)
        document = await self._database.write(lambda session: session.scalar(gone.returning(row.document)))
        return None if document is None else Correction.model_validate(document)

    async def corrections(self, benchmark_id: str) -> tuple[Correction, ...]:
        """All of a version's items, the oldest first."""
        query = select(CorrectionRow.document).where(CorrectionRow.benchmark_id == benchmark_id)
        found = await self._database.look(
            lambda session: [Correction.model_validate(document) for document in session.scalars(query)]
        )
        return tuple(sorted(found, key=lambda correction: correction.created_at))

    async def remove(self, run_id: str) -> None:
        """Forget a run with its answers, verdicts and drafts of questions."""

        def act(session: Session) -> None:
            session.execute(delete(EvaluationAnswerRow).where(EvaluationAnswerRow.run_id == run_id))
            session.execute(delete(EvaluationVerdictRow).where(EvaluationVerdictRow.run_id == run_id))
            session.execute(delete(QuestionDraftRow).where(QuestionDraftRow.run_id == run_id))
            session.execute(delete(EvaluationRunRow).where(EvaluationRunRow.id == run_id))

        await self._database.write(act)


def _row(session: Session, run_id: str) -> EvaluationRunRow:
    row = session.scalars(select(EvaluationRunRow).where(EvaluationRunRow.id == run_id)).first()
    if row is None:
        raise RunNotFound(f"There is no run {shown(run_id)}.", hint="GET /v1/runs lists them.")
    return row


def _counted(session: Session, row: EvaluationRunRow) -> EvaluationRun:
    answer, verdict = EvaluationAnswerRow, EvaluationVerdictRow
    counts: Sequence[tuple[bool, int]] = [
        (failed, count)
        for failed, count in session.execute(
            select(answer.failed, func.count()).where(answer.run_id == row.id).group_by(answer.failed)
        )
    ]
    by_failed = dict(counts)
    judges = session.scalars(select(verdict.judge).where(verdict.run_id == row.id).distinct().order_by(verdict.judge))
    return EvaluationRun.model_validate(row.document).model_copy(
        update={
            "num_answered": by_failed.get(False, 0),
            "num_failed": by_failed.get(True, 0),
            "judges": tuple(judges),
        }
    )

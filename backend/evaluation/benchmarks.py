"""The benchmarks of this server. What has other items is another version under the same name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from backend.database import Database
from backend.database.evaluation_tables import BenchmarkRow, CorrectionRow, EvaluationRunRow
from backend.media import MediaStore
from studio.errors import BenchmarkNotFound, Conflict, MediaNotFound
from studio.evaluation import Benchmark, content_hash
from studio.evaluation.forms import check
from studio.evaluation.runs import BenchmarkList, BenchmarkSummary, StoredBenchmark
from studio.requests import parse_as, shown

ID_DIGITS = 12


class BenchmarkService:
    """Keeps benchmarks. Every method raises StorageError.

    Args:
        changed: called when there are others.
    """

    def __init__(self, database: Database, store: MediaStore, changed: Callable[[], None]) -> None:
        self._database = database
        self._store = store
        self._changed = changed

    async def add(self, payload: Mapping[str, Any]) -> BenchmarkSummary:
        """Keep a benchmark; the same items again, with the same method, are the version that is here.

        Args:
            payload: a `Benchmark` as JSON, its media as ids of the store.

        Raises:
            BadInput: a field cannot be used; its place is named, as in `items.3.reference`.
            MediaNotFound: a medium of an item is not in the store.
        """
        benchmark = parse_as(Benchmark, dict(payload))
        check(benchmark)
        for index, item in enumerate(benchmark.items):
            for name in item.media:
                try:
                    self._store.file(name)
                except MediaNotFound as error:
                    raise MediaNotFound(
                        f"Item {item.id}: {error.message}", param=f"items.{index}.media", hint="Upload it first."
                    ) from None
        version = content_hash(benchmark)[:ID_DIGITS]
        document = benchmark.model_dump(mode="json")

        def act(session: Session) -> None:
            row = session.scalars(select(BenchmarkRow).where(BenchmarkRow.id == version)).first()
            if row is None:
                row = BenchmarkRow(id=version, name=benchmark.name, document=document, created_at=datetime.now(UTC))
                session.add(row)
            else:  # title, settings and bars are no part of the hash
                row.name, row.document = benchmark.name, document

        await self._database.write(act)
        self._changed()
        return await self.get(version)

    async def get(self, name: str) -> StoredBenchmark:
        """A version by its id, or the newest one of a name. Raises BenchmarkNotFound."""

        def look(session: Session) -> StoredBenchmark:
            row = find_benchmark(session, name)
            benchmark = Benchmark.model_validate(row.document)
            return StoredBenchmark(**_summary(session, row, benchmark).model_dump(), benchmark=benchmark)

        return await self._database.look(look)

    async def listing(self) -> BenchmarkList:
        """The newest version of each name, the newest first."""

        def look(session: Session) -> BenchmarkList:
            newest = select(func.max(BenchmarkRow.number)).group_by(BenchmarkRow.name)
            rows = session.scalars(
                select(BenchmarkRow).where(BenchmarkRow.number.in_(newest)).order_by(BenchmarkRow.number.desc())
            )
            found = tuple(_summary(session, row, Benchmark.model_validate(row.document)) for row in rows)
            return BenchmarkList(benchmarks=found)

        return await self._database.look(look)

    async def remove(self, name: str) -> None:
        """Forget a version without runs, and its corrections; media stay. Raises BenchmarkNotFound, Conflict."""
        found = await self.get(name)
        if found.num_runs:
            raise Conflict(
                f"Benchmark {found.name} has {found.num_runs} runs, which are read with its items.",
                hint="Delete its runs first.",
            )

        def act(session: Session) -> None:
            session.execute(delete(CorrectionRow).where(CorrectionRow.benchmark_id == found.id))
            session.execute(delete(BenchmarkRow).where(BenchmarkRow.id == found.id))

        await self._database.write(act)
        self._changed()


def find_benchmark(session: Session, name: str) -> BenchmarkRow:
    """The row of a version by its id, or of the newest one of a name. Raises BenchmarkNotFound."""
    by_id = session.scalars(select(BenchmarkRow).where(BenchmarkRow.id == name)).first()
    newest = select(BenchmarkRow).where(BenchmarkRow.name == name).order_by(BenchmarkRow.number.desc())
    found = by_id or session.scalars(newest.limit(1)).first()
    if found is None:
        raise BenchmarkNotFound(
            f"There is no benchmark {shown(name)}.", param="benchmark", hint="GET /v1/benchmarks lists them."
        )
    return found


def _summary(session: Session, row: BenchmarkRow, benchmark: Benchmark) -> BenchmarkSummary:
    runs = select(func.count()).select_from(EvaluationRunRow).where(EvaluationRunRow.benchmark_id == row.id)
    return BenchmarkSummary(
        id=row.id,
        name=benchmark.name,
        title=benchmark.title or benchmark.name,
        description=benchmark.description,
        form=benchmark.form,
        settings=benchmark.settings,
        num_items=len(benchmark.items),
        num_media=len({name for item in benchmark.items for name in item.media}),
        categories=tuple(dict.fromkeys(item.category for item in benchmark.items if item.category)),
        created_at=row.created_at,
        num_runs=session.scalar(runs) or 0,
    )

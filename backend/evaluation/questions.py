"""The builder of multiple-choice questions: drafts of a run's annotations, answered by two sides, decided by people."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import structlog
from pydantic import JsonValue
from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import Session

from backend.arena.reasoners import Reasoners
from backend.checkpoints.catalogue import CheckpointCatalogue
from backend.database import Database
from backend.database.evaluation_tables import QuestionDraftRow
from backend.evaluation.asking import OF_ALL, ask_each
from backend.evaluation.benchmarks import BenchmarkService
from backend.evaluation.store import RunStore
from backend.media import MediaStore
from studio.errors import BadInput, Conflict, QuestionNotFound, StudioError
from studio.evaluation import Benchmark, Item
from studio.evaluation.corrections import newest
from studio.evaluation.forms.fields import schema_of
from studio.evaluation.judge import ask_until_usable
from studio.evaluation.question_drafts import (
    MAX_DRAFTS,
    DecideQuestion,
    DraftedQuestion,
    DraftQuestions,
    QuestionDraft,
    QuestionDrafts,
    SaveQuestions,
)
from studio.evaluation.questions import (
    PoolQuestion,
    ask_annotation,
    ask_video,
    build,
    letter_in,
    narrowed,
    pool_of,
    questions_for,
    read_letter,
)
from studio.evaluation.runs import BenchmarkSummary, EvaluationRun
from studio.jobs import Failure
from studio.requests import shown

log = structlog.get_logger("orrery.evaluation")


class QuestionDraftService:
    """Drafts are rows, so a draft that was asked is not asked again. Lives on the event loop's thread.

    Args:
        changed: called after every change.
    """

    def __init__(
        self,
        *,
        database: Database,
        runs: RunStore,
        benchmarks: BenchmarkService,
        reasoners: Reasoners,
        catalogue: CheckpointCatalogue,
        media: MediaStore,
        changed: Callable[[], None],
    ) -> None:
        self._database = database
        self._runs = runs
        self._benchmarks = benchmarks
        self._reasoners = reasoners
        self._catalogue = catalogue
        self._media = media
        self._changed = changed
        self._tasks: dict[str, asyncio.Task[None]] = {}
        # Of two calls the second sees what the first has begun.
        self._drawing = asyncio.Lock()
        self._errors: dict[str, Failure] = {}

    async def start(self, run_id: str, asked: DraftQuestions) -> QuestionDrafts:
        """Draw questions about each video of a run, and let reasoners answer those that were not asked yet.

        Those of an earlier drawing that are not drawn again are removed, unless a person has decided them.

        Raises:
            RunNotFound: there is none.
            BadInput: the run is of another form, nothing of its annotations is one of a few values, or there is no such
                reasoner or category.
            Conflict: questions of the run are being answered.
        """
        async with self._drawing:
            await self._start(run_id, asked)
        return await self.drafts(run_id)

    async def _start(self, run_id: str, asked: DraftQuestions) -> None:
        run, benchmark = await self._annotated(run_id)
        text, video = self._names(asked)
        if run_id in self._tasks:
            raise Conflict(f"Questions of run {run_id} are being answered.", hint="Wait until that has ended.")
        whole = pool_of(schema_of(benchmark))
        if whole is None:
            raise BadInput(
                f"The annotations of {benchmark.name} have no field that holds one of two to eight values; expected at "
                "least one to ask about.",
                param="run_id",
            )
        pool = narrowed(whole, asked.categories, asked.per_video)
        planned = [
            QuestionDraft(video=item.id, question=question.id)
            for item in benchmark.items
            if item.media
            for question in questions_for(pool, item.id, asked.seed)
        ]
        if not 0 < len(planned) <= MAX_DRAFTS:
            raise BadInput(
                f"The run would have {len(planned):,} questions; expected 1 to {MAX_DRAFTS:,}.", param="per_video"
            )
        await self._plan(run_id, planned, asked)
        self._errors.pop(run_id, None)
        task = asyncio.create_task(self._answer(run, benchmark, text, video), name=f"questions {run_id}")
        self._tasks[run_id] = task
        task.add_done_callback(partial(self._ended, run_id))

    def is_at_work(self, run_id: str) -> bool:
        """Whether questions of a run are being answered."""
        return run_id in self._tasks

    async def drafts(self, run_id: str) -> QuestionDrafts:
        """All of a run. Raises RunNotFound, or BadInput where it is of another form."""
        _, benchmark = await self._annotated(run_id)
        is_running = run_id in self._tasks  # read first: once it is false, the rows read below are complete
        found = {(one.video, one.question): one for one in await self._drafts(run_id)}
        questions = _questions_of(benchmark)
        return QuestionDrafts(
            categories=tuple(dict.fromkeys(question.category for question in questions)),
            questions=tuple(
                _with_words(found[item.id, question.id], question, item)
                for item in benchmark.items
                for question in questions
                if (item.id, question.id) in found
            ),
            drawn_by=next((one.drawn_by for one in found.values()), None),
            is_running=is_running,
            error=self._errors.get(run_id),
        )

    async def decide(self, run_id: str, said: DecideQuestion) -> QuestionDrafts:
        """What a person says of a question. Raises RunNotFound, QuestionNotFound, or BadInput for a letter too many."""
        _, benchmark = await self._annotated(run_id)
        draft = await self._draft(run_id, said.video, said.question)
        letters = _by_id(benchmark)[said.question].lettered
        if said.by_person not in (None, "drop", *letters):
            raise BadInput(
                f"by_person is {said.by_person}; expected one of {', '.join(letters)} or drop.", param="by_person"
            )
        await self._change(run_id, draft, by_person=said.by_person)
        self._changed()
        return await self.drafts(run_id)

    async def save(self, run_id: str, asked: SaveQuestions) -> BenchmarkSummary:
        """Keep what is known as a benchmark. Raises RunNotFound, or BadInput where nothing is or the name is none."""
        _, benchmark = await self._annotated(run_id)
        media = {item.id: item.media for item in benchmark.items}
        drafts = await self._drafts(run_id)
        pool = pool_of(schema_of(benchmark))
        if pool is None:
            raise BadInput("No answer is known; draw questions first.", param="run_id")
        built = build(pool, media, drafts).model_dump(mode="json")
        description = f"Multiple choice, from annotations of {benchmark.title or benchmark.name}."
        return await self._benchmarks.add(built | asked.model_dump() | {"description": description})

    async def close(self) -> None:
        """Leave off; what was answered stays."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _annotated(self, run_id: str) -> tuple[EvaluationRun, Benchmark]:
        run = await self._runs.get(run_id)
        if run.form != "fields":
            raise BadInput(f"Run {run_id} has the form {run.form}; expected fields.", param="run_id")
        return run, await self._runs.benchmark(run)

    def _names(self, asked: DraftQuestions) -> tuple[str, str]:
        text = asked.reasoner or self._catalogue.active.id
        video = asked.video_reasoner or text
        self._reasoners.check(text, "reasoner")
        self._reasoners.check(video, "video_reasoner")
        return text, video

    async def _answer(self, run: EvaluationRun, benchmark: Benchmark, text: str, video: str) -> None:
        corrected = newest(await self._runs.corrections(run.benchmark_id))
        items = {item.id: item for item in benchmark.items}
        questions, schema = _by_id(benchmark), schema_of(benchmark)

        async def ask(draft: QuestionDraft) -> None:
            item, question = items[draft.video], questions[draft.question]
            said = corrected[item.id].reference if item.id in corrected else item.reference
            assert isinstance(said, dict)
            letters = {
                "from_annotation": letter_in(schema, question, said)
                if question.field
                else await _letter(self._from_annotation(text, question, said)),
                "from_video": await _letter(self._from_video(video, question, item)),
            }
            await self._change(run.id, draft, **letters, asked=True)
            self._changed()

        try:
            await ask_each([draft for draft in await self._drafts(run.id) if not draft.asked], ask)
        except StudioError as error:
            log.warning("questions_failed", run_id=run.id, reason=error.message)
            self._errors[run.id] = Failure.of(error)

    async def _from_annotation(
        self, reasoner: str, question: PoolQuestion, annotation: Mapping[str, JsonValue]
    ) -> str | None:
        async with self._reasoners.asking(reasoner, {}, patient=True) as asking:
            put = ask_annotation(question, annotation)
            return await ask_until_usable(asking.ask, put, partial(read_letter, question))

    async def _from_video(self, reasoner: str, question: PoolQuestion, item: Item) -> str | None:
        files = {name: self._media.file(name) for name in item.media}
        async with self._reasoners.asking(reasoner, files, patient=True) as asking:
            put = ask_video(question, item.id, asking.parts)
            return await ask_until_usable(asking.ask, put, partial(read_letter, question))

    async def _plan(self, run_id: str, planned: Sequence[QuestionDraft], asked: DraftQuestions) -> None:
        """The drafts of a run from now on; of those that were there already, what is known stays."""
        row = QuestionDraftRow
        wanted = {(draft.video, draft.question) for draft in planned}

        def act(session: Session) -> None:
            documents = session.scalars(select(row.document).where(row.run_id == run_id)).all()
            for known in map(QuestionDraft.model_validate, documents):
                if (known.video, known.question) not in wanted and known.by_person is None:
                    gone = (row.run_id == run_id, row.video == known.video, row.question == known.question)
                    session.execute(delete(row).where(*gone))
            values = [_values(run_id, draft) for draft in planned]
            session.execute(sqlite.insert(row).on_conflict_do_nothing(), values)
            drawn_by = func.json_set(row.document, "$.drawn_by", func.json(asked.model_dump_json()))
            session.execute(update(row).where(row.run_id == run_id).values(document=drawn_by))

        await self._database.write(act)

    async def _change(self, run_id: str, draft: QuestionDraft, **changes: object) -> None:
        """What is new about a draft; what others have said of it meanwhile stays. Raises QuestionNotFound."""
        row = QuestionDraftRow
        where = (row.run_id == run_id, row.video == draft.video, row.question == draft.question)

        def act(session: Session) -> None:
            now = _found(session.scalar(select(row.document).where(*where)), run_id, draft.video, draft.question)
            document = now.model_copy(update=changes).model_dump(mode="json")
            session.execute(update(row).where(*where).values(document=document))

        await self._database.write(act)

    async def _drafts(self, run_id: str) -> list[QuestionDraft]:
        query = select(QuestionDraftRow.document).where(QuestionDraftRow.run_id == run_id)
        return await self._database.look(
            lambda session: [QuestionDraft.model_validate(document) for document in session.scalars(query)]
        )

    async def _draft(self, run_id: str, video: str, question: str) -> QuestionDraft:
        """One of a run. Raises QuestionNotFound."""
        row = QuestionDraftRow
        query = select(row.document).where(row.run_id == run_id, row.video == video, row.question == question)
        document = await self._database.look(lambda session: session.scalar(query))
        return _found(document, run_id, video, question)

    def _ended(self, run_id: str, task: asyncio.Task[None]) -> None:
        del self._tasks[run_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("questions_broke", run_id=run_id, exc_info=error)
        self._changed()


async def _letter(side: Awaitable[str | None]) -> str | None:
    """The letter that a side gives; none where it gives none that can be read, or cannot be asked this question."""
    try:
        return await side
    except OF_ALL:
        raise
    except StudioError as error:
        log.warning("letter_missing", code=error.code, message=error.message)
        return None


def _questions_of(benchmark: Benchmark) -> tuple[PoolQuestion, ...]:
    """Those that its annotations can answer."""
    pool = pool_of(schema_of(benchmark))
    return pool.questions if pool else ()


def _by_id(benchmark: Benchmark) -> dict[str, PoolQuestion]:
    return {question.id: question for question in _questions_of(benchmark)}


def _found(document: dict[str, Any] | None, run_id: str, video: str, question: str) -> QuestionDraft:
    if document is None:
        raise QuestionNotFound(f"Run {run_id} has no question {shown(question)} about {shown(video)}.")
    return QuestionDraft.model_validate(document)


def _values(run_id: str, draft: QuestionDraft) -> dict[str, object]:
    document = draft.model_dump(mode="json")
    return {"run_id": run_id, "video": draft.video, "question": draft.question, "document": document}


def _with_words(draft: QuestionDraft, question: PoolQuestion, item: Item) -> DraftedQuestion:
    return DraftedQuestion(
        **draft.model_dump(exclude={"drawn_by"}),
        media=item.media,
        category=question.category,
        text=question.question,
        choices=question.lettered,
        state=draft.state,
        letter=draft.letter,
    )

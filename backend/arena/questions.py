"""The same questions for several reasoners: written down first, then answered one by one, then graded."""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from backend.arena.reasoners import Reasoners
from backend.arena.service import ArenaService
from backend.database import Database
from backend.database.tables import AnswerRow, GradeRow, QuestionRow
from backend.media import MediaStore
from studio.arena.questions import (
    AskedQuestion,
    GradeAnswers,
    GradedBy,
    MeanGrade,
    PutQuestions,
    QuestionList,
    ReasonerAnswer,
)
from studio.captions import split_thought
from studio.errors import Busy, Conflict, QuestionNotFound, StudioError
from studio.evaluation.judge import Grade, ask_until_usable, grade_question, read_grade
from studio.evaluation.statistics import wilson
from studio.jobs import Failure
from studio.prompting import PLAIN, Question, VideoUrl
from studio.prompting.question import asked_alone
from studio.prompting.tasks import VIDEO_FPS
from studio.requests import shown

T = TypeVar("T")


class QuestionService:
    """Questions, who answered them, and how well. What was answered is on disk; what is missing can be asked again."""

    def __init__(self, database: Database, arena: ArenaService, reasoners: Reasoners, store: MediaStore) -> None:
        self._database = database
        self._arena = arena
        self._reasoners = reasoners
        self._store = store
        self._asking: set[str] = set()

    async def put(self, asked: PutQuestions) -> QuestionList:
        """Write questions down with a place for each reasoner's answer.

        Raises:
            BadInput: there is no such reasoner.
            MediaNotFound: what one is about is not in the store.
        """
        reasoners = tuple(dict.fromkeys(asked.reasoners))
        for name in reasoners:
            self._reasoners.check(name, "reasoners")
        for question in asked.questions:
            if question.media is not None:
                self._store.file(question.media)

        def act(session: Session) -> list[str]:
            rows = [
                QuestionRow(
                    id=secrets.token_hex(6),
                    text=question.text,
                    media_id=question.media,
                    reference=question.reference.strip(),
                    max_tokens=asked.max_tokens,
                    seed=asked.seed,
                    created_at=datetime.now(UTC),
                )
                for question in asked.questions
            ]
            session.add_all(rows)
            session.add_all(
                AnswerRow(id=secrets.token_hex(6), question_id=row.id, reasoner=name)
                for row in rows
                for name in reasoners
            )
            return [row.id for row in rows]

        ids = await self._database.write(act)
        return QuestionList(questions=await self._database.look(lambda session: read_questions(session, ids)))

    async def listing(self, limit: int) -> QuestionList:
        """The newest questions, and the mean grades over all of them."""

        def look(session: Session) -> QuestionList:
            newest = select(QuestionRow.id).order_by(QuestionRow.number.desc()).limit(limit)
            questions = read_questions(session, session.scalars(newest).all())
            return QuestionList(questions=questions, grades=mean_grades(session))

        return await self._database.look(look)

    async def ask(self, question_id: str) -> AskedQuestion:
        """Ask everybody whose answer is missing; one that cannot be asked has its reason as the answer.

        Raises:
            QuestionNotFound: there is none.
            Conflict: it is being asked already.
        """
        question = await self._row(question_id)
        if question_id in self._asking:
            raise Conflict(
                "This question is already being answered.", hint="GET /v1/arena/questions shows the answers so far."
            )
        self._asking.add(question_id)
        try:
            for answer in (await self._question(question_id)).answers:
                if answer.text is None:
                    await self._answer(question, answer)
        finally:
            self._asking.discard(question_id)
            self._arena.answered()
        return await self._question(question_id)

    async def grade(self, question_id: str, asked: GradeAnswers) -> AskedQuestion:
        """Let a judge grade every answer that it has not graded, against the person's.

        Raises:
            QuestionNotFound: there is none.
            BadInput, TooLarge: there is no such judge, or it refuses an answer.
            Conflict: no person has answered it, or the judge's checkpoint is not loaded.
            Busy, ServerUnreachable, EngineError: the judge gives no grade; those before stay.
        """
        question = await self._row(question_id)
        self._reasoners.check(asked.judge, "judge")
        if not question.reference:
            raise Conflict(
                "Grades compare answers with a person's answer, and this question has none.",
                param="reference",
                hint="Add the question with a reference, or vote on its answers.",
            )
        for answer in (await self._question(question_id)).answers:
            if answer.text is None or asked.judge in {grade.judge for grade in answer.grades}:
                continue
            async with self._reasoners.asking(asked.judge, {}) as asking:
                put = grade_question(question.text, question.reference, answer.text)
                grade: Grade = await ask_until_usable(asking.ask, put, read_grade)
            row = GradeRow(answer_id=answer.id, judge=asked.judge, score=grade.score, reason=grade.reason)
            await self._database.write(lambda session, row=row: session.merge(row) and None)
        return await self._question(question_id)

    async def remove(self, question_id: str) -> AskedQuestion:
        """Remove a question with its answers and their grades; votes on them stay. Raises QuestionNotFound."""
        gone = await self._question(question_id)

        def act(session: Session) -> None:
            session.execute(delete(GradeRow).where(GradeRow.answer_id.in_([answer.id for answer in gone.answers])))
            session.execute(delete(AnswerRow).where(AnswerRow.question_id == question_id))
            session.execute(delete(QuestionRow).where(QuestionRow.id == question_id))

        await self._database.write(act)
        self._arena.answered()
        return gone

    async def _answer(self, question: QuestionRow, answer: ReasonerAnswer) -> None:
        begun = time.monotonic()
        text: str | None = None
        thought, error = "", None
        try:
            text, thought = await self._said(question, answer.reasoner)
        except Busy:
            raise  # it was not asked, and can be in a moment
        except StudioError as why:
            error = why
        seconds = round(time.monotonic() - begun, 3)
        failure = None if error is None else Failure.of(error).model_dump(mode="json")

        def act(session: Session) -> None:
            row = session.scalars(select(AnswerRow).where(AnswerRow.id == answer.id)).first()
            if row is not None:
                row.text, row.thought, row.seconds, row.error = text, thought, seconds, failure

        await self._database.write(act)

    async def _said(self, question: QuestionRow, reasoner: str) -> tuple[str, str]:
        files = {question.media_id: self._store.file(question.media_id)} if question.media_id else dict[str, Path]()
        async with self._reasoners.asking(reasoner, files) as asking:
            sampling = PLAIN.model_copy(update={"max_tokens": question.max_tokens, "seed": question.seed})
            clip = any(isinstance(part, VideoUrl) for part in asking.parts)
            messages = asked_alone(question.text, *asking.parts)
            text = await asking.ask(
                Question(messages=messages, sampling=sampling, video_fps=VIDEO_FPS if clip else None)
            )
        spoken = split_thought(text.encode(errors="replace").decode())
        return spoken.answer, spoken.thought

    async def _row(self, question_id: str) -> QuestionRow:
        def look(session: Session) -> QuestionRow | None:
            row = session.scalars(select(QuestionRow).where(QuestionRow.id == question_id)).first()
            if row is not None:
                session.expunge(row)
            return row

        found = await self._database.look(look)
        if found is None:
            raise QuestionNotFound(
                f"There is no question {shown(question_id)}.", hint="GET /v1/arena/questions lists them."
            )
        return found

    async def _question(self, question_id: str) -> AskedQuestion:
        await self._row(question_id)
        (question,) = await self._database.look(lambda session: read_questions(session, [question_id]))
        return question


LOWEST, HIGHEST = 1, 5
"""Grades."""


def read_questions(session: Session, ids: Sequence[str]) -> tuple[AskedQuestion, ...]:
    """Questions in the order of their ids, with answers and grades."""
    questions = {row.id: row for row in session.scalars(select(QuestionRow).where(QuestionRow.id.in_(ids)))}
    wanted = select(AnswerRow).where(AnswerRow.question_id.in_(ids)).order_by(AnswerRow.number)
    rows = session.scalars(wanted).all()
    grades: defaultdict[str, list[GradedBy]] = defaultdict(list)
    for grade in session.scalars(select(GradeRow).where(GradeRow.answer_id.in_([row.id for row in rows]))):
        grades[grade.answer_id].append(GradedBy(judge=grade.judge, score=grade.score, reason=grade.reason))
    answers: defaultdict[str, list[ReasonerAnswer]] = defaultdict(list)
    for row in rows:
        answers[row.question_id].append(
            ReasonerAnswer(
                id=row.id,
                reasoner=row.reasoner,
                text=row.text,
                thought=row.thought,
                seconds=row.seconds,
                error=None if row.error is None else Failure.model_validate(row.error),
                grades=tuple(sorted(grades[row.id], key=lambda grade: grade.judge)),
            )
        )
    return tuple(
        AskedQuestion(
            id=row.id,
            text=row.text,
            media=row.media_id,
            reference=row.reference,
            created_at=row.created_at,
            answers=tuple(answers[row.id]),
        )
        for name in ids
        if (row := questions.get(name))
    )


def mean_grades(session: Session) -> tuple[MeanGrade, ...]:
    """Each reasoner's mean grade by each judge, the best first.

    A mean of numbers between two bounds varies at most as much as a share of the same height would, so that Wilson's
    interval of that share is wide enough, also where all grades are alike.
    """
    scores: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    found = select(AnswerRow.reasoner, GradeRow.judge, GradeRow.score).join(
        GradeRow, GradeRow.answer_id == AnswerRow.id
    )
    for reasoner, judge, score in session.execute(found):
        scores[reasoner, judge].append(score)
    means: list[MeanGrade] = []
    for (reasoner, judge), given in scores.items():
        mean = sum(given) / len(given)
        low, high = (
            round(LOWEST + (HIGHEST - LOWEST) * end, 2)
            for end in wilson((mean - LOWEST) / (HIGHEST - LOWEST), len(given))
        )
        means.append(
            MeanGrade(reasoner=reasoner, judge=judge, num_answers=len(given), mean=round(mean, 2), low=low, high=high)
        )
    return tuple(sorted(means, key=lambda grade: (grade.judge, -grade.mean, grade.reasoner)))

"""Questions and answers as the database has them, and what judges made of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.database.arena_tables import AnswerRow, GradeRow, QuestionRow
from studio.arena import wilson
from studio.arena.questions import AskedQuestion, GradedBy, MeanGrade, ReasonerAnswer
from studio.jobs import Failure

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

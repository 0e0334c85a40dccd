"""Votes, questions, answers and grades, as an import brings them in."""

from __future__ import annotations

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from backend.arena.answers import HIGHEST, LOWEST
from backend.arena.ballot_box import row_of
from backend.database.arena_tables import AnswerRow, GradeRow, QuestionRow, VoteRow
from backend.library.records import (
    Keep,
    RecordSort,
    Row,
    behind_all,
    document_in,
    id_in,
    is_said,
    json_in,
    moment_in,
    number_in,
    text_in,
)
from backend.media.file_names import is_media_name
from studio.arena import Vote, axes_of, pair_id
from studio.arena.questions import MAX_ANSWER_TOKENS
from studio.errors import BadInput
from studio.jobs import Failure
from studio.requests import MAX_SEED, MAX_TEXT_BYTES, parse_as

MAX_NAME = 4096
"""Characters of a voter or a reasoner; a checkpoint may be called by its folder."""
MAX_PATH = 256
"""Of a field's dotted path, and of a domain."""
MAX_SAID = 2**20
"""Of an answer, a thought, a grade's reason, and the value of a field."""
MAX_SECONDS = 1e9


def _vote(row: Row) -> Keep:
    said = {
        "id": id_in(row),
        "pair": row["pair"],
        "kind": row["kind"],
        "contest": text_in(row, "contest", MAX_PATH, least=1),
        "domain": text_in(row, "domain", MAX_PATH, least=1),
        "left": {"id": row["left_id"], "value": text_in(row, "left_value", MAX_SAID)},
        "right": {"id": row["right_id"], "value": text_in(row, "right_value", MAX_SAID)},
        "choices": json_in(row, "choices"),
        "voter": text_in(row, "voter", MAX_NAME, least=1),
        "by": row["voted_by"],
        "reason": text_in(row, "reason", MAX_SAID),
        "created_at": moment_in(row, "created_at"),
        "revoked_at": moment_in(row, "revoked_at") if row["revoked_at"] else None,
    }
    try:
        vote = parse_as(Vote, said)
    except BadInput as error:
        raise ValueError(error.message) from None
    if vote.pair != pair_id(vote.left.id, vote.right.id) or vote.left.id == vote.right.id:
        raise ValueError("its sides are not its pair's")
    if "overall" not in vote.choices or not vote.choices.keys() <= set(axes_of(vote.kind, sound=True)):
        raise ValueError("its axes are not its pair's")

    def keep(session: Session) -> frozenset[str] | None:
        known = VoteRow.id == vote.id
        if vote.revoked_at is None:  # one vote that counts of each voter on a pair
            of_theirs = (VoteRow.pair == vote.pair, VoteRow.voted_by == vote.by, VoteRow.voter == vote.voter)
            known |= and_(*of_theirs, VoteRow.revoked_at.is_(None))
        if session.scalar(select(func.count()).where(known)):
            return None
        kept = row_of(vote)
        kept.number = behind_all(session, VoteRow.number)
        session.add(kept)
        return frozenset()

    return keep


def _question(row: Row) -> Keep:
    question = QuestionRow(
        id=id_in(row),
        text=text_in(row, "text", MAX_TEXT_BYTES, least=1),
        media_id=None if row["media_id"] is None else text_in(row, "media_id", 40),
        reference=text_in(row, "reference", MAX_TEXT_BYTES),
        max_tokens=number_in(row, "max_tokens", 1, MAX_ANSWER_TOKENS),
        seed=number_in(row, "seed", 0, MAX_SEED),
        created_at=moment_in(row, "created_at"),
    )
    media = frozenset([question.media_id] if question.media_id else [])
    if not all(map(is_media_name, media)):
        raise ValueError("it is about what is no item")

    def keep(session: Session) -> frozenset[str] | None:
        if session.scalar(select(func.count()).where(QuestionRow.id == question.id)):
            return None
        question.number = behind_all(session, QuestionRow.number)
        session.add(question)
        return media

    return keep


def _answer(row: Row) -> Keep:
    error = document_in(row, Failure, "error").model_dump(mode="json") if is_said(row, "error") else None
    answer = AnswerRow(
        id=id_in(row),
        question_id=id_in(row, "question_id"),
        reasoner=text_in(row, "reasoner", MAX_NAME, least=1),
        text=None if row["text"] is None else text_in(row, "text", MAX_SAID),
        thought=text_in(row, "thought", MAX_SAID),
        seconds=_seconds(row),
        error=error,
    )

    def keep(session: Session) -> frozenset[str] | None:
        same = and_(AnswerRow.question_id == answer.question_id, AnswerRow.reasoner == answer.reasoner)
        if session.scalar(select(func.count()).where(or_(AnswerRow.id == answer.id, same))):
            return None
        if not session.scalar(select(func.count()).where(QuestionRow.id == answer.question_id)):
            raise ValueError("its question is not here")
        answer.number = behind_all(session, AnswerRow.number)
        session.add(answer)
        return frozenset()

    return keep


def _grade(row: Row) -> Keep:
    grade = GradeRow(
        answer_id=id_in(row, "answer_id"),
        judge=text_in(row, "judge", MAX_NAME, least=1),
        score=number_in(row, "score", LOWEST, HIGHEST),
        reason=text_in(row, "reason", MAX_SAID),
    )

    def keep(session: Session) -> frozenset[str] | None:
        if session.get(GradeRow, (grade.answer_id, grade.judge)) is not None:
            return None
        if not session.scalar(select(func.count()).where(AnswerRow.id == grade.answer_id)):
            raise ValueError("its answer is not here")
        session.add(grade)
        return frozenset()

    return keep


def _seconds(row: Row) -> float | None:
    seconds = row["seconds"]
    if seconds is not None and not (isinstance(seconds, int | float) and 0 <= seconds <= MAX_SECONDS):
        raise ValueError("its seconds are none")
    return seconds


ARENA_RECORDS = (
    RecordSort("questions", "arena_questions", _question),
    RecordSort("answers", "arena_answers", _answer),
    RecordSort("grades", "arena_grades", _grade),
    RecordSort("votes", "arena_votes", _vote),
)

"""What the arena writes down: votes, questions put to several reasoners, their answers, and grades of these."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Float, Index, Integer, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from backend.database.tables import Table, Utc


class VoteRow(Table):
    """One vote; `studio.arena.Vote` says what its columns are.

    It holds what the sides were, so that it counts on when they have left the library.
    """

    __tablename__ = "arena_votes"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    pair: Mapped[str] = mapped_column(String(81))
    kind: Mapped[str] = mapped_column(String(16))
    contest: Mapped[str] = mapped_column(String(80))
    domain: Mapped[str] = mapped_column(String(32))
    left_id: Mapped[str] = mapped_column(String(40))
    left_value: Mapped[str] = mapped_column(Text)
    right_id: Mapped[str] = mapped_column(String(40))
    right_value: Mapped[str] = mapped_column(Text)
    choices: Mapped[dict[str, str]] = mapped_column(JSON)
    voter: Mapped[str] = mapped_column(String(256))
    voted_by: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(Utc)
    revoked_at: Mapped[datetime | None] = mapped_column(Utc)

    __table_args__ = (
        # One vote that counts of each voter on a pair; of revoked ones there may be many.
        Index("arena_votes_once", "pair", "voted_by", "voter", unique=True, sqlite_where=text("revoked_at IS NULL")),
    )


class QuestionRow(Table):
    """A question; `media_id` is what it is about."""

    __tablename__ = "arena_questions"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    text: Mapped[str] = mapped_column(Text)
    media_id: Mapped[str | None] = mapped_column(String(40))
    reference: Mapped[str] = mapped_column(Text, default="")
    max_tokens: Mapped[int] = mapped_column(Integer)
    seed: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(Utc)


class AnswerRow(Table):
    """A reasoner's place for an answer, made with the question; without `text` and `error` it has not been asked."""

    __tablename__ = "arena_answers"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    question_id: Mapped[str] = mapped_column(String(12))
    reasoner: Mapped[str] = mapped_column(String(256))
    text: Mapped[str | None] = mapped_column(Text)
    thought: Mapped[str] = mapped_column(Text, default="")
    seconds: Mapped[float | None] = mapped_column(Float)
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON)

    __table_args__ = (Index("arena_answers_by_question", "question_id", "reasoner", unique=True),)


class GradeRow(Table):
    """A judge's grade of an answer, 1 to 5."""

    __tablename__ = "arena_grades"

    answer_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    judge: Mapped[str] = mapped_column(String(256), primary_key=True)
    score: Mapped[int] = mapped_column(Integer)
    reason: Mapped[str] = mapped_column(Text, default="")

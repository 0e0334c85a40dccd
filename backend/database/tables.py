"""The tables of the data folder's database. A change here, or in what stands beside it, needs a migration."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    DateTime,
    Dialect,
    Float,
    Index,
    Integer,
    String,
    Text,
    TypeDecorator,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Utc(TypeDecorator[datetime]):
    """A moment in UTC: SQLite keeps no zone, so it goes in without one and comes out with it."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To the database: UTC, without zone."""
        return value.astimezone(UTC).replace(tzinfo=None) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """From the database: UTC, with zone."""
        return value.replace(tzinfo=UTC) if value else None


class WordList(TypeDecorator[list[str]]):
    """A list of words as JSON in which every letter is itself, so that SQL can compare them."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: list[str] | None, dialect: Dialect) -> str | None:
        """To the database."""
        return None if value is None else json.dumps(value, ensure_ascii=False)

    def process_result_value(self, value: str | None, dialect: Dialect) -> list[str] | None:
        """From the database."""
        return None if value is None else json.loads(value)


class Table(DeclarativeBase):
    """The declarative base; its metadata is what migrations are compared with."""


class JobRow(Table):
    """One job.

    `number` is the order of acceptance, `position` the order of running, `end_number` the order in which they ended,
    whatever the clock said then; jobs of an import have none. `priority` is -1, 0 or 1.
    `pace_key` names the jobs whose steps take as long, `step_work` is how much a step has to do (`backend.jobs.work`).
    `evaluation` is of the jobs of a benchmark's run.
    """

    __tablename__ = "jobs"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    kind: Mapped[str] = mapped_column(String(32))
    state: Mapped[str] = mapped_column(String(16))
    checkpoint: Mapped[str] = mapped_column(String(256))
    request: Mapped[dict[str, Any]] = mapped_column(JSON)
    position: Mapped[int] = mapped_column(Integer)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    returns: Mapped[int] = mapped_column(Integer, default=0)
    num_steps: Mapped[int] = mapped_column(Integer)
    stopped_at_step: Mapped[int | None] = mapped_column(Integer)
    results: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(Utc)
    started_at: Mapped[datetime | None] = mapped_column(Utc)
    finished_at: Mapped[datetime | None] = mapped_column(Utc)
    priority: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    batch_id: Mapped[str | None] = mapped_column(String(12))
    batch_index: Mapped[int | None] = mapped_column(Integer)
    batch_size: Mapped[int | None] = mapped_column(Integer)
    pace_key: Mapped[str | None] = mapped_column(String(128))
    step_work: Mapped[float | None] = mapped_column(Float)
    guardrail: Mapped[str | None] = mapped_column(String(16))
    end_number: Mapped[int | None] = mapped_column(Integer)
    evaluation: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")

    __table_args__ = (
        Index("jobs_by_state", "state", "position"),
        Index("jobs_by_batch", "batch_id", "batch_index"),
        Index("jobs_by_end", "end_number"),
        Index("jobs_by_kind", "kind", "number"),
    )


class JobInputRow(Table):
    """A medium that a job's request names."""

    __tablename__ = "job_inputs"

    job_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    media_id: Mapped[str] = mapped_column(String(40), primary_key=True)

    __table_args__ = (Index("job_inputs_by_media", "media_id"),)


class ArtefactRow(Table):
    """One result of a job, or one upload.

    `reference` is the `studio.media.MediaReference`. `shelf_order` is microseconds since 1970 of its making, raised
    where the clock went back, so that it always rises. `source_id` is the clip that a computed control came from, or
    the result whose faults a refinement's result was made to mend.
    `erasing` is set before the files are removed, and the row goes after them. `evaluation` is of what was uploaded for
    a benchmark or made by its run. What is searched stands in the virtual table `artefact_words`, by the same number.
    """

    __tablename__ = "artefacts"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(40), unique=True)
    job_id: Mapped[str | None] = mapped_column(String(12))
    kind: Mapped[str] = mapped_column(String(32))
    type: Mapped[str] = mapped_column(String(16))
    reference: Mapped[dict[str, Any]] = mapped_column(JSON)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    seed: Mapped[int | None] = mapped_column(BigInteger)
    checkpoint: Mapped[str | None] = mapped_column(String(256))
    prompt: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text, default="")
    tags: Mapped[list[str]] = mapped_column(WordList, default=list)
    starred: Mapped[bool] = mapped_column(Boolean, default=False)
    rating: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    source_id: Mapped[str | None] = mapped_column(String(40))
    created_at: Mapped[datetime] = mapped_column(Utc)
    shelf_order: Mapped[int] = mapped_column(BigInteger)
    trashed_at: Mapped[datetime | None] = mapped_column(Utc)
    erasing: Mapped[bool] = mapped_column(Boolean, default=False)
    evaluation: Mapped[bool] = mapped_column(Boolean, default=False, server_default="0")

    __table_args__ = (
        Index("artefacts_by_job", "job_id"),
        Index("artefacts_by_order", "shelf_order"),
        Index("artefacts_by_size", "size_bytes"),
        # What sums and facets read, so that they need not go through the prompts.
        Index(
            "artefacts_in_short",
            *("erasing", "trashed_at", "kind", "type", "checkpoint", "starred", "seed", "size_bytes", "tags"),
            *("rating", "evaluation"),
        ),
        Index("artefacts_by_source", "source_id"),
    )


class PaceRow(Table):
    """How long the steps of jobs took that are alike, as running means."""

    __tablename__ = "paces"

    key: Mapped[str] = mapped_column(String(128), primary_key=True)
    checkpoint: Mapped[str] = mapped_column(String(256))
    kind: Mapped[str] = mapped_column(String(32))
    step_work: Mapped[float] = mapped_column(Float)
    seconds_per_step: Mapped[float] = mapped_column(Float)
    seconds_around: Mapped[float] = mapped_column(Float)
    num_samples: Mapped[int] = mapped_column(Integer)


class SwitchRow(Table):
    """Something that people have turned on, for as long as they do not turn it off."""

    __tablename__ = "switches"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)


class ComparisonRow(Table):
    """One comparison: its cells that are made here are the jobs of the batch with its id.

    `number` is the order of acceptance, `document` a `backend.comparisons.grid.Grid` and what was refused of it.
    """

    __tablename__ = "comparisons"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(Utc)


class MeasurementRow(Table):
    """What was measured of a medium against another one: `document` is a `studio.comparisons.Likeness`."""

    __tablename__ = "measurements"

    media_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    against_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class RefinementRow(Table):
    """One refinement: its tree is one document, so that a kill leaves the whole of it as it was at the last change.

    `number` is the order of acceptance, `document` a `studio.refinements.Refinement`.
    """

    __tablename__ = "refinements"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    state: Mapped[str] = mapped_column(String(16))
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class CriticScoreRow(Table):
    """The overall score, 0 to 10, that a refinement's critic gave a medium.

    It stands in the tree as well, and is written with it: trees are large, and a comparison asks for a few media only.
    """

    __tablename__ = "critic_scores"

    media_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    score: Mapped[float] = mapped_column(Float)


class IdempotencyRow(Table):
    """One `Idempotency-Key` and the job that it stands for; written before the job is."""

    __tablename__ = "promises"

    key: Mapped[str] = mapped_column(String(256), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    job_id: Mapped[str] = mapped_column(String(12))
    created_at: Mapped[datetime] = mapped_column(Utc)


class DeletedVideoRow(Table):
    """A job that `DELETE /v1/videos/{id}` has taken out of that list."""

    __tablename__ = "deleted_videos"

    job_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    deleted_at: Mapped[datetime] = mapped_column(Utc)


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

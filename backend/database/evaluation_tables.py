"""The tables of benchmarks and runs, of HUE studies, blind tests and tunings. A change here needs a migration."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Boolean, Index, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from backend.database.tables import Table, Utc


class BenchmarkRow(Table):
    """One version of a benchmark: `id` begins the hash of its items, `document` is a `studio.evaluation.Benchmark`."""

    __tablename__ = "benchmarks"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    name: Mapped[str] = mapped_column(String(100))
    document: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(Utc)

    __table_args__ = (Index("benchmarks_by_name", "name", "number"),)


class EvaluationRunRow(Table):
    """One run; its answers are rows of their own. `document` is a `studio.evaluation.runs.EvaluationRun`."""

    __tablename__ = "evaluation_runs"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    benchmark_id: Mapped[str] = mapped_column(String(12))
    state: Mapped[str] = mapped_column(String(16))
    document: Mapped[dict[str, Any]] = mapped_column(JSON)

    __table_args__ = (Index("evaluation_runs_by_benchmark", "benchmark_id"),)


class EvaluationAnswerRow(Table):
    """One trial of one item; the key keeps it from being answered twice. `document` is a `studio.evaluation.Answer`."""

    __tablename__ = "evaluation_answers"

    run_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    item: Mapped[str] = mapped_column(String(300), primary_key=True)
    trial: Mapped[int] = mapped_column(Integer, primary_key=True)
    failed: Mapped[bool] = mapped_column(Boolean)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class EvaluationVerdictRow(Table):
    """What a judge said of an answer, or of one field of it; under the run "calibration" of a known pair."""

    __tablename__ = "evaluation_verdicts"

    run_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    item: Mapped[str] = mapped_column(String(300), primary_key=True)
    trial: Mapped[int] = mapped_column(Integer, primary_key=True)
    field: Mapped[str] = mapped_column(String(200), primary_key=True)
    judge: Mapped[str] = mapped_column(String(256), primary_key=True)
    score: Mapped[int | None] = mapped_column(Integer)
    why: Mapped[str] = mapped_column(Text)


class CorrectionRow(Table):
    """What one person says is true of one item of a benchmark's version; it stays when the run is deleted.

    `document` is a `studio.evaluation.corrections.Correction`.
    """

    __tablename__ = "corrections"

    benchmark_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    item: Mapped[str] = mapped_column(String(300), primary_key=True)
    person: Mapped[str] = mapped_column(String(256), primary_key=True)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class QuestionDraftRow(Table):
    """A multiple-choice question about a video of an annotated run.

    `document` is a `studio.evaluation.question_drafts.QuestionDraft`.
    """

    __tablename__ = "question_drafts"

    run_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    video: Mapped[str] = mapped_column(String(300), primary_key=True)
    question: Mapped[str] = mapped_column(String(100), primary_key=True)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class HueStudyRow(Table):
    """One HUE study; `document` is a `studio.hue_studies.HueStudyFacts`."""

    __tablename__ = "hue_studies"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class HuePromptRow(Table):
    """One prompt of a study, and how far its questions are; `document` is a `HuePrompt`."""

    __tablename__ = "hue_prompts"

    study_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class HueQuestionRow(Table):
    """One question about a prompt's videos. One that was removed stays with its ratings: it may be added again."""

    __tablename__ = "hue_questions"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    study_id: Mapped[str] = mapped_column(String(12))
    id: Mapped[str] = mapped_column(String(40))
    prompt: Mapped[str] = mapped_column(String(12))
    text: Mapped[str] = mapped_column(Text)
    dimension: Mapped[str] = mapped_column(String(32))
    author: Mapped[str] = mapped_column(String(256))
    removed: Mapped[bool] = mapped_column(Boolean, default=False)

    __table_args__ = (Index("hue_questions_once", "study_id", "id", unique=True),)


class HueRatingRow(Table):
    """One rater's answer to one question about one video; the index keeps it from being given twice."""

    __tablename__ = "hue_ratings"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    study_id: Mapped[str] = mapped_column(String(12))
    video: Mapped[str] = mapped_column(String(40))
    question: Mapped[str] = mapped_column(String(40))
    rated_by: Mapped[str] = mapped_column(String(16))
    rater: Mapped[str] = mapped_column(String(256))
    said: Mapped[str] = mapped_column(String(8))
    reason: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[datetime] = mapped_column(Utc)

    __table_args__ = (Index("hue_ratings_once", "study_id", "video", "question", "rated_by", "rater", unique=True),)


class HueTaskRow(Table):
    """A reasoner at work on a study: it writes questions, or rates. `document` is a `HueTask`."""

    __tablename__ = "hue_tasks"

    study_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    task: Mapped[str] = mapped_column(String(16), primary_key=True)
    reasoner: Mapped[str] = mapped_column(String(256), primary_key=True)
    state: Mapped[str] = mapped_column(String(16))
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class BlindTestRow(Table):
    """One blind test of two policies; `document` is a `studio.blind_tests.BlindTest` without its counts."""

    __tablename__ = "blind_tests"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class BlindPairRow(Table):
    """What both policies did at a task; the key keeps it from being added twice. `document` is an `AddBlindPair`.

    `place` counts a test's pairs from 1.
    """

    __tablename__ = "blind_pairs"

    test_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    task: Mapped[str] = mapped_column(String(300), primary_key=True)
    place: Mapped[int] = mapped_column(Integer)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class BlindVerdictRow(Table):
    """Which episode of a pair one person found better; the index keeps it from being said twice.

    `document` is a `BlindVerdict`.
    """

    __tablename__ = "blind_verdicts"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    test_id: Mapped[str] = mapped_column(String(12))
    pair: Mapped[int] = mapped_column(Integer)
    rater: Mapped[str] = mapped_column(String(256))
    document: Mapped[dict[str, Any]] = mapped_column(JSON)

    __table_args__ = (Index("blind_verdicts_once", "test_id", "pair", "rater", unique=True),)


class TuningRow(Table):
    """One post-training; `document` is a `studio.tuning.tunings.Tuning`."""

    __tablename__ = "tunings"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(12), unique=True)
    state: Mapped[str] = mapped_column(String(16))
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class TuningStepRow(Table):
    """What was told of a step of it: a `studio.tuning.Stepped`. A step that is done again replaces it."""

    __tablename__ = "tuning_steps"

    tuning_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    step: Mapped[int] = mapped_column(Integer, primary_key=True)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)

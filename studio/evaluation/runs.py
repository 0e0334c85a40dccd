"""Runs: a reasoner's answers to a benchmark, from the first to the last, and what pages are told of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from studio.evaluation.answers import Answer
from studio.evaluation.benchmark import Benchmark, Form, Item, Settings
from studio.evaluation.boundaries import ItemBoundaries
from studio.evaluation.corrections import Correction
from studio.evaluation.judge import Calibration
from studio.evaluation.metrics import MetricFacts
from studio.evaluation.schema import AnnotationSchema
from studio.evaluation.scores import Mark, Measurement
from studio.jobs import Failure
from studio.library import Title
from studio.requests import Adapter, Frozen

RunState = Literal["running", "succeeded", "stopped", "failed"]


class StartRun(Frozen):
    """`POST /v1/runs`.

    Attributes:
        benchmark: its name, for its newest version, or the id of one version.
        reasoner: a checkpoint, or a name of `reasoners.toml`; none takes the default checkpoint. Of a policy's run:
            who drives, in any words; its answers are sent to `POST /v1/runs/{id}/answers`.
            Of a benchmark of requests the checkpoint that makes them.
        adapter: a LoRA adapter that the checkpoint uses for it.
        settings: instead of the benchmark's own, field by field.
        num_items: only so many, from the beginning.
        title: a name for the run; none takes the reasoner's.
    """

    benchmark: str
    reasoner: str | None = None
    adapter: Adapter | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    num_items: Annotated[int, Field(ge=1)] | None = None
    title: Title = ""


class Judging(Frozen):
    """A judge at work on a run: `num_done` of `num_planned` texts have a verdict."""

    judge: str
    num_done: int = 0
    num_planned: int = 0
    error: Failure | None = None


class EvaluationRun(Frozen):
    """`GET /v1/runs/{id}`: a run as it is now.

    Attributes:
        benchmark, benchmark_id, form: what is answered, in which version.
        reasoner, reasoner_title: who answers.
        adapter: that the checkpoint uses for it.
        precision: of the checkpoint's engine; empty of an endpoint.
        version: of Orrery, when the run began.
        settings: whole, the benchmark's and the run's own.
        num_items: that are asked, each `settings.trials` times.
        num_answered, num_failed: so far, of `num_planned`; a failed one has no text.
        spent_s: seconds in which it ran.
        eta_s: until it ends; none where nothing can be said.
        error: why it failed: `POST /v1/runs/{id}/resume` goes on.
        headline: of the metric that models are compared by; none before the first answer.
        judges: who has given verdicts.
        judging: a judge that is at work, or what became of the last one.
    """

    id: str
    title: str
    benchmark: str
    benchmark_id: str
    benchmark_title: str
    form: Form
    reasoner: str
    reasoner_title: str
    adapter: Adapter | None = None
    precision: str = ""
    version: str
    settings: Settings
    num_items: int
    num_planned: int
    num_answered: int = 0
    num_failed: int = 0
    state: RunState = "running"
    created_at: datetime
    spent_s: float = 0.0
    eta_s: float | None = None
    error: Failure | None = None
    headline: Measurement | None = None
    judges: tuple[str, ...] = ()
    judging: Judging | None = None


class RunList(Frozen):
    """`GET /v1/runs`: the newest first."""

    runs: tuple[EvaluationRun, ...]


class MetricList(Frozen):
    """`GET /v1/runs/metrics`: what numbers are called, and which way is better."""

    metrics: tuple[MetricFacts, ...]


class BenchmarkSummary(Frozen):
    """A benchmark without its items.

    Attributes:
        id: of this version: its first twelve digits of the items' hash.
        num_runs: of this version.
    """

    id: str
    name: str
    title: str
    description: str
    form: Form
    settings: Settings
    num_items: int
    num_media: int
    categories: tuple[str, ...]
    created_at: datetime
    num_runs: int = 0


class BenchmarkList(Frozen):
    """`GET /v1/benchmarks`: the newest version of each, the newest first."""

    benchmarks: tuple[BenchmarkSummary, ...]


class StoredBenchmark(BenchmarkSummary):
    """`GET /v1/benchmarks/{id}`: with its items."""

    benchmark: Benchmark


class AnsweredItem(Frozen):
    """An item with what was answered and what that is worth.

    Attributes:
        answers: of all trials so far.
        marks: of each answer.
        correction: that counts; none without one.
        boundaries: in time, of events and intervals.
    """

    item: Item
    answers: tuple[Answer, ...]
    marks: tuple[Mark, ...]
    correction: Correction | None = None
    boundaries: ItemBoundaries | None = None


class AnsweredItems(Frozen):
    """`GET /v1/runs/{id}/answers`: a page of items in their order.

    Attributes:
        total: items that the filters find.
        annotation: the schema of a benchmark of the form "fields".
    """

    items: tuple[AnsweredItem, ...]
    total: int
    next_offset: int | None = None
    annotation: AnnotationSchema | None = None


class GivenAnswers(Frozen):
    """`POST /v1/runs/{id}/answers`: what became of episodes of a policy, each an `EpisodeResult` as text."""

    answers: Annotated[tuple[Answer, ...], Field(min_length=1, max_length=1000)]


class AskVerdicts(Frozen):
    """`POST /v1/runs/{id}/verdicts`: let a judge grade every text that it has not graded.

    Attributes:
        judge: a checkpoint, or a name of `reasoners.toml`.
        anyway: also where it fails on the known pairs.
    """

    judge: str
    anyway: bool = False


class JudgeList(Frozen):
    """`GET /v1/runs/judges`: how judges graded the known pairs."""

    judges: tuple[Calibration, ...]

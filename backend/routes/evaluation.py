"""`/v1/benchmarks` and `/v1/runs`: what a checkpoint can do, measured and kept."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query
from fastapi.responses import StreamingResponse

from backend.errors import documented
from backend.services import UsesBenchmarks, UsesCorrections, UsesJudging, UsesRuns
from studio.errors import (
    BadInput,
    BenchmarkNotFound,
    Busy,
    CheckpointNotFound,
    Conflict,
    DiskFull,
    MediaNotFound,
    RunNotFound,
    StorageError,
)
from studio.evaluation import METRICS, MarkChange, Scores, ScoreTable
from studio.evaluation.corrections import BringCorrections, CorrectionList
from studio.evaluation.curves import CurveList
from studio.evaluation.runs import (
    AnsweredItems,
    AskVerdicts,
    BenchmarkList,
    BenchmarkSummary,
    EvaluationRun,
    GivenAnswers,
    JudgeList,
    Judging,
    MetricList,
    RunList,
    StartRun,
    StoredBenchmark,
)

benchmarks = APIRouter(prefix="/v1/benchmarks", tags=["evaluation"])
router = APIRouter(prefix="/v1/runs", tags=["evaluation"])

BenchmarkId = Annotated[str, Path(examples=["cubes"])]
TimedId = Annotated[str, Path(examples=["moves"])]
RunId = Annotated[str, Path(examples=["7a1f00c3d2e4"])]
PolicyRunId = Annotated[str, Path(examples=["7a1f00c3d2e7"])]
JudgeName = Annotated[str | None, Query(description="whose verdicts count; omitted: the only judge's")]

BENCHMARK = {
    "name": "cubes",
    "title": "Cubes on the table",
    "form": "choice",
    "items": [
        {
            "id": "red",
            "media": ["u0123456789abcdef"],
            "question": "What colour is the cube?",
            "choices": {"A": "red", "B": "blue"},
            "reference": "A",
            "category": "Colour",
        }
    ],
}
ZIP: dict[str, Any] = {"application/zip": {}}
CORRECTED = {"item": "demo_0", "reference": [[0.2, 0.6], [0.6, 1.1]], "by": "ben", "created_at": "2026-11-26T10:00:00Z"}
EPISODE = {
    "answers": [
        {"item": "simulated-table/vague/1000000000", "text": '{"success": true, "lifted": true, "seconds": 2.4}'}
    ]
}
RUN = {"benchmark": "cubes", "settings": {"trials": 2, "temperature": 0.6}}


@benchmarks.get("")
async def list_benchmarks(kept: UsesBenchmarks) -> BenchmarkList:
    """List benchmarks without their items, newest first; of each name the newest version."""
    return await kept.listing()


@benchmarks.post("", status_code=201, responses=documented(BadInput, MediaNotFound, DiskFull, StorageError))
async def add(payload: Annotated[dict[str, Any], Body(examples=[BENCHMARK])], kept: UsesBenchmarks) -> BenchmarkSummary:
    """Add a benchmark. Its media are uploaded first (`POST /v1/media`). Other items are another version of the name."""
    return await kept.add(payload)


@benchmarks.get("/{benchmark_id}", responses=documented(BenchmarkNotFound))
async def get_benchmark(benchmark_id: BenchmarkId, kept: UsesBenchmarks) -> StoredBenchmark:
    """Get a benchmark with its items: a version by its id, or the newest one of a name."""
    return await kept.get(benchmark_id)


@benchmarks.delete("/{benchmark_id}", status_code=204, responses=documented(BenchmarkNotFound, Conflict))
async def remove_benchmark(benchmark_id: BenchmarkId, kept: UsesBenchmarks) -> None:
    """Delete a benchmark that has no runs; its media stay in the library."""
    await kept.remove(benchmark_id)


@benchmarks.post(
    "/{benchmark_id}/corrections", responses=documented(BadInput, BenchmarkNotFound, DiskFull, StorageError)
)
async def bring_corrections(
    benchmark_id: TimedId,
    brought: Annotated[BringCorrections, Body(examples=[{"corrections": [CORRECTED]}])],
    corrections: UsesCorrections,
) -> CorrectionList:
    """Bring in what people have corrected elsewhere, as in `corrections.jsonl` of an exported run. What the same person
    has corrected later here stays.
    """
    return await corrections.bring_in(benchmark_id, brought)


@router.post(
    "",
    status_code=202,
    responses=documented(BadInput, BenchmarkNotFound, CheckpointNotFound, Conflict, Busy, DiskFull, StorageError),
)
async def start(asked: Annotated[StartRun, Body(examples=[RUN])], runs: UsesRuns) -> EvaluationRun:
    """Start a run: a reasoner answers every item, or jobs make it. Answers are kept one by one; a restart continues."""
    return await runs.start(asked)


@router.get("", responses=documented(BadInput, BenchmarkNotFound))
async def list_runs(
    runs: UsesRuns,
    benchmark: Annotated[str | None, Query(description="only runs of this benchmark")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> RunList:
    """List runs, newest first."""
    return await runs.listing(limit, benchmark)


@router.get("/judges")
async def judges(judging: UsesJudging) -> JudgeList:
    """List how judges graded ten pairs whose grade is known."""
    return await judging.listing()


@router.get("/metrics")
async def metrics() -> MetricList:
    """List the metrics: their titles, units, and which way is better."""
    return MetricList(metrics=tuple(METRICS.values()))


@router.get("/table", responses=documented(BadInput, RunNotFound))
async def compare(
    runs: UsesRuns,
    run: Annotated[tuple[str, ...], Query(min_length=1, max_length=32, description="of one benchmark; repeated")],
    metric: Annotated[str | None, Query(description="omitted: the benchmark's first")] = None,
    judge: JudgeName = None,
) -> ScoreTable:
    """Compare runs of one benchmark: categories or fields as rows, runs as columns, the best of each row marked."""
    return await runs.table(run, metric, judge)


@router.get("/curves", responses=documented(BenchmarkNotFound, RunNotFound))
async def curves(
    runs: UsesRuns,
    benchmark: Annotated[str, Query(description="its name, or the id of a version")],
    baseline: Annotated[
        str | None, Query(description="a run; omitted: that of the adapters' checkpoint without an adapter")
    ] = None,
    judge: JudgeName = None,
) -> CurveList:
    """Draw each metric over the saves of a training: the adapters or checkpoints NAME@100, NAME@200 and so on."""
    return await runs.curves(benchmark, baseline, judge)


@router.get("/{run_id}", responses=documented(RunNotFound))
async def get(run_id: RunId, runs: UsesRuns, judging: UsesJudging) -> EvaluationRun:
    """Get a run as it is now."""
    return (await runs.get(run_id)).model_copy(update={"judging": judging.progress(run_id)})


@router.get("/{run_id}/scores", responses=documented(RunNotFound))
async def scores(run_id: RunId, runs: UsesRuns, judge: JudgeName = None) -> Scores:
    """Draw up the scores of the answers so far: overall, by category and by field, with intervals and counts."""
    return await runs.scores(run_id, judge)


@router.get("/{run_id}/answers", responses=documented(RunNotFound))
async def answers(
    run_id: RunId,
    runs: UsesRuns,
    category: Annotated[str, Query(description="only items of this category")] = "",
    state: Annotated[Literal["", "read", "unparsed", "failed"], Query(description="of an answer")] = "",
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> AnsweredItems:
    """Get items with their answers and what each is worth."""
    return await runs.answers(run_id, category=category, state=state, offset=offset, limit=limit)


@router.post("/{run_id}/answers", responses=documented(RunNotFound, BadInput, Conflict, StorageError))
async def give(
    run_id: PolicyRunId, given: Annotated[GivenAnswers, Body(examples=[EPISODE])], runs: UsesRuns
) -> EvaluationRun:
    """Send episodes of a policy's run. They are kept once; with the last one the run has succeeded."""
    return await runs.give(run_id, given.answers)


@router.get("/{run_id}/changes", responses=documented(RunNotFound, BadInput))
async def changes(
    run_id: RunId, runs: UsesRuns, after: Annotated[str, Query(description="another run of the same benchmark")]
) -> tuple[MarkChange, ...]:
    """List the items that changed from this run to another, the most changed first."""
    return await runs.changes(run_id, after)


@router.get(
    "/{run_id}/export", response_class=StreamingResponse, responses=documented(RunNotFound) | {200: {"content": ZIP}}
)
async def export(run_id: RunId, runs: UsesRuns) -> StreamingResponse:
    """Download a run as a zip: its benchmark with media, which `orrery evaluate` runs elsewhere, and its answers."""
    headers = {"content-disposition": f'attachment; filename="run-{run_id}.zip"', "cache-control": "no-store"}
    return StreamingResponse(await runs.export(run_id), media_type="application/zip", headers=headers)


@router.post("/{run_id}/stop", responses=documented(RunNotFound, Conflict))
async def stop(run_id: RunId, runs: UsesRuns) -> EvaluationRun:
    """Stop a run and keep its answers."""
    return await runs.stop(run_id)


@router.post("/{run_id}/resume", status_code=202, responses=documented(RunNotFound, Conflict, Busy))
async def resume(run_id: RunId, runs: UsesRuns) -> EvaluationRun:
    """Resume a stopped or failed run: items without an answer are asked, those that failed again."""
    return await runs.resume(run_id)


@router.post("/{run_id}/verdicts", status_code=202, responses=documented(RunNotFound, BadInput, Conflict))
async def judge(
    run_id: RunId,
    asked: Annotated[AskVerdicts, Body(examples=[{"judge": "speck", "anyway": True}])],
    runs: UsesRuns,
    judging: UsesJudging,
) -> Judging:
    """Let a reasoner grade the run's texts from 1 to 5, after it has graded known pairs. The run says how far it is."""
    return await judging.start(await runs.get(run_id), asked)


@router.delete("/{run_id}", status_code=204, responses=documented(RunNotFound, Conflict))
async def remove(run_id: RunId, runs: UsesRuns) -> None:
    """Delete a run that has ended, with its answers."""
    await runs.remove(run_id)

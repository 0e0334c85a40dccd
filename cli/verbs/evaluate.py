"""`orrery evaluate`: a reasoner answers a benchmark, or a checkpoint makes it, and the scores are printed."""

from __future__ import annotations

import asyncio
import csv
import json
import tempfile
import zipfile
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from cli.attachments import Attachments
from cli.flags import TargetFlags, with_flags
from cli.job_run import counted
from cli.printed import SOME_FAILED, one_line, print_table
from cli.target import connected
from cli.tuning_saves import saves_of
from studio.client import StudioClient
from studio.errors import BadInput
from studio.evaluation import METRICS, Benchmark, Group, Item, Measurement, Scores, TableCell, load_schema, table
from studio.evaluation.boundaries import Times
from studio.evaluation.boundary_layouts import BoundaryLayout
from studio.evaluation.generations import rename_media
from studio.evaluation.layouts import folder_of, read, read_corrections
from studio.evaluation.runs import AskVerdicts, EvaluationRun, RunList, StartRun
from studio.requests import parse_as

POLL_S = 0.5
UPLOADS_AT_ONCE = 4


@with_flags
def evaluate(
    *,
    benchmark: Annotated[
        str | None,
        typer.Argument(metavar="[FOLDER|FILE|NAME]", help="A benchmark on disk, or the name of one on the server."),
    ] = None,
    reasoner: Annotated[
        str | None,
        typer.Option(
            "--reasoner",
            "-r",
            envvar="ORRERY_REASONER",
            metavar="NAME",
            help="A checkpoint, or a name of reasoners.toml [the default checkpoint]",
        ),
    ] = None,
    adapter: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_ADAPTER", metavar="NAME", help="A LoRA adapter that the checkpoint uses."),
    ] = None,
    saves: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_SAVES",
            metavar="NAME",
            help="Every save NAME@STEP of a tuning, one after the other, after the checkpoint that it began with.",
        ),
    ] = None,
    num_items: Annotated[
        int | None,
        typer.Option("--items", envvar="ORRERY_ITEMS", min=1, help="Only so many items, from the beginning."),
    ] = None,
    trials: Annotated[int | None, typer.Option(envvar="ORRERY_TRIALS", min=1, help="Answers to each item.")] = None,
    temperature: Annotated[
        float | None,
        typer.Option(envvar="ORRERY_TEMPERATURE", min=0, max=2, help="0 always takes the most likely token."),
    ] = None,
    fps: Annotated[
        float | None, typer.Option(envvar="ORRERY_FPS", min=0.1, help="Frames per second to sample from videos.")
    ] = None,
    num_frames: Annotated[
        int | None, typer.Option("--frames", envvar="ORRERY_FRAMES", min=1, help="Frames to sample from videos.")
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_SCHEMA", metavar="NAME|FILE", help="Annotation schema of label files [av, for driving]"
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_JUDGE", metavar="NAME", help="Let this reasoner grade texts from 1 to 5."),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_RUN", metavar="ID", help="Resume or print this run, instead of a new one."),
    ] = None,
    boundaries: Annotated[
        Path | None,
        typer.Option(
            envvar="ORRERY_BOUNDARIES",
            metavar="FILE",
            help="Write where timed events begin and end: .json has everything, .zip is for another program.",
        ),
    ] = None,
    layout: Annotated[
        BoundaryLayout,
        typer.Option(envvar="ORRERY_LAYOUT", help="Layout of the .zip; messages are conversations to train on."),
    ] = "mimicgen",
    times: Annotated[
        Times, typer.Option(envvar="ORRERY_TIMES", help="Whose times the .zip has; people correct them on the page.")
    ] = "corrected",
    listed: Annotated[bool, typer.Option("--list", envvar="ORRERY_LIST", help="List benchmarks and runs.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", envvar="ORRERY_OUTPUT", metavar="FILE", help="Write scores as .json or .csv."),
    ] = None,
    target: TargetFlags,
) -> None:
    """Run a benchmark on a reasoner or a generator, wait, and print its scores with 95 % intervals.

    Layouts: benchmark.toml with items.jsonl, conversations (messages), videos/ with metas/*.label.json, blends, LLaVA's
    meta.json, and a run that was exported as a zip. The run continues on the server if this command is stopped. The
    exit status is 1 if an item failed.
    """
    if listed:
        asyncio.run(_list(target))
        return
    if (benchmark is None) == (run is None):
        raise BadInput("Give a benchmark or --run.", param="benchmark", hint="orrery evaluate --list lists both.")
    if output is not None and output.suffix.lower() not in (".json", ".csv"):
        raise BadInput(f"{output} is neither .json nor .csv.", param="output")
    given = {"trials": trials, "temperature": temperature, "fps": fps, "num_frames": num_frames}
    settings = {name: value for name, value in given.items() if value is not None}
    if boundaries is not None and boundaries.suffix.lower() not in (".json", ".zip"):
        raise BadInput(f"{boundaries} is neither .json nor .zip.", param="boundaries")

    one_run = {"--run": run, "--adapter": adapter, "--boundaries": boundaries}
    if saves is not None and (other := next((flag for flag, value in one_run.items() if value is not None), None)):
        raise BadInput(f"{other} is for one run, and --saves starts several.", param="saves")

    async def begun(client: StudioClient) -> AsyncIterator[EvaluationRun]:
        """Each run once the one before it has ended."""
        if run is not None:
            yield await _continued(client, run)
            return
        assert benchmark is not None
        asked = [_Asked(reasoner, adapter)]
        if saves is not None:
            found = await saves_of(client, saves, reasoner)
            asked = [_Asked(found.base, None), *(_Asked(one.reasoner, one.adapter, one.name) for one in found.saves)]
        name = await _sent(client, benchmark, schema)
        said = {"benchmark": name, "settings": settings, "num_items": num_items}
        for one in asked:
            yield await client.evaluation.start(parse_as(StartRun, {**said, **one.fields()}))

    async def act() -> list[_Ended]:
        async with connected(target) as client:
            every = [await _ended(client, one, judge) async for one in begun(client)]
            if boundaries is not None:
                await _save_boundaries(client, every[0].run.id, boundaries, layout, times)
            return every

    every = asyncio.run(act())
    if saves is None:
        _print(*every[0])
    else:
        _print_saves(saves, every)
    if output is not None:
        _write(output, every)
        print(output)
    if boundaries is not None:
        print(boundaries)
    if error := next((one.run.error for one in every if one.run.error is not None), None):
        raise error.error()
    raise typer.Exit(SOME_FAILED if any(one.run.num_failed for one in every) else 0)


class _Asked(NamedTuple):
    """Who runs a benchmark."""

    reasoner: str | None
    adapter: str | None
    title: str = ""

    def fields(self) -> dict[str, object]:
        """Of `StartRun`."""
        worn = None if self.adapter is None else {"name": self.adapter}
        return {"reasoner": self.reasoner, "adapter": worn, "title": self.title}


class _Ended(NamedTuple):
    """A run that has ended, and what its answers are worth."""

    run: EvaluationRun
    scores: Scores


async def _continued(client: StudioClient, run_id: str) -> EvaluationRun:
    """A run as it is, or resumed where something is left to do."""
    run = await client.evaluation.run(run_id)
    is_whole = run.num_answered == run.num_planned and run.form != "generation"
    return run if run.state == "running" or is_whole else await client.evaluation.resume(run_id)


async def _ended(client: StudioClient, begun: EvaluationRun, judge: str | None) -> _Ended:
    print(f"{client.base_url}/evaluate?run={begun.id}")
    run = await _followed(client, begun)
    if judge is not None:
        await client.evaluation.judge(run.id, AskVerdicts(judge=judge))
        run = await _judged(client, run.id)
    return _Ended(run, await client.evaluation.scores(run.id, judge))


async def _list(target: Any) -> None:
    async with connected(target) as client:
        found, runs = await client.evaluation.benchmarks(), await client.evaluation.runs()
    rows = [(one.name, one.form, str(one.num_items), str(one.num_runs), one.title) for one in found.benchmarks]
    print_table(("benchmark", "form", "items", "runs", "title"), rows)
    _print_runs(runs)


def _print_runs(runs: RunList) -> None:
    rows = [
        (one.id, one.benchmark, one_line(one.title), one.state, f"{one.num_answered}/{one.num_planned}")
        for one in runs.runs
    ]
    print_table(("run", "benchmark", "title", "state", "answered"), rows)


async def _sent(client: StudioClient, said: str, schema: str | None) -> str:
    """The id of a benchmark on the server; one on disk is sent with its media. Raises BadInput."""
    path = Path(said).expanduser()
    if not path.exists():
        return said
    if zipfile.is_zipfile(path):
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
            return await _sent(client, folder, schema)
    found = read(path, None if schema is None else load_schema(schema))
    folder = folder_of(path)
    attachments = Attachments(evaluation=True)
    names = {name: attachments.name(str(folder / name), "media") for item in found.items for name in item.media}
    with counted(len(names), "media") as count:
        waiting = iter(set(names.values()))

        async def send() -> None:
            for name in waiting:
                await attachments.send(client, [name])
                count()

        await asyncio.gather(*(send() for _ in range(UPLOADS_AT_ONCE)))
    added = (await client.evaluation.add(_renamed(found, names))).id
    if corrections := read_corrections(folder):
        await client.evaluation.bring_corrections(added, corrections)
    return added


def _renamed(benchmark: Benchmark, names: dict[str, str]) -> Benchmark:
    items = tuple(Item.model_validate(rename_media(item.model_dump(mode="json"), names)) for item in benchmark.items)
    return benchmark.model_copy(update={"items": items})


async def _followed(client: StudioClient, run: EvaluationRun) -> EvaluationRun:
    with counted(run.num_planned, "answers") as count:
        told = 0
        while True:
            for _ in range(run.num_answered + run.num_failed - told):
                count()
            told = run.num_answered + run.num_failed
            if run.state != "running":
                return run
            await asyncio.sleep(POLL_S)
            run = await client.evaluation.run(run.id)


async def _judged(client: StudioClient, run_id: str) -> EvaluationRun:
    while True:
        run = await client.evaluation.run(run_id)
        work = run.judging
        if work is not None and work.error is not None:
            raise work.error.error()
        if work is None or work.num_done >= work.num_planned:
            return run
        await asyncio.sleep(POLL_S)


async def _save_boundaries(client: StudioClient, run_id: str, path: Path, layout: BoundaryLayout, times: Times) -> None:
    if path.suffix.lower() == ".zip":
        await client.evaluation.save_boundaries(run_id, layout, times, path)
        return
    found = await client.evaluation.boundaries(run_id)
    path.write_text(found.model_dump_json(indent=1) + "\n", "utf-8")


def _print(run: EvaluationRun, scores: Scores) -> None:
    """Overall, then by category or field."""
    counts = scores.overall.counts
    print(f"{run.benchmark_title} · {run.reasoner_title} · {run.num_items} items × {run.settings.trials}")
    names = ("answered", "unparsed", "failed", "unanswered", "unjudged")
    print(
        " · ".join(f"{getattr(counts, name)} {name}" for name in names if name == "answered" or getattr(counts, name))
    )
    measured = [one for one in scores.overall.measurements if one.value is not None]
    rows = [(METRICS[one.metric].title, told(one), interval(one), str(one.n)) for one in measured]
    print_table(("metric", "value", "95 %", "n"), rows)
    groups = scores.fields or scores.categories
    if groups:
        print_table(
            ("field" if scores.fields else "category", METRICS[scores.headline].title, "95 %", "n"),
            _rows(groups, scores.headline),
        )


def _print_saves(name: str, every: Sequence[_Ended]) -> None:
    """A row for each run, the best of each metric marked."""
    scores = {one.run.title: one.scores for one in every}
    measured = [one.metric for one in every[0].scores.overall.measurements]
    drawn = {metric: table(scores, metric).rows[-1].cells for metric in measured}
    shown = {metric: cells for metric, cells in drawn.items() if any(cell.best for cell in cells.values())}
    print(f"{every[0].run.benchmark_title} · {name}")
    rows = [(title, *(_cell(cells[title]) for cells in shown.values())) for title in scores]
    print_table(("run", *(METRICS[metric].title for metric in shown)), rows)
    print("* best")


def _cell(cell: TableCell) -> str:
    return "–" if cell.measurement.value is None else f"{told(cell.measurement)}{' *' if cell.best else ''}"


def _rows(groups: Sequence[Group], headline: str) -> list[tuple[str, ...]]:
    """The headline of each group, or by its title what else was measured first."""
    rows: list[tuple[str, ...]] = []
    for group in groups:
        first = next((one for one in group.measurements if one.value is not None), None)
        if first is None:
            rows.append((group.name, "–", "", "0"))
            continue
        baseline = (
            "" if first.baseline is None else f" (always the same: {METRICS[first.metric].written(first.baseline)})"
        )
        title = "" if first.metric == headline else f"{METRICS[first.metric].title} "
        rows.append((group.name, title + told(first) + baseline, interval(first), str(first.n)))
    return rows


def told(one: Measurement) -> str:
    """`74.7 %`; with its standard deviation where there is one."""
    assert one.value is not None
    spread = "" if one.sd is None else f" ± {METRICS[one.metric].written(one.sd)}"
    return f"{METRICS[one.metric].written(one.value)}{spread}"


def interval(one: Measurement) -> str:
    """`64.0 % to 94.8 %`; empty without one."""
    if one.low is None or one.high is None:
        return ""
    return f"{METRICS[one.metric].written(one.low)} to {METRICS[one.metric].written(one.high)}"


def _write(path: Path, every: Sequence[_Ended]) -> None:
    """Everything as JSON, or a row for each group and metric as CSV; of several runs by their titles."""
    one_run = len(every) == 1
    if path.suffix.lower() == ".json":
        whole = {one.run.title: one.scores.model_dump(mode="json") for one in every}
        path.write_text(json.dumps(next(iter(whole.values())) if one_run else whole, indent=1) + "\n", "utf-8")
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        names = ("group", "name", "metric", "value", "low", "high", "sd", "n", "baseline")
        writer.writerow(names if one_run else ("run", *names))
        for run, scores in every:
            writer.writerows(row if one_run else (run.title, *row) for row in _lines(scores))


def _lines(scores: Scores) -> Iterator[tuple[object, ...]]:
    for kind, groups in (("all", [scores.overall]), ("category", scores.categories), ("field", scores.fields)):
        for group in groups:
            for one in group.measurements:
                measured = (one.metric, one.value, one.low, one.high, one.sd, one.n, one.baseline)
                yield (kind, group.name, *measured)

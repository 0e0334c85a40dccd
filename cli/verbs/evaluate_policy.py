"""`orrery evaluate-policy`: a policy drives the simulated arm through seeded tables, and its success is printed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from cli.flags import ForceOption, TargetFlags, with_flags
from cli.job_run import counted
from cli.policy_program import AnswersAfterOption, LevelsOption, ScenesOption, policy_program
from cli.printed import print_table
from cli.target import Target, connected, reached, running_server
from cli.verbs.evaluate import interval, told
from studio.client import StudioClient
from studio.errors import BadInput, Conflict, StudioError
from studio.evaluation import METRICS, Answer, Benchmark, Group, Item, Scores, draw_up
from studio.evaluation.episodes import TABLE, EpisodeResult
from studio.evaluation.layouts.episodes import line_of, read_episodes
from studio.evaluation.runs import EvaluationRun, GivenAnswers, StartRun

POLICY_PATH = "/v1/realtime/robot/openpi"


@with_flags
def evaluate_policy(
    *,
    episodes: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE|FOLDER]", help="An episode_results.jsonl, as RoboLab writes it, to import."),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint",
            "-c",
            envvar="ORRERY_CHECKPOINT",
            metavar="NAME",
            help="The checkpoint that drives [the default checkpoint]",
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_POLICY", metavar="URL", help="A policy server instead, as in ws://127.0.0.1:8000."),
    ] = None,
    scenes: ScenesOption = 20,
    levels: LevelsOption = "vague,default,specific",
    seed: Annotated[int, typer.Option(envvar="ORRERY_SEED", min=0, max=1000, help="Selects the tables.")] = 0,
    answers_after: AnswersAfterOption = None,
    title: Annotated[
        str, typer.Option(envvar="ORRERY_TITLE", metavar="NAME", help="Name of the run [the policy's]")
    ] = "",
    run: Annotated[
        str | None, typer.Option(envvar="ORRERY_RUN", metavar="ID", help="Continue this run, instead of a new one.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", envvar="ORRERY_OUTPUT", metavar="FILE", help="Write episodes as .jsonl."),
    ] = None,
    force: ForceOption = False,
    target: TargetFlags,
) -> None:
    """Let a policy lift objects from the simulated table, and print how often it succeeds.

    Each table is asked for at each level of the instruction, for at most 8 s an episode: in real time, which needs a
    quiet machine, or with --answers-after. The run is kept on the server, where the page Evaluate shows it. Without a
    server, --policy only prints. Settings of the robot program (ORRERY_ROBOT_DECLARE and others) apply.
    """
    if output is not None and output.suffix.lower() != ".jsonl":
        raise BadInput(f"{output} is not .jsonl.", param="output")
    if output is not None and output.exists() and not force:
        raise BadInput(f"{output} exists.", param="output", hint="Use --force to overwrite it.")
    if policy is not None and (checkpoint is not None or not re.match(r"wss?://[^/]+", policy)):
        raise BadInput(f"policy is {policy}; expected ws://host:port, without --checkpoint.", param="policy")
    if episodes is not None:
        asyncio.run(_import(episodes, title, target))
        return
    arguments = [f"--scenes={scenes}", f"--levels={levels}", f"--seed={seed}"]
    if answers_after is not None:
        arguments.append(f"--answers-after={answers_after}")
    asyncio.run(_drive(_Asked(target, checkpoint, policy, arguments, title, run, output)))


@dataclass(frozen=True)
class _Asked:
    target: Target
    checkpoint: str | None
    policy: str | None
    arguments: Sequence[str]
    title: str
    run: str | None
    output: Path | None


@dataclass(frozen=True)
class _Driver:
    """Who drives.

    Attributes:
        name: of the policy.
        url, token: of its websocket.
        client: of the server that keeps the run; none without one.
    """

    name: str
    url: str
    token: str | None
    client: StudioClient | None


@dataclass
class _Progress:
    """A run so far.

    Attributes:
        kept: on the server; none without one.
        answers: to some of the benchmark's items.
    """

    benchmark: Benchmark
    kept: EvaluationRun | None = None
    answers: list[Answer] = field(default_factory=list[Answer])

    @property
    def missing(self) -> list[Item]:
        answered = {answer.item for answer in self.answers}
        return [item for item in self.benchmark.items if item.id not in answered]


async def _drive(asked: _Asked) -> None:
    async with AsyncExitStack() as stack:
        driver = await stack.enter_async_context(_driver(asked))
        program = await stack.enter_async_context(policy_program(driver.url, driver.token, asked.arguments))
        progress = await _begin(asked, driver, program.benchmark)
        try:
            with counted(len(progress.missing), "episodes") as count:
                for item in progress.missing:
                    answer = await program.drive(item)
                    progress.answers.append(answer)
                    _write(asked.output, progress, driver.name)
                    if driver.client is not None and progress.kept is not None:
                        progress.kept = await driver.client.evaluation.give(
                            progress.kept.id, GivenAnswers(answers=(answer,))
                        )
                    count()
        finally:
            if driver.client is not None and progress.kept is not None and progress.kept.state == "running":
                with suppress(StudioError):  # what ended the episodes is told, and the run is there
                    await driver.client.evaluation.stop(progress.kept.id)
    _write(asked.output, progress, driver.name)
    _print(driver.name, draw_up(progress.benchmark, progress.answers))


@asynccontextmanager
async def _driver(asked: _Asked) -> AsyncGenerator[_Driver, None]:
    target = asked.target
    if asked.policy is None:
        async with reached(target, asked.checkpoint) as (client, named):
            listing = await client.checkpoints()
            active = next((one.id for one in listing.checkpoints if one.active), listing.starts_with or "")
            if named is not None and named != active:
                raise Conflict(
                    f"The server's policy is {active}, not {named}.",
                    param="checkpoint",
                    hint=f"Make {named} the default checkpoint first, or stop the server.",
                )
            url = re.sub("^http", "ws", client.base_url) + POLICY_PATH
            yield _Driver(active, url, target.token, client)
    elif running_server(target) is not None:
        async with connected(target) as client:
            yield _Driver(asked.policy, asked.policy, None, client)
    else:
        yield _Driver(asked.policy, asked.policy, None, None)


async def _begin(asked: _Asked, driver: _Driver, benchmark: Benchmark) -> _Progress:
    client = driver.client
    if client is None:
        if asked.run is not None:
            raise BadInput("A run is continued on the server that keeps it; none is running.", param="run")
        return _Progress(benchmark)
    if asked.run is not None:
        return await _continued(client, asked.run)
    kept = await _start(client, benchmark, driver.name, asked.title)
    return _Progress(benchmark, kept)


async def _start(client: StudioClient, benchmark: Benchmark, policy: str, title: str) -> EvaluationRun:
    added = await client.evaluation.add(benchmark)
    kept = await client.evaluation.start(StartRun(benchmark=added.id, reasoner=policy, title=title))
    print(f"{client.base_url}/evaluate?run={kept.id}")
    return kept


async def _continued(client: StudioClient, run_id: str) -> _Progress:
    kept = await client.evaluation.run(run_id)
    if kept.benchmark != TABLE:
        raise BadInput(f"Run {run_id} is of {kept.benchmark}; expected one of {TABLE}.", param="run")
    items: list[Item] = []
    answers: list[Answer] = []
    offset: int | None = 0
    while offset is not None:
        page = await client.evaluation.answers(run_id, offset)
        items += [one.item for one in page.items]
        answers += [answer for one in page.items for answer in one.answers if answer.error is None]
        offset = page.next_offset
    benchmark = Benchmark(name=kept.benchmark, title=kept.benchmark_title, form="policy", items=tuple(items))
    return _Progress(benchmark, kept, answers)


async def _import(path: Path, title: str, target: Target) -> None:
    found = read_episodes(path.expanduser())
    policy = found.policy or title or path.stem
    async with connected(target) as client:
        kept = await _start(client, found.benchmark, policy, title)
        for first in range(0, len(found.answers), 1000):
            await client.evaluation.give(kept.id, GivenAnswers(answers=found.answers[first : first + 1000]))
    _print(policy, draw_up(found.benchmark, found.answers))


def _write(path: Path | None, progress: _Progress, policy: str) -> None:
    """Every episode so far, in the order of the items."""
    if path is None:
        return
    answers = {answer.item: answer for answer in progress.answers}
    lines = [
        line_of(item, EpisodeResult.model_validate_json(answers[item.id].text), policy)
        for item in progress.benchmark.items
        if item.id in answers
    ]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _print(policy: str, scores: Scores) -> None:
    """A row for each level, and for all episodes."""
    measured = [one.metric for one in scores.overall.measurements if one.value is not None]
    print(f"{policy} · {scores.overall.counts.answered} episodes")

    def row(name: str, group: Group) -> list[str]:
        by_metric = {one.metric: one for one in group.measurements if one.value is not None}
        cells = [told(by_metric[metric]) if metric in by_metric else "–" for metric in measured]
        success = by_metric.get(measured[0])
        return [name, *cells[:1], interval(success) if success else "", *cells[1:], str(group.counts.answered)]

    titles = [METRICS[metric].title for metric in measured]
    groups = [*((group.name, group) for group in scores.categories), ("all", scores.overall)]
    print_table(("level", *titles[:1], "95 %", *titles[1:], "n"), [row(name, group) for name, group in groups])

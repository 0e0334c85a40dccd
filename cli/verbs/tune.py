"""`orrery tune`: post-training on clips, conversations or recordings, checked first and followed while it runs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_origin

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from cli.flags import Flags, TargetFlags, model_flags, with_flags
from cli.job_run import counted
from cli.printed import print_table
from cli.target import Target, connected
from studio.client import StudioClient
from studio.errors import BadInput, Conflict
from studio.presets import laid_over
from studio.requests import parse_as
from studio.tuning import GeneratorRecipe, Lora, Optimisation, PolicyRecipe, ReasonerRecipe
from studio.tuning.framework import read_foreign
from studio.tuning.presets import RECIPES, load_recipes, under_preset
from studio.tuning.tunings import OPEN, ResumeTuning, StartTuning, Tuning

POLL_S = 0.5

tune = typer.Typer(
    help="Post-train a checkpoint on your own data: a LoRA adapter, or with --lora 0 a checkpoint of its own.",
    no_args_is_help=True,
)

Sources = Annotated[
    list[str],
    typer.Argument(metavar="DATA…", help="A folder, which is uploaded, or the name of a data set on the server."),
]


@dataclass(frozen=True)
class _Asked:
    """What the three tasks share, as flags say it."""

    checkpoint: str
    output: str
    lora: int | None = None
    preset: str | None = None
    recipe: Path | None = None
    check: bool = False
    evaluate_saves: bool = True


def _option(kind: Any, *names: str, variable: str, help: str, **more: Any) -> Any:
    return Annotated[kind | None, typer.Option(*names, envvar=f"ORRERY_{variable}", help=help, **more)]


def _read_asked(said: dict[str, Any]) -> _Asked:
    given = {name: value for name, value in said.items() if value is not None}
    for name in ("checkpoint", "output"):
        if name not in given:
            raise BadInput(f"--{name} is missing.", param=name)
    return _Asked(**given)


ASKED = Flags(
    {
        "checkpoint": _option(
            str, "--checkpoint", "-c", variable="CHECKPOINT", metavar="NAME", help="Checkpoint to begin with."
        ),
        "output": _option(
            str, "--output", "-o", variable="OUTPUT", metavar="NAME", help="Name of the result; saves are NAME@STEP."
        ),
        "lora": _option(int, "--lora", variable="LORA", min=0, max=256, help="LoRA rank; 0 trains all weights [16]."),
        "preset": _option(
            str, "--preset", variable="PRESET", metavar="NAME", help="A recipe preset; orrery tune recipes lists them."
        ),
        "recipe": _option(
            Path,
            "--recipe",
            variable="RECIPE",
            metavar="FILE",
            help="A TOML file of cosmos-framework or cosmos-rl.",
        ),
        "check": _option(
            bool, "--check/--no-check", variable="CHECK", help="Only check the data and what fits; train nothing."
        ),
        "evaluate_saves": _option(
            bool,
            "--evaluate-saves/--no-evaluate-saves",
            variable="EVALUATE_SAVES",
            help="Compare each save of a generator with what was before, run the benchmarks on a reasoner's, and try a "
            "policy's on simulated tables [yes].",
        ),
    },
    _read_asked,
)
OWN = frozenset({"task", "name", "checkpoint", "data", "lora", "optimisation"})


def _names(model: type[BaseModel]) -> dict[str, str]:
    """The flag of every field that is one number, word or switch, as in `{"batch_size": "batch-size"}`."""
    plain = {
        name
        for name, field in model.model_fields.items()
        if name not in OWN and get_origin(field.annotation) not in (dict, tuple)
    }
    return {name: name.replace("_", "-") for name in model.model_fields if name in plain}


HOW = model_flags(Optimisation, _names(Optimisation))
ADAPTER = model_flags(Lora, {"alpha": "lora-alpha", "layers": "lora-layers"})
Own = dict[str, Any]


@tune.command()
@with_flags
def generator(
    *,
    sources: Sources,
    asked: Annotated[_Asked, ASKED],
    modes: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_MODES", metavar="MODE=SHARE,…", help="As in t2v=1,t2i=1 [t2v=1,i2v=1,v2v=1]."),
    ] = None,
    own: Annotated[Own, model_flags(GeneratorRecipe, _names(GeneratorRecipe))],
    adapter: Annotated[Own, ADAPTER],
    how: Annotated[Own, HOW],
    target: TargetFlags,
) -> None:
    """Train the generator on videos and images with captions; images are the mode t2i."""
    said = _said(own, how, asked.lora, adapter) | ({"modes": _shares(modes)} if modes else {})
    _act("generator", sources, asked, said, target)


@tune.command()
@with_flags
def reasoner(
    *,
    sources: Sources,
    asked: Annotated[_Asked, ASKED],
    benchmark: Annotated[
        list[str] | None,
        typer.Option(envvar="ORRERY_BENCHMARK", metavar="NAME", help="Run this benchmark on every save; repeatable."),
    ] = None,
    own: Annotated[Own, model_flags(ReasonerRecipe, _names(ReasonerRecipe))],
    adapter: Annotated[Own, ADAPTER],
    how: Annotated[Own, HOW],
    target: TargetFlags,
) -> None:
    """Train the reasoner on conversations about videos and images. DATA may be NAME=WEIGHT, to blend several."""
    said = _said(own, how, asked.lora, adapter) | ({"benchmarks": benchmark} if benchmark else {})
    _act("reasoner", sources, asked, said, target)


@tune.command()
@with_flags
def policy(
    *,
    sources: Sources,
    asked: Annotated[_Asked, ASKED],
    own: Annotated[Own, model_flags(PolicyRecipe, _names(PolicyRecipe))],
    adapter: Annotated[Own, ADAPTER],
    how: Annotated[Own, HOW],
    target: TargetFlags,
) -> None:
    """Train the policy on recordings of an arm; the data set "recordings" is the Robot page's."""
    _act("policy", sources, asked, _said(own, how, asked.lora, adapter), target)


@tune.command("list")
@with_flags
def list_tunings(*, target: TargetFlags) -> None:
    """List data sets and tunings."""

    async def act() -> None:
        async with connected(target) as client:
            sets, found = await client.tuning.datasets(), await client.tuning.listing()
        rows = [(one.name, one.layout, str(one.num_files), f"{one.size_bytes / 1e6:.1f} MB") for one in sets.datasets]
        print_table(("data set", "layout", "files", "size"), rows)
        tunings = [
            (one.id, one.name, one.recipe.task, one.state, f"{one.progress.step}/{one.progress.steps}")
            for one in found.tunings
        ]
        print_table(("tuning", "name", "task", "state", "steps"), tunings)

    asyncio.run(act())


@tune.command()
@with_flags
def resume(
    *,
    tuning: Annotated[str, typer.Argument(metavar="ID")],
    how: Annotated[Own, model_flags(ResumeTuning, _names(ResumeTuning))],
    target: TargetFlags,
) -> None:
    """Resume a stopped or failed tuning and follow it; with more --steps, one that has succeeded too."""

    async def act() -> None:
        async with connected(target) as client:
            await _follow(client, await client.tuning.resume(tuning, parse_as(ResumeTuning, how)))

    asyncio.run(act())


@tune.command()
@with_flags
def recipes(*, target: TargetFlags) -> None:
    """List recipe presets."""
    found = load_recipes(target.folder.presets / "tuning").values()
    print_table(("recipe", "task", "title", "source"), [(one.id, one.task, one.title, one.source) for one in found])


def _shares(modes: str) -> dict[str, float]:
    """`t2v=1,t2i=0.5` as numbers. Raises BadInput."""
    pairs = (one.partition("=") for one in modes.split(","))
    try:
        return {mode.strip(): float(share) for mode, _, share in pairs}
    except ValueError:
        raise BadInput(f"{modes} has a mode without a share.", param="modes", hint="As in t2v=1,t2i=0.5.") from None


def _said(
    own: Mapping[str, Any], how: Mapping[str, Any], rank: int | None, adapter: Mapping[str, Any]
) -> dict[str, Any]:
    lora: dict[str, Any] = {**adapter, **({"rank": rank} if rank else {})}
    if rank == 0 and adapter:
        raise BadInput("--lora 0 trains all weights; an adapter's flags were given too.", param="lora")
    said: dict[str, Any] = {**own, **({"optimisation": dict(how)} if how else {})}
    if rank == 0:
        said["lora"] = None
    elif lora:
        said["lora"] = lora
    return said


def _act(task: str, sources: list[str], asked: _Asked, said: dict[str, Any], target: Target) -> None:
    fields = _under(task, said, asked, target)

    async def act() -> None:
        async with connected(target) as client:
            named = [await _sent(client, one) for one in sources]
            if task == "reasoner":
                fields["data"] = [{"data": one, "weight": weight} for one, weight in named]
            elif len(named) == 1:
                fields["data"] = named[0][0]
            else:
                raise BadInput(f"{len(named)} data sets were given; only a reasoner blends several.", param="data")
            own = {"task": task, "name": asked.output, "checkpoint": asked.checkpoint}
            recipe = parse_as(RECIPES[task], {**fields, **own})
            whole = StartTuning(recipe=recipe, evaluates_saves=asked.evaluate_saves)
            if asked.check:
                _report(await _checked(client, await client.tuning.check(whole)))
                return
            begun = await client.tuning.start(whole)
            print(f"{client.base_url}/tune?tuning={begun.id}")
            await _follow(client, begun)

    asyncio.run(act())


def _under(task: str, said: dict[str, Any], asked: _Asked, target: Target) -> dict[str, Any]:
    """What was said, over a preset or a file."""
    file = asked.recipe
    if asked.preset is not None and file is not None:
        raise BadInput("Both --preset and --recipe were given.", param="recipe", hint="Give only one of them.")
    if asked.preset is not None:
        return under_preset(asked.preset, task, said, target.folder.presets / "tuning")
    if file is None:
        return said
    found = read_foreign(file.expanduser())
    if found.task != task:
        raise BadInput(f"{file} trains the {found.task}, not the {task}.", param="recipe")
    for path in found.unmapped:
        print(f"{file.name}: {path} is left out")
    return laid_over(found.fields, said)


async def _sent(client: StudioClient, said: str) -> tuple[str, float]:
    """The name of a data set on the server and its weight; a folder is uploaded under its own name."""
    name, _, weight = said.partition("=")
    try:
        share = float(weight) if weight else 1.0
    except ValueError:
        raise BadInput(f"{said}: {weight} is not a weight.", param="data", hint="As in name=0.3.") from None
    folder = Path(name).expanduser()
    if not folder.is_dir():
        await client.tuning.dataset(name)
        return name, share
    title = re.sub(r"[^A-Za-z0-9._-]+", "-", folder.resolve().name).strip("-.")[:64] or "data"
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not _is_hidden(path.relative_to(folder)))
    if not files:
        raise BadInput(f"{folder} has no files.", param="data")
    with counted(len(files), "files") as count:
        for path in files:
            await client.tuning.send(title, path.relative_to(folder).as_posix(), path)
            count()
    info = await client.tuning.dataset(title)
    print(f"{title}: {info.layout.replace('_', ' ')}, {info.num_files} files{f'. {info.note}' if info.note else ''}")
    return title, share


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


async def _checked(client: StudioClient, tuning: Tuning) -> Tuning:
    while tuning.state in OPEN:
        await asyncio.sleep(POLL_S)
        tuning = await client.tuning.get(tuning.id)
    if tuning.error is not None:
        raise tuning.error.error()
    return tuning


def _report(tuning: Tuning) -> None:
    report = tuning.report
    assert report is not None, "a checked tuning has a report"
    print(f"{report.num_kept} kept, {report.num_trained:,} parameters learn")
    print_table(
        ("left out", "why", "such as"),
        [(str(one.count), one.message, ", ".join(one.examples)) for one in report.dropped],
    )
    for sample in report.samples:
        print(f"{sample.name} · {sample.mode} · {sample.num_tokens} tokens\n  {sample.text}")
    if (memory := report.memory) is not None:
        room = f" of {memory.available / 1e9:.1f} GB" if memory.available is not None else ""
        print(f"memory {memory.total / 1e9:.1f} GB{room}{'' if memory.fits else f': does not fit. {memory.advice}'}")


async def _follow(client: StudioClient, tuning: Tuning) -> None:
    """Count its steps until it ends; Ctrl+C lets it save and end."""
    bars = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    try:
        with bars:
            task = bars.add_task("", total=tuning.progress.steps)
            told: set[int] = set()
            while True:
                _show(bars.update, task, tuning, told)
                if tuning.state not in OPEN:
                    break
                await asyncio.sleep(POLL_S)
                tuning = await client.tuning.get(tuning.id)
    except asyncio.CancelledError:
        with suppress(Conflict):
            await client.tuning.stop(tuning.id)
        print(f"stopping after a save; orrery tune resume {tuning.id} goes on")
        raise
    if tuning.error is not None:
        raise tuning.error.error()
    print(f"{tuning.name}: {tuning.state}, {tuning.progress.step} steps in {tuning.spent_s:.0f} s")


def _show(update: Callable[..., None], task: Any, tuning: Tuning, told: set[int]) -> None:
    progress = tuning.progress
    waits = f"waits for {progress.waits_for}" if progress.waits_for else ""
    loss = f"loss {progress.loss:.4f}" if progress.loss is not None else ""
    said = waits or (f"{progress.doing} {progress.done}/{progress.total}" if progress.doing else loss) or tuning.state
    update(task, completed=progress.step, description=said)
    for save in tuning.saves:
        if save.step not in told:
            told.add(save.step)
            print(f"{save.name} ({save.makes}, {save.size_bytes / 1e6:.1f} MB)")

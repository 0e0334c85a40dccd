"""The commands in one place, and the version."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.adapters import adapters
from cli.ask import ask
from cli.bench import PASSES_ON as BENCH_PASSES_ON
from cli.bench import bench
from cli.caption import caption
from cli.captions_to_jsonl import captions_to_jsonl
from cli.checkpoints import checkpoints
from cli.compare import compare
from cli.control import control
from cli.generate import generate
from cli.jobs import jobs
from cli.library import library
from cli.mcp import mcp
from cli.one_line import OneLineErrors
from cli.prompts_to_json import prompts_to_json
from cli.refine import refine
from cli.refine_study import refine_study
from cli.report_card import report_card
from cli.robot import PASSES_ON, robot
from cli.serve import serve
from cli.upsample import upsample

app = typer.Typer(
    cls=OneLineErrors,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(serve)
app.command()(generate)
app.add_typer(jobs, name="jobs")
app.add_typer(library, name="library")
app.add_typer(checkpoints, name="checkpoints")
app.command()(adapters)
app.command()(compare)
app.command()(control)
app.command()(mcp)
app.command()(ask)
app.command()(upsample)
app.command()(refine)
app.command()(refine_study)
app.command()(caption)
app.command()(captions_to_jsonl)
app.command()(prompts_to_json)
app.command(context_settings=PASSES_ON)(robot)
app.command(context_settings=BENCH_PASSES_ON)(bench)
app.command(context_settings=BENCH_PASSES_ON)(report_card)


@app.callback(invoke_without_command=True)
def orrery(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    """A studio for Cosmos 3 world models. --some-flag of a command is also ORRERY_SOME_FLAG."""
    if version:
        from importlib.metadata import version as installed

        print(f"orrery {installed('orrery')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())

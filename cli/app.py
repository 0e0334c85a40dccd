"""The verbs in one place, each loaded when it is called, and how the command fails: one line, and exit code 2."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import version as installed
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from cli.printed import FAILED, one_line
from studio.errors import StudioError

VERBS: dict[str, str] = {
    "serve": "Start the server and the page.",
    "generate": "Generate images, videos or actions.",
    "jobs": "List, cancel and retry jobs.",
    "library": "Manage results and uploads.",
    "checkpoints": "List, download and verify checkpoints.",
    "adapters": "List LoRA adapters.",
    "compare": "Compare prompts, checkpoints and settings in one grid.",
    "evaluate": "Run a benchmark and print its scores.",
    "evaluate-policy": "Let a policy drive the simulated arm and print how often it succeeds.",
    "blind-test": "Let people judge two policies without knowing which is which.",
    "tune": "Post-train a checkpoint on your own data.",
    "overlay": "Burn timestamps into videos.",
    "control": "Compute the edge, blur, depth or seg control of a video.",
    "mcp": "Run an MCP server that offers the studio's tools to agents.",
    "ask": "Ask the reasoner.",
    "upsample": "Write a structured caption from a prompt.",
    "refine": "Generate, judge and rewrite until a result is good enough.",
    "refine-study": "Measure whether refining helps, over a set of prompts.",
    "caption": "Caption videos.",
    "annotate": "Annotate videos with the fields of a schema.",
    "captions-to-jsonl": "Convert videos and captions to a training file.",
    "prompts-to-json": "Convert inference prompts to the format used in training.",
    "fan": "Plan from one image several times, foresee and rank the plans.",
    "rollout": "Imagine what a policy does and sees, as a video with actions.",
    "round-trip": "Find the actions of a predicted video again and compare.",
    "robot": "Start the robot program for an arm.",
    "bench": "Benchmark the engine against diffusers on this machine.",
    "report-card": "Evaluate a pocket checkpoint on held-out scenes.",
}
"""Each verb is a function or a group of its own name, in `cli.verbs`; those that become another program
are all in `cli.programs`."""

PROGRAMS = ("robot", "bench", "report-card")


class LazyVerbs(Mapping[str, Any]):
    """The verbs as typer's commands. What one imports is not loaded for the others, nor for the list of all."""

    def __getitem__(self, name: str) -> Any:
        if name not in VERBS:
            raise KeyError(name)
        word = name.replace("-", "_")
        module = import_module("cli.programs" if name in PROGRAMS else f"cli.verbs.{word}")
        verb = getattr(module, word)
        plain = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, callback=lambda: None)
        if isinstance(verb, typer.Typer):
            plain.add_typer(verb, name=name)
        else:
            plain.command(name, context_settings=module.PASSES_ON if name in PROGRAMS else None)(verb)
        return cast(TyperGroup, typer.main.get_command(plain)).commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


class Orrery(TyperGroup):
    """The outermost command; typed errors and usage errors end here."""

    def __init__(self, **rest: Any) -> None:
        super().__init__(**rest)
        self.commands = cast(Any, LazyVerbs())

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the verbs without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def main(self, *args: Any, standalone_mode: bool = True, **rest: Any) -> Any:
        """Run, and leave with an exit code in either mode."""
        try:
            code: object = super().main(*args, standalone_mode=False, **rest)
        except StudioError as error:
            print(f"orrery: {one_line(str(error))}", file=sys.stderr)
            sys.exit(FAILED)
        except typer.TyperException as error:
            said = one_line(error.format_message())
            end = "" if said.endswith((".", "?")) else "."
            print(f"orrery: {said}{end} Try orrery --help.", file=sys.stderr)
            sys.exit(FAILED)
        sys.exit(code if isinstance(code, int) else 0)


app = typer.Typer(
    cls=Orrery,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def orrery(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """A studio for NVIDIA's Cosmos 3 world models. Each --some-flag can also be set as ORRERY_SOME_FLAG."""
    if version:
        print(f"orrery {installed('orrery')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())

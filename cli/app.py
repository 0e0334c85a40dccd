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
    "generate": "Make images, videos or actions.",
    "jobs": "What was asked for, and what became of it.",
    "library": "What was made or uploaded.",
    "checkpoints": "What can be named, what of it is here, and whether it is whole.",
    "adapters": "The LoRA adapters that a request may name.",
    "compare": "The same work done in several ways, as one grid.",
    "control": "The outlines or the blur of a video, as a transfer will see them.",
    "mcp": "The studio as tools for an agent that starts this command.",
    "ask": "Ask the reasoner.",
    "upsample": "Write a structured caption from your words.",
    "refine": "Generate, judge and rewrite until it is good enough.",
    "refine-study": "Whether refining helps, over a set of prompts.",
    "caption": "Caption videos.",
    "captions-to-jsonl": "Videos and captions as the file that post-training reads.",
    "prompts-to-json": "Inference prompts in the form that training reads.",
    "robot": "Start the program beside an arm.",
    "bench": "Time the engine against diffusers on this machine.",
    "report-card": "Examine a pocket checkpoint on held-out scenes.",
}
"""Each verb is a function or a group of its own name, in the module of that name; those that become another program
are all in `cli.programs`."""

PROGRAMS = ("robot", "bench", "report-card")


class LazyVerbs(Mapping[str, Any]):
    """The verbs as typer's commands. What one imports is not loaded for the others, nor for the list of all."""

    def __getitem__(self, name: str) -> Any:
        if name not in VERBS:
            raise KeyError(name)
        word = name.replace("-", "_")
        module = import_module("cli.programs" if name in PROGRAMS else f"cli.{word}")
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
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    """A studio for Cosmos 3 world models. --some-flag of a command is also ORRERY_SOME_FLAG."""
    if version:
        print(f"orrery {installed('orrery')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())

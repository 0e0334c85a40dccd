"""`orrery ask`: a question about words, pictures and clips, answered in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.options import DataOption, ServerOption, TokenOption
from cli.request_flags import flag


def ask(
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION...", help="What to ask; several words are joined.")
    ] = None,
    image: Annotated[
        list[str] | None,
        typer.Option(envvar="ORRERY_IMAGE", metavar="FILE", help="A picture to look at; once for each."),
    ] = None,
    video: Annotated[
        list[str] | None, typer.Option(envvar="ORRERY_VIDEO", metavar="FILE", help="A clip to look at; once for each.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_TASK",
            metavar="NAME",
            help="A task with typed results, as in grounding; QUESTION is what it asks for.",
        ),
    ] = None,
    word: Annotated[
        list[str] | None,
        typer.Option(
            envvar="ORRERY_WORD",
            metavar="FIELD=TEXT",
            help="One of several things that the task asks for; once for each.",
        ),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option(envvar="ORRERY_SCHEMA", metavar="FILE", help="A JSON schema that the answer will match."),
    ] = None,
    thinking: Annotated[
        bool | None,
        typer.Option("--thinking/--no-thinking", envvar="ORRERY_THINKING", help="Think before answering."),
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(envvar="ORRERY_MAX_TOKENS", min=1, max=65_536, help="Of the answer [4096].")
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(envvar="ORRERY_TEMPERATURE", min=0, max=2, help="0 always takes the likeliest token [0.7]."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(envvar="ORRERY_SEED", min=0, help="One seed is one answer [3407].")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", envvar="ORRERY_JSON", help="The whole answer as JSON, once it is there.")
    ] = False,
    checkpoint: Annotated[str | None, flag("checkpoint")] = None,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Ask the reasoner; the answer is printed while it comes.

    With --task the answer is read, and what it says is listed; the exit status is 1 when it could not be read.
    """
    from cli.asking import Asked, run_question, run_task
    from cli.target import read_target

    asked = Asked(
        words=" ".join(question or ()),
        images=tuple(image or ()),
        videos=tuple(video or ()),
        thinking=thinking,
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
        as_json=json,
    )
    target = read_target(server, data, token)
    try:
        if task is not None:
            if schema is not None or temperature is not None:
                _refuse("--schema" if schema is not None else "--temperature", "does not go with --task.")
            raise typer.Exit(run_task(task, word or [], asked, target, checkpoint))
        if word:
            _refuse("--word", "goes with --task.")
        run_question(asked, schema.expanduser() if schema else None, target, checkpoint)
    except KeyboardInterrupt:
        print("\norrery: stopped.", file=sys.stderr)
        raise


def _refuse(name: str, why: str) -> None:
    from studio.errors import BadInput

    raise BadInput(f"{name} {why}", param=name.removeprefix("--"))

"""`orrery upsample`: a person's words as the structured caption that the generator was trained on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.options import DataOption, EndpointOption, ModelOption, ServerOption, TokenOption
from cli.request_flags import flag
from studio.requests import KINDS

CAPTIONED = [name for name, kind in KINDS.items() if kind.is_captioned]


def upsample(
    prompt: Annotated[list[str], typer.Argument(metavar="PROMPT...", help="Your words; several are joined.")],
    kind: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_KIND",
            help=f"{', '.join(CAPTIONED)}; without it, a transfer if it has controls, a clip if one of its flags is "
            "set, else a picture.",
        ),
    ] = None,
    size: Annotated[
        str | None, typer.Option(envvar="ORRERY_SIZE", metavar="WIDTHxHEIGHT", help="Canvas, as in 1024x1024.")
    ] = None,
    resolution: Annotated[str | None, flag("resolution")] = None,
    aspect_ratio: Annotated[str | None, flag("aspect_ratio")] = None,
    num_frames: Annotated[str | None, flag("num_frames")] = None,
    fps: Annotated[str | None, flag("fps")] = None,
    start_image: Annotated[str | None, flag("start_image")] = None,
    source_video: Annotated[str | None, flag("source_video")] = None,
    control: Annotated[list[str] | None, flag("controls")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            envvar="ORRERY_OUTPUT",
            metavar="FILE",
            help="Where the caption goes, as one line of JSON; without it, stdout.",
        ),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", envvar="ORRERY_DIFF", help="Show where your words went, and which were lost.")
    ] = False,
    attempts: Annotated[
        int | None,
        typer.Option(envvar="ORRERY_ATTEMPTS", min=1, max=10, help="Answers the endpoint is asked for, at most [3]."),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(envvar="ORRERY_MAX_TOKENS", min=1, max=100_000, help="Of one answer of the endpoint [20000]."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", envvar="ORRERY_FORCE", help="Replace a file that is there.")
    ] = False,
    endpoint: EndpointOption = None,
    model: ModelOption = None,
    checkpoint: Annotated[str | None, flag("checkpoint")] = None,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Write a structured caption from your words: what the generator was trained on, and understands best.

    The server's reasoner does it, or the endpoint that is named. To a terminal the caption is printed with indents,
    elsewhere as the one line that `orrery generate` takes as its prompt.
    """
    from cli.answering import refuse_without_endpoint
    from cli.target import read_target
    from cli.upsampling import by_endpoint, by_server, read_wanted, show_caption
    from cli.word_diff import print_diff

    said: dict[str, str | list[str] | None] = {
        "prompt": " ".join(prompt),
        "resolution": resolution,
        "aspect_ratio": aspect_ratio,
        "num_frames": num_frames,
        "fps": fps,
        "start_image": start_image,
        "source_video": source_video,
        "controls": control or None,
    }
    path = output.expanduser() if output else None
    if path is not None:
        _check(path, force)
    wanted = read_wanted(kind, said, size)
    if endpoint is not None:
        answer = by_endpoint(wanted, endpoint, model, attempts=attempts, max_tokens=max_tokens)
    else:
        refuse_without_endpoint({"--model": model, "--attempts": attempts, "--max-tokens": max_tokens})
        answer = by_server(wanted, read_target(server, data, token), checkpoint)
    show_caption(answer, path)
    if diff:
        print_diff(" ".join(prompt), answer, to_stderr=path is None)


def _check(path: Path, force: bool) -> None:
    """Raises BadInput when the caption cannot go there."""
    from studio.errors import BadInput

    if path.is_dir():
        raise BadInput(f"{path} is a folder; expected the name of a file.", param="output")
    if not path.parent.is_dir():
        raise BadInput(f"The folder {path.parent} of {path.name} is not there.", param="output", hint="Make it first.")
    if path.exists() and not force:
        raise BadInput(f"{path} is there already.", param="output", hint="Give --force, or another name.")

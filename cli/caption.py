"""`orrery caption`: clips in, structured captions and prose out, a folder each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cli.options import DataOption, EndpointOption, ModelOption, ServerOption, TokenOption
from cli.request_flags import flag


def caption(
    clips: Annotated[
        Path,
        typer.Argument(
            metavar="VIDEO|FOLDER|MANIFEST",
            help="A clip, a folder of clips, or a .jsonl file whose lines have a vision_path.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", envvar="ORRERY_OUTPUT", metavar="FOLDER", help="Where each clip gets its folder."
        ),
    ],
    jobs: Annotated[int, typer.Option(envvar="ORRERY_JOBS", min=1, max=256, help="Clips at a time.")] = 16,
    template: Annotated[
        Path | None,
        typer.Option(
            envvar="ORRERY_TEMPLATE", metavar="FILE", help="Other prompts: TOML with analysis, narrative and retry."
        ),
    ] = None,
    attempts: Annotated[
        int, typer.Option(envvar="ORRERY_ATTEMPTS", min=1, max=10, help="Answers asked for in each phase, at most.")
    ] = 3,
    max_tokens: Annotated[
        int | None, typer.Option(envvar="ORRERY_MAX_TOKENS", min=1, max=100_000, help="Of one answer [8192].")
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="ORRERY_DEBUG", help="Keep the answers as they came, beside the captions.")
    ] = False,
    endpoint: EndpointOption = None,
    model: ModelOption = None,
    by_path: Annotated[
        bool,
        typer.Option(
            "--by-path",
            envvar="ORRERY_BY_PATH",
            help="The endpoint reads clips by their paths (vLLM: --allowed-local-media-path); else they are sent.",
        ),
    ] = False,
    checkpoint: Annotated[str | None, flag("checkpoint")] = None,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Caption clips: first what is in each, as data, then the same as prose.

    Every clip gets caption.json, caption.txt and sample_args.json. What is finished is skipped the next time. The exit
    status is 1 when a clip failed.
    """
    from cli.captioning import run_captions
    from cli.target import read_target

    try:
        raise typer.Exit(
            run_captions(
                clips.expanduser(),
                output.expanduser(),
                read_target(server, data, token),
                endpoint=endpoint,
                model=model,
                by_path=by_path,
                checkpoint=checkpoint,
                template=template.expanduser() if template else None,
                jobs=jobs,
                attempts=attempts,
                max_tokens=max_tokens,
                debug=debug,
            )
        )
    except KeyboardInterrupt:
        print("orrery: cancelled; the same command goes on from here.", file=sys.stderr)
        raise

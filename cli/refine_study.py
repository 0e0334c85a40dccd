"""`orrery refine-study`: does the loop help? A prompt set with and without it, in one table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.options import DataOption, ServerOption, TokenOption
from cli.request_flags import flag


def refine_study(
    prompts: Annotated[Path, typer.Argument(metavar="PROMPTS", help="A text file, a prompt on each line.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", envvar="ORRERY_OUTPUT", metavar="FOLDER", help="Kept there, and resumed.")
    ],
    size: Annotated[
        str | None, typer.Option(envvar="ORRERY_SIZE", metavar="WIDTHxHEIGHT", help="Canvas, as in 1024x1024.")
    ] = None,
    resolution: Annotated[str | None, flag("resolution")] = None,
    aspect_ratio: Annotated[str | None, flag("aspect_ratio")] = None,
    steps: Annotated[str | None, flag("sampling.num_inference_steps")] = None,
    seed: Annotated[int, typer.Option(envvar="ORRERY_SEED", min=0, help="Of the first prompt.")] = 0,
    rewrites: Annotated[int, typer.Option(envvar="ORRERY_REWRITES", min=1, max=7, help="At most, in each loop.")] = 2,
    good_enough: Annotated[
        float, typer.Option(envvar="ORRERY_GOOD_ENOUGH", min=0, max=10, help="The score that ends a loop.")
    ] = 9.0,
    checkpoint: Annotated[str | None, flag("checkpoint")] = None,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Make every prompt with and without the refinement loop, and tell by the critic's scores whether it helps.

    The server must be running. Beside each loop as many seeds are made without a rewrite, since the critic's favourite
    of several pictures is never worse than the first. Running the command again goes on where it was stopped.
    `python -m pocket.refine_study` does the same with prompts whose pictures can be checked by rules.
    """
    from cli.refine_studying import study_prompts
    from cli.target import read_target

    fields: dict[str, object] = {
        "resolution": resolution,
        "aspect_ratio": aspect_ratio,
        "sampling.num_inference_steps": steps,
        "checkpoint": checkpoint,
    }
    loop = {"seed": seed, "max_rewrites": rewrites, "good_enough": good_enough}
    study_prompts(prompts, fields, loop, size, output.expanduser(), read_target(server, data, token))

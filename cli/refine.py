"""`orrery refine`: a picture, or a clip from one, generated, judged and rewritten until it is good enough."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.options import DataOption, ServerOption, TokenOption
from cli.request_flags import flag


def refine(
    prompt: Annotated[list[str], typer.Argument(metavar="PROMPT...", help="Your words; several are joined.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", envvar="ORRERY_OUTPUT", metavar="FOLDER", help="Where the best result and the tree go."
        ),
    ] = Path(),
    size: Annotated[
        str | None, typer.Option(envvar="ORRERY_SIZE", metavar="WIDTHxHEIGHT", help="Canvas, as in 1024x1024.")
    ] = None,
    resolution: Annotated[str | None, flag("resolution")] = None,
    aspect_ratio: Annotated[str | None, flag("aspect_ratio")] = None,
    num_frames: Annotated[str | None, flag("num_frames")] = None,
    fps: Annotated[str | None, flag("fps")] = None,
    start_image: Annotated[str | None, flag("start_image")] = None,
    steps: Annotated[str | None, flag("sampling.num_inference_steps")] = None,
    seed: Annotated[str | None, flag("sampling.seed")] = None,
    candidates: Annotated[
        int, typer.Option(envvar="ORRERY_CANDIDATES", min=1, max=8, help="Chains, each with a seed of its own.")
    ] = 1,
    rewrites: Annotated[int, typer.Option(envvar="ORRERY_REWRITES", min=0, max=8, help="At most, in each.")] = 2,
    good_enough: Annotated[
        float, typer.Option(envvar="ORRERY_GOOD_ENOUGH", min=0, max=10, help="The score that ends it.")
    ] = 9.0,
    budget_s: Annotated[
        float | None, typer.Option(envvar="ORRERY_BUDGET_S", help="No rewrite is begun after so many seconds.")
    ] = None,
    budget_tokens: Annotated[
        int | None, typer.Option(envvar="ORRERY_BUDGET_TOKENS", min=1, help="Nor after so many tokens.")
    ] = None,
    checkpoint: Annotated[str | None, flag("checkpoint")] = None,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Generate, let a critic judge, rewrite the prompts, and again; the best result and the tree are saved.

    With --start-image it is a clip that begins with that picture. Stopping the command leaves the loop running.
    """
    from cli.refining import refine_and_save
    from cli.target import read_target

    fields: dict[str, object] = {
        "prompt": " ".join(prompt),
        "resolution": resolution,
        "aspect_ratio": aspect_ratio,
        "num_frames": num_frames,
        "fps": fps,
        "start_image": start_image,
        "sampling.num_inference_steps": steps,
        "sampling.seed": seed,
    }
    loop: dict[str, object] = {
        "num_candidates": candidates,
        "max_rewrites": rewrites,
        "good_enough": good_enough,
        "budget_s": budget_s,
        "budget_tokens": budget_tokens,
    }
    refine_and_save(fields, loop, size, output.expanduser(), read_target(server, data, token), checkpoint)

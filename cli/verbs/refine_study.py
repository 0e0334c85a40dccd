"""`orrery refine-study`: does the loop help? A prompt set with and without it, in one table."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.attachments import Attachments
from cli.batch_folder import BatchFolder
from cli.flags import TargetFlags, model_flags, with_flags
from cli.printed import SOME_FAILED
from cli.request_flags import Said, build_request, request_flags
from cli.target import Target, connected
from studio.errors import BadInput
from studio.refine_study import Plan, Rules, StudyRun
from studio.refine_study.running import REPORT

UNSAID = "a prompt"
"""Stands for the prompts while the other fields are looked at."""


@with_flags
def refine_study(
    prompts: Annotated[Path, typer.Argument(metavar="PROMPTS", help="A text file with one prompt per line.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            envvar="ORRERY_OUTPUT",
            metavar="FOLDER",
            help="Folder of the study; an existing study is resumed.",
        ),
    ],
    said: Annotated[Said, request_flags("resolution", "aspect_ratio", "sampling.num_inference_steps", "checkpoint")],
    loop: Annotated[
        Mapping[str, Any],
        model_flags(Plan, {"seed": "seed", "max_rewrites": "rewrites", "good_enough": "good-enough"}),
    ],
    target: TargetFlags,
) -> None:
    """Run every prompt with and without the refinement loop, and measure by the critic's scores whether it helps.

    The server must be running. For each loop, the same number of seeds runs without a rewrite, since the critic's
    favourite of several images is never worse than the first. Run the command again to continue a stopped study.
    `python -m pocket.refine_study` does the same with prompts whose images can be checked by rules.
    """
    try:
        lines = [line.strip() for line in prompts.read_text("utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise BadInput(f"{prompts} cannot be read: {error}.", param="prompts") from None
    words = tuple(line for line in lines if line)
    if not words:
        raise BadInput(f"{prompts} has no prompts.", param="prompts", hint="Write one prompt per line.")
    request = build_request("generate_image", {"prompt": UNSAID, **said}, Attachments())
    generate = request.model_dump(mode="json", exclude_unset=True, exclude={"prompt"})
    run_study(Plan(prompts=words, generate=generate, **loop), None, output.expanduser(), target)


def run_study(plan: Plan, rules: Rules | None, folder: Path, target: Target) -> None:
    """Run a study, or what is left of it; a line for each prompt, then the report's path.

    Args:
        plan: what is asked.
        rules: what follows prompts by rule; none leaves it to the critic.
        folder: made if it is not there.
        target: the server.

    Raises:
        BadInput: the folder holds another study.
        StudioError: the server cannot be asked.
        typer.Exit: prompts failed, and why is in the report.
    """

    async def run(folder: Path) -> bool:
        study = StudyRun(plan, folder, rules, lambda line: print(line, file=sys.stderr))
        async with connected(target) as client:
            done = await study.run(client)
        return any(trial.error for trial in done.trials)

    with BatchFolder(folder):
        some_failed = asyncio.run(run(folder))
    print(folder / REPORT)
    if some_failed:
        raise typer.Exit(SOME_FAILED)

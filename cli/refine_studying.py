"""A study of the loop, run on a server into a folder."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from cli.batch import SOME_FAILED
from cli.batch_folder import BatchFolder
from cli.request_flags import build_request
from cli.target import Target, connected
from studio.errors import BadInput
from studio.refine_study import Plan, Rules, StudyRun
from studio.refine_study.running import REPORT

UNSAID = "a prompt"
"""Stands for the prompts while the other fields are looked at."""


def study_prompts(
    prompts: Path, fields: Mapping[str, object], loop: Mapping[str, Any], size: str | None, folder: Path, target: Target
) -> None:
    """Study the prompts of a file by the critic alone.

    Args:
        prompts: UTF-8; blank lines are passed over.
        fields: of every picture, by path; none is unsaid.
        loop: `seed`, `max_rewrites` and `good_enough` of the plan.
        folder: made if it is not there.

    Raises:
        BadInput: the file says nothing, a field cannot mean what it says, or the folder holds another study.
        StudioError: the server cannot be asked.
        typer.Exit: prompts failed, and why is in the report.
    """
    try:
        lines = [line.strip() for line in prompts.read_text("utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise BadInput(f"{prompts} cannot be read: {error}.", param="prompts") from None
    words = tuple(line for line in lines if line)
    if not words:
        raise BadInput(f"{prompts} holds no prompts.", param="prompts", hint="Write one on each line.")
    request = build_request("generate_image", {**fields, "prompt": UNSAID}, size)
    generate = request.model_dump(mode="json", exclude_unset=True, exclude={"prompt"})
    run_study(Plan(prompts=words, generate=generate, **loop), None, folder, target)


def run_study(plan: Plan, rules: Rules | None, folder: Path, target: Target) -> None:
    """Run a study, or what is left of it; a line for each prompt, then the report's path.

    Raises:
        as `study_prompts`.
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

"""`orrery fan`: what a policy would do about one image with other seeds or instructions, foreseen and ranked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.attachments import Attachments
from cli.flags import ForceOption, TargetFlags, model_flags, with_flags
from cli.imagined_state import StateOption, state_field
from cli.job_run import counted
from cli.output_files import check_file
from cli.printed import print_table
from cli.target import reached
from studio.client import StudioClient
from studio.errors import Conflict
from studio.fans import Fan, FanRequest
from studio.requests import parse_as

POLL_S = 1.0
FIELDS = {
    name: name.replace("_", "-")
    for name in (
        "num_seeds",
        "embodiment",
        "action_width",
        "num_actions",
        "resolution",
        "fps",
        "checkpoint",
        "cameras",
        "judge",
        "seed",
    )
}
JSON_FILE = "fan.json"


@with_flags
def fan(
    *,
    prompt: Annotated[list[str], typer.Argument(metavar="PROMPT...", help="What is to be done.")],
    start_image: Annotated[
        str,
        typer.Option(envvar="ORRERY_START_IMAGE", metavar="IMAGE", help="What is seen: a file or a library item's id."),
    ],
    said: Annotated[Mapping[str, Any], model_flags(FanRequest, FIELDS, {})],
    instruction: Annotated[
        list[str] | None,
        typer.Option(envvar="ORRERY_INSTRUCTION", help="A branch's own instruction; repeat it. Default: by seeds."),
    ] = None,
    state: StateOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            envvar="ORRERY_OUTPUT",
            metavar="FOLDER",
            help="Gets a video of each branch and fan.json, with actions and paths.",
        ),
    ] = None,
    force: ForceOption = False,
    target: TargetFlags,
) -> None:
    """Let a policy plan from one image several times, foresee each plan, and rank them against the prompt."""
    attachments = Attachments()
    payload = {
        **said,
        "prompt": " ".join(prompt),
        "start_image": attachments.name(start_image, "image"),
        "instructions": instruction or (),
        **state_field(state),
    }
    asked = parse_as(FanRequest, payload)
    folder = output.expanduser() if output is not None else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (JSON_FILE, *(_clip(number) for number in range(len(asked.branches)))):
            check_file(folder / name, force=force)

    async def run() -> None:
        async with reached(target, asked.checkpoint) as (client, _):
            await attachments.send(client)
            found = await _ended(client, asked)
            if folder is not None:
                await _save(client, found, folder)
            _print(found)

    asyncio.run(run())


async def _ended(client: StudioClient, asked: FanRequest) -> Fan:
    """Raises StudioError, why it failed, or Conflict where somebody cancelled it."""
    found = await client.begin_fan(asked)
    try:
        with counted(len(found.branches), "branches") as count:
            while found.state == "running":
                await asyncio.sleep(POLL_S)
                before, found = found, await client.fan(found.id)
                for _ in range(_num_planned(found) - _num_planned(before)):
                    count()
    except asyncio.CancelledError:
        await client.cancel_fan(found.id)
        raise
    if found.error is not None:
        raise found.error.error()
    if found.state == "cancelled":
        raise Conflict(f"Fan {found.id} was cancelled.")
    return found


async def _save(client: StudioClient, found: Fan, folder: Path) -> None:
    for number, branch in enumerate(found.branches):
        assert branch.video is not None, "it has succeeded"
        await client.save_media(branch.video, folder / _clip(number))
    (folder / JSON_FILE).write_text(json.dumps(found.model_dump(mode="json"), indent=1) + "\n")


def _print(found: Fan) -> None:
    order = found.ranking or tuple(range(len(found.branches)))
    rows: list[tuple[str, ...]] = []
    for number in order:
        branch = found.branches[number]
        score = str(branch.score) if branch.score is not None else "-"
        rows.append((str(number), score, str(branch.seed), branch.prompt, branch.reason))
    print_table(("branch", "score", "seed", "instruction", "reason"), rows)
    if found.unranked is not None:
        print(f"Not ranked: {found.unranked.message}")


def _num_planned(found: Fan) -> int:
    return sum(branch.video is not None for branch in found.branches)


def _clip(number: int) -> str:
    return f"branch-{number}.mp4"

"""`orrery rollout`: what a policy would do and see, imagined chunk after chunk, as a video and its actions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.attachments import Attachments
from cli.flags import ForceOption, TargetFlags, model_flags, with_flags
from cli.job_run import counted
from cli.output_files import check_file
from cli.target import reached
from studio.client import StudioClient
from studio.errors import BadInput, Conflict
from studio.requests import parse_as
from studio.rollouts import Rollout, RolloutRequest

POLL_S = 1.0
FIELDS = {
    name: name.replace("_", "-")
    for name in (
        "embodiment",
        "action_width",
        "num_chunks",
        "num_actions",
        "horizon",
        "resolution",
        "fps",
        "checkpoint",
        "dynamics",
        "seed",
    )
}


@with_flags
def rollout(
    *,
    prompt: Annotated[list[str], typer.Argument(metavar="PROMPT...", help="What the policy is to do.")],
    start_image: Annotated[
        str,
        typer.Option(
            envvar="ORRERY_START_IMAGE",
            metavar="IMAGE",
            help="What is seen first: a file or a library item's id.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            envvar="ORRERY_OUTPUT",
            metavar="FILE",
            help="An .mp4 file; its actions go into a .json file beside it.",
        ),
    ],
    said: Annotated[Mapping[str, Any], model_flags(RolloutRequest, FIELDS, {})],
    state: Annotated[
        str | None,
        typer.Option(envvar="ORRERY_STATE", help="The body's state as a JSON list, for embodiments that use it."),
    ] = None,
    force: ForceOption = False,
    target: TargetFlags,
) -> None:
    """Let a policy act in a world that the model predicts: policy, forward dynamics, last frame, policy, and so on."""
    path = output.expanduser()
    if path.suffix.lower() != ".mp4":
        raise BadInput(f"The output is {str(path)!r}; expected an .mp4 file.", param="output")
    for file in (path, path.with_suffix(".json")):
        check_file(file, force=force)
    attachments = Attachments()
    payload = {**said, "prompt": " ".join(prompt), "start_image": attachments.name(start_image, "image")}
    asked = parse_as(RolloutRequest, payload | ({"state": _row(state)} if state is not None else {}))

    async def run() -> None:
        async with reached(target, asked.checkpoint) as (client, _):
            await attachments.send(client)
            await _save(client, await _ended(client, asked), path)

    asyncio.run(run())


async def _ended(client: StudioClient, asked: RolloutRequest) -> Rollout:
    """Raises StudioError, why it failed, or Conflict where somebody cancelled it."""
    found = await client.begin_rollout(asked)
    try:
        with counted(asked.num_chunks, "chunks") as count:
            while found.state == "running":
                await asyncio.sleep(POLL_S)
                before, found = found, await client.rollout(found.id)
                for _ in range(len(found.chunks) - len(before.chunks)):
                    count()
    except asyncio.CancelledError:
        await client.cancel_rollout(found.id)
        raise
    if found.error is not None:
        raise found.error.error()
    if found.state == "cancelled":
        raise Conflict(f"Rollout {found.id} was cancelled.")
    return found


async def _save(client: StudioClient, found: Rollout, path: Path) -> None:
    assert found.video is not None, "it has succeeded"
    await client.save_media(found.video, path)
    about = {"fps": found.request.fps, "actions": found.actions, "chunks": [len(one.actions) for one in found.chunks]}
    path.with_suffix(".json").write_text(json.dumps(about) + "\n")
    print(f"{path}  {len(found.chunks)} chunks  {len(found.actions)} actions")


def _row(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise BadInput(f"The state is {text!r:.80}; expected a JSON list of numbers.", param="state") from None

"""`orrery rollout`: what a policy would do and see, imagined chunk after chunk, as a video and its actions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import typer

from cli.attachments import Attachments
from cli.flags import ForceOption, TargetFlags, model_flags, with_flags
from cli.imagined_state import StateOption, state_field
from cli.job_run import counted
from cli.output_files import check_file
from cli.target import reached
from studio.client import StudioClient
from studio.errors import BadInput, Conflict
from studio.requests import parse_as
from studio.rollouts import Rollout, RolloutRequest, Simulated

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
        "table",
    )
}


@with_flags
def rollout(
    *,
    prompt: Annotated[list[str], typer.Argument(metavar="PROMPT...", help="What the policy is to do.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            envvar="ORRERY_OUTPUT",
            metavar="FILE",
            help="An .mp4 file; actions and errors go into a .json file beside it.",
        ),
    ],
    said: Annotated[Mapping[str, Any], model_flags(RolloutRequest, FIELDS, {})],
    start_image: Annotated[
        str | None,
        typer.Option(
            envvar="ORRERY_START_IMAGE",
            metavar="IMAGE",
            help="What is seen first, unless --table is given: a file or a library item's id.",
        ),
    ] = None,
    state: StateOption = None,
    force: ForceOption = False,
    target: TargetFlags,
) -> None:
    """Let a policy act in a world that the model predicts: policy, forward dynamics, last frame, policy, and so on.

    With --table it begins at a table of the simulated arm, and the same actions are executed there: what its cameras
    see becomes OUTPUT-simulated.mp4, and the .json file has the error of each step.
    """
    path = output.expanduser()
    if path.suffix.lower() != ".mp4":
        raise BadInput(f"The output is {str(path)!r}; expected an .mp4 file.", param="output")
    for file in (path, path.with_suffix(".json"), _simulated(path)):
        check_file(file, force=force)
    attachments = Attachments()
    payload = {**said, "prompt": " ".join(prompt), **state_field(state)}
    if start_image is not None:
        payload["start_image"] = attachments.name(start_image, "image")
    asked = parse_as(RolloutRequest, payload)

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
    chunks = [len(one.actions) for one in found.chunks]
    about: dict[str, Any] = {"fps": found.request.fps, "actions": found.actions, "chunks": chunks}
    lines = [f"{path}  {len(found.chunks)} chunks  {len(found.actions)} actions"]
    if found.simulated is not None:
        await client.save_media(found.simulated.video, _simulated(path))
        about["simulated"] = found.simulated.model_dump(mode="json", include={"errors", "stopped"})
        lines.append(f"{_simulated(path)}  {_mean_error(found.simulated)}")
    path.with_suffix(".json").write_text(json.dumps(about) + "\n")
    print("\n".join(lines))


def _simulated(path: Path) -> Path:
    return path.with_name(f"{path.stem}-simulated.mp4")


def _mean_error(found: Simulated) -> str:
    ours, still = (
        mean(mean(values) for values in column)
        for column in ([one.psnr_db for one in found.errors], [one.still_psnr_db for one in found.errors])
    )
    words = f"{len(found.errors)} steps  {ours:.1f} dB, the first frame {still:.1f} dB"
    return f"{words}  {found.stopped}" if found.stopped else words

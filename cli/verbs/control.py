"""`orrery control`: what a transfer will follow, computed from a clip and looked at before anything is made with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.attachments import Attachments
from cli.flags import ForceOption, TargetFlags, model_flags, with_flags
from cli.output_files import check_file
from cli.target import reached
from studio.client import StudioClient
from studio.errors import BadInput
from studio.requests import parse_as
from studio.requests.transfer_video import ComputeControl
from studio.saving import save_whole

USUAL_HINT = "edge"
FIELDS = {name: name.replace("_", "-") for name in ("hint", "strength", "resolution", "aspect_ratio", "fps")}


@with_flags
def control(
    *,
    video: Annotated[str, typer.Argument(metavar="VIDEO", help="A video file, or the id of a library item.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            envvar="ORRERY_OUTPUT",
            metavar="FILE",
            help="An .mp4 file for the whole control, or a .png file for one frame.",
        ),
    ],
    said: Annotated[Mapping[str, Any], model_flags(ComputeControl, FIELDS, {"hint": USUAL_HINT})],
    at: Annotated[
        float,
        typer.Option(
            envvar="ORRERY_AT", min=0, max=1, help="Which frame to write to a .png: 0 is the first, 1 the last."
        ),
    ] = 0.5,
    force: ForceOption = False,
    target: TargetFlags,
) -> None:
    """Compute the control of a video, as used by a transfer.

    Edges and blur need no model and no GPU. depth and seg are computed by models that `orrery checkpoints pull`
    downloads, beside a loaded checkpoint.
    """
    path = output.expanduser()
    if path.suffix.lower() not in (".mp4", ".png"):
        raise BadInput(
            f"The output is {str(path)!r}; expected an .mp4 file, or a .png file for one frame.", param="output"
        )
    check_file(path, force=force)
    attachments = Attachments()
    asked = parse_as(ComputeControl, {"hint": USUAL_HINT, **said, "source_video": attachments.name(video, "video")})

    async def run() -> None:
        async with reached(target) as (client, _):
            await attachments.send(client)
            await _save(client, asked, at, path)

    asyncio.run(run())


async def _save(client: StudioClient, asked: ComputeControl, at: float, path: Path) -> None:
    if path.suffix.lower() == ".mp4":
        made = await client.compute_control(asked)
        await client.save_media(made, path)
        print(f"{path}  {_called(asked)}  {made.width}x{made.height}  {made.num_frames} frames")
        return
    frame = await client.preview_control(asked, at)

    async def whole() -> AsyncIterator[bytes]:
        yield frame

    await save_whole(path, whole())
    print(f"{path}  {_called(asked)}")


def _called(asked: ComputeControl) -> str:
    return asked.hint if asked.hint in ("depth", "seg") else f"{asked.hint} {asked.strength}"

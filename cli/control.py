"""`orrery control`: what a transfer will follow, computed from a clip and looked at before anything is made with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import DataOption, ServerOption, TokenOption

if TYPE_CHECKING:
    from studio.client import StudioClient
    from studio.controls import ComputeControl


def control(
    video: Annotated[str, typer.Argument(metavar="VIDEO", help="The clip, or the id of something made.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", envvar="ORRERY_OUTPUT", metavar="FILE", help="An .mp4 for all of it, a .png for a frame."
        ),
    ],
    hint: Annotated[str, typer.Option(envvar="ORRERY_HINT", help="edge or blur.")] = "edge",
    strength: Annotated[
        str, typer.Option(envvar="ORRERY_STRENGTH", help="very_low, low, medium, high or very_high.")
    ] = "medium",
    resolution: Annotated[str, typer.Option(envvar="ORRERY_RESOLUTION", help="The tier: 256, 480 or 720.")] = "480",
    aspect_ratio: Annotated[str, typer.Option(envvar="ORRERY_ASPECT_RATIO", help="As in 16:9.")] = "16:9",
    fps: Annotated[str, typer.Option(envvar="ORRERY_FPS", help="Frames per second of the .mp4 (10 to 30).")] = "24",
    at: Annotated[
        float, typer.Option(envvar="ORRERY_AT", min=0, max=1, help="Which frame a .png has: 0 the first, 1 the last.")
    ] = 0.5,
    force: Annotated[
        bool, typer.Option("--force", envvar="ORRERY_FORCE", help="Replace a file that is there.")
    ] = False,
    server: ServerOption = None,
    data: DataOption = None,
    token: TokenOption = None,
) -> None:
    """Compute the outlines or the blur of a clip as a transfer will see them. No model is needed, and no GPU."""
    from cli.attachments import Attachments
    from cli.target import reached, read_target

    path = output.expanduser()
    _check(path, force)
    attachments = Attachments()
    fields = {
        "source_video": attachments.name(video, "video"),
        "hint": hint,
        "strength": strength,
        "resolution": resolution,
        "aspect_ratio": aspect_ratio,
        "fps": fps,
    }
    asked = _read(fields)
    target = read_target(server, data, token)

    async def run() -> None:
        async with reached(target, None) as client:
            await attachments.send(client)
            await _save(client, asked, at, path)

    asyncio.run(run())


async def _save(client: StudioClient, asked: ComputeControl, at: float, path: Path) -> None:
    from studio.saving import save_whole

    if path.suffix.lower() == ".mp4":
        made = await client.compute_control(asked)
        await client.save_media(made, path)
        print(f"{path}  {asked.hint} {asked.strength}  {made.width}x{made.height}  {made.num_frames} frames")
        return
    frame = await client.preview_control(asked, at)

    async def whole() -> AsyncIterator[bytes]:
        yield frame

    await save_whole(path, whole())
    print(f"{path}  {asked.hint} {asked.strength}")


def _check(path: Path, force: bool) -> None:
    """Raises BadInput when the output cannot go there."""
    from studio.errors import BadInput

    if path.suffix.lower() not in (".mp4", ".png"):
        raise BadInput(
            f"The output is {str(path)!r}; a control is an .mp4 file, and a frame of it a .png file.", param="output"
        )
    if not path.parent.is_dir():
        raise BadInput(f"The folder {path.parent} of {path.name} is not there.", param="output", hint="Make it first.")
    if path.exists() and not force:
        raise BadInput(f"{path} is there already.", param="output", hint="Give --force, or another name.")


def _read(fields: Mapping[str, str]) -> ComputeControl:
    from pydantic import ValidationError

    from studio.controls import ComputeControl
    from studio.requests import explain

    try:
        return ComputeControl.model_validate(fields)
    except ValidationError as error:
        raise explain(error, ComputeControl) from None

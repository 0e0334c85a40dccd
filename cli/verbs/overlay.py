"""`orrery overlay`: the time of each frame, burned into a band below it, where a reasoner can read it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.clip_facts import clip_facts
from cli.flags import ForceOption, with_flags
from cli.job_run import counted
from cli.printed import SOME_FAILED, print_table
from studio.captions.caption_files import read_work
from studio.errors import BadInput

if TYPE_CHECKING:
    from PIL.Image import Image

BAND, TEXT = 28, 20
"""Pixels of the band and of its letters at a scale of 1 (cosmos-cookbook, temporal_localization,
add_timestamps_to_all_videos_adaptive.py)."""


@with_flags
def overlay(
    *,
    videos: Annotated[Path, typer.Argument(metavar="VIDEO|FOLDER", help="A video, or a folder of videos.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", envvar="ORRERY_OUTPUT", metavar="FILE|FOLDER", help="An .mp4 file, or a folder."
        ),
    ],
    scale: Annotated[
        float, typer.Option(envvar="ORRERY_SCALE", min=0.5, max=8, help="Size of the band; 1 is 28 pixels.")
    ] = 1.0,
    force: ForceOption = False,
) -> None:
    """Burn timestamps into videos: below each frame its time in seconds, such as 3.25s, white in a black band.

    The frames themselves, their size and rate stay; sound is left out. The exit status is 1 if a video failed.
    """
    videos, output = videos.expanduser(), output.expanduser()
    pairs = list(_pairs(videos, output))
    for _, made in pairs:
        if made.exists() and not force:
            raise BadInput(f"{made} exists.", param="output", hint="Use --force to overwrite it.")
    failed: list[tuple[str, str]] = []
    with counted(len(pairs), "videos") as count:
        for given, made in pairs:
            made.parent.mkdir(parents=True, exist_ok=True)
            try:
                burn_times(given, made, scale)
            except BadInput as error:
                failed.append((given.name, error.message))
            count()
    if failed:
        print_table(("failed", "why"), failed)
    print(f"{output}  {len(pairs) - len(failed)} written, {len(failed)} failed")
    raise typer.Exit(SOME_FAILED if failed else 0)


def burn_times(given: Path, made: Path, scale: float = 1.0) -> int:
    """Write a video with a band of times. Answers the number of frames.

    Args:
        given: any video.
        made: an .mp4 file, H.264; it is whole or not there.
        scale: of band and letters.

    Raises:
        BadInput: the video cannot be read.
    """
    clip_facts(given)  # says what is wrong with it
    import av

    part = made.with_name(f"{made.name}.part")
    try:
        with av.open(str(given)) as source, av.open(str(part), "w", format="mp4") as result:
            num_frames = _copy(source, result, scale)
        part.replace(made)
    finally:
        part.unlink(missing_ok=True)
    return num_frames


def _copy(source: Any, result: Any, scale: float) -> int:
    import av
    import numpy as np

    stream = source.streams.video[0]
    rate = stream.average_rate or Fraction(24)
    out = result.add_stream("libx264", rate=rate, options={"crf": "17"})
    num_frames = 0
    for frame in source.decode(stream):
        picture = with_time(frame.to_image(), f"{float(num_frames / rate):.2f}s", scale)
        if not num_frames:
            out.width, out.height, out.pix_fmt = picture.width, picture.height, "yuv420p"
        result.mux(out.encode(av.VideoFrame.from_ndarray(np.asarray(picture), format="rgb24")))
        num_frames += 1
    result.mux(out.encode(None))
    return num_frames


def with_time(picture: Image, text: str, scale: float) -> Image:
    """A picture above a black band with a text in its middle; both sides are even, as H.264 wants them."""
    from PIL import Image, ImageDraw, ImageFont

    band = round(BAND * scale)
    width, height = picture.width + picture.width % 2, picture.height + band
    whole = Image.new("RGB", (width, height + height % 2))
    whole.paste(picture, (0, 0))
    font = ImageFont.load_default(round(TEXT * scale))
    place = (width / 2, picture.height + band / 2)
    ImageDraw.Draw(whole).text(place, text, fill="white", font=font, anchor="mm")
    return whole


def _pairs(videos: Path, output: Path) -> Iterator[tuple[Path, Path]]:
    """Each video with what becomes of it. Raises BadInput."""
    is_file = output.suffix.lower() == ".mp4"
    if is_file and videos.is_dir():
        raise BadInput(f"{output} is a file's name; {videos} is a folder.", param="output")
    for item in read_work(video=videos):
        yield item.video, output if is_file else output / f"{item.name}.mp4"

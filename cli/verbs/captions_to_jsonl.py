"""`orrery captions-to-jsonl`: clips and their captions as the file that post-training reads."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from cli.clip_facts import probe_clip
from cli.printed import print_table
from studio.captions.training_data import captions_to_jsonl as convert
from studio.captions.training_data import summary_path
from studio.errors import BadInput

NOTHING_KEPT = 1
"""Exit status when the file would be of no use."""


def captions_to_jsonl(
    captions_dir: Annotated[
        Path,
        typer.Option(
            envvar="ORRERY_CAPTIONS_DIR", metavar="FOLDER", help="Folder with one folder of captions per video."
        ),
    ],
    videos_dir: Annotated[
        Path,
        typer.Option(
            envvar="ORRERY_VIDEOS_DIR", metavar="FOLDER", help="Folder of the videos, named like the caption folders."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            envvar="ORRERY_OUTPUT",
            metavar="FILE",
            help="Output .jsonl file; a summary is written to <output>.summary.json.",
        ),
    ],
    num_video_frames: Annotated[
        int,
        typer.Option(
            envvar="ORRERY_NUM_VIDEO_FRAMES",
            min=-1,
            help="Number of frames of the training recipe; -1 uses all frames.",
        ),
    ] = -1,
) -> None:
    """Write the JSONL that post-training reads: one line per video, with paths relative to its folder.

    Videos that the trainer would skip silently are left out and counted: those over 61 s, and those with fewer than
    max(61, --num-video-frames) frames. The exit status is 1 if no video is kept.
    """
    path = output.expanduser()
    folders = captions_dir.expanduser(), videos_dir.expanduser()
    if path.is_dir():
        raise BadInput(f"{path} is a folder; expected the name of a file.", param="output")
    summary = asyncio.run(convert(*folders, path, probe=probe_clip, num_video_frames=num_video_frames))
    if summary.dropped:
        print_table(("dropped", "reason", "what"), [(drop.name, drop.reason, drop.detail) for drop in summary.dropped])
    reasons = ", ".join(f"{reason} {number}" for reason, number in summary.drops_by_reason.items())
    print(
        f"{path}  {summary.records_kept} kept ({summary.records_with_caption_json} with caption_json), "
        f"{summary.records_dropped} dropped{f': {reasons}' if reasons else ''}"
    )
    print(summary_path(path))
    if not summary.records_kept:
        raise typer.Exit(NOTHING_KEPT)

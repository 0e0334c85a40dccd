"""Captions as training and its validation read them (SFT data format): `prompts-to-json` and `captions-to-jsonl`.

A line of the JSONL is a clip:
    {"uuid", "duration", "width", "height", "vision_path", "t2w_windows": [
        {"start_frame": 0, "end_frame": 86, "temporal_interval": 1, "caption_json": {…}, "caption": "…"}]}

What the trainer's loader would skip without a word is dropped here, and counted: clips longer than 61 s, and windows of
fewer than max(61, num_video_frames) frames.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from studio.captions.caption_files import (
    CAPTION,
    NARRATIVE,
    VIDEO_SUFFIXES,
    NotJson,
    make_folder,
    read_object,
    write_text,
)
from studio.captions.controls import VideoFacts
from studio.errors import BadInput, StudioError
from studio.requests import Frozen

LISTING = "video_dataset_file.jsonl"
LISTING_FOLDERS = ("", "train")
"""Where the framework's recipe has the JSONL of its clips: in the data set's folder, or in its training split."""

PROMPT_FOLDERS = ("inference_prompt", "inference_prompt_i2v", "inference_prompt_v2v")


def find_listing(folder: Path) -> Path | None:
    """The JSONL of a data set's clips, if it has one."""
    places = (folder / name / LISTING for name in LISTING_FOLDERS)
    return next((place for place in places if place.is_file()), None)


def file_inside(root: Path, folder: Path, name: str) -> Path | None:
    """The file that a row of a data set names; none where there is none, or it lies outside the data set.

    Args:
        root: folder of the data set.
        folder: that `name` is relative to.
        name: as the row has it. Links in the folder were looked at before (`backend.tuning.datasets`).
    """
    path = Path(os.path.normpath(folder / name))
    inside = path.is_relative_to(os.path.normpath(root))
    return path if inside and os.path.isfile(path) else None


class RewrittenPrompt(Frozen):
    """One prompt file.

    Attributes:
        path: of the file.
        num_characters: of its new prompt.
        changed: whether that is another prompt than before.
        skipped: why the file was left alone; empty when it was not.
    """

    path: str
    num_characters: int = 0
    changed: bool = False
    skipped: str = ""


async def prompts_to_json(
    val_dir: Path, *, captions_dir: Path | None = None, dry_run: bool = False
) -> tuple[RewrittenPrompt, ...]:
    """Put a clip's structured caption, as one line of JSON, into `prompt` of each of its prompt files.

    `<val>/inference_prompt{,_i2v,_v2v}/<episode>.json` takes `<val>/captions/<episode>/caption.json`; every other field
    stays. Doing it again changes nothing.

    Args:
        val_dir: the validation split.
        captions_dir: where the captions lie, instead of `<val>/captions`.
        dry_run: say what would be done, and write nothing.

    Raises:
        BadInput: there are no prompt files.
        StorageError: a file cannot be written; DiskFull, when that is why.
    """
    captions = captions_dir if captions_dir is not None else val_dir / "captions"
    files = [path for name in PROMPT_FOLDERS for path in sorted((val_dir / name).glob("*.json"))]
    if not files:
        raise BadInput(
            f"{val_dir} has no prompt files.",
            param="val_dir",
            hint=f"Expected in {', '.join(PROMPT_FOLDERS)}, one file per episode.",
        )
    return tuple([await _rewrite(path, captions / path.stem / CAPTION, dry_run=dry_run) for path in files])


async def _rewrite(path: Path, caption_path: Path, *, dry_run: bool) -> RewrittenPrompt:
    try:
        if not caption_path.is_file():
            raise NotJson(f"{caption_path} was not found")
        # As training serialises it, and therefore byte for byte what the generator was trained to read.
        prompt = json.dumps(read_object(caption_path))
        record = read_object(path)
    except NotJson as error:
        return RewrittenPrompt(path=str(path), skipped=str(error))
    changed = record.get("prompt") != prompt
    if changed and not dry_run:
        await write_text(path, json.dumps({**record, "prompt": prompt}, indent=4) + "\n")
    return RewrittenPrompt(path=str(path), num_characters=len(prompt), changed=changed)


Probe = Callable[[Path], Awaitable[VideoFacts]]
"""Reads a clip's facts; raises a StudioError when it is none."""

DropReason = Literal[
    "empty_caption",
    "unreadable_caption",
    "missing_video",
    "unreadable_video",
    "duration_too_long",
    "too_few_frames",
]

MAX_DURATION_S = 61.0
MIN_FRAMES = 61
"""Both are the loader's own."""
PROBES_AT_ONCE = 16


class Dropped(Frozen):
    """A clip that training would not see."""

    name: str
    reason: DropReason
    detail: str = ""


class ConversionSummary(Frozen):
    """What `<output>.summary.json` holds."""

    captions_dir: str
    videos_dir: str
    output_jsonl: str
    records_kept: int
    records_with_caption_json: int
    records_dropped: int
    drops_by_reason: dict[DropReason, int]
    dropped: tuple[Dropped, ...]
    filters: dict[str, float]


async def captions_to_jsonl(
    captions_dir: Path, videos_dir: Path, output: Path, *, probe: Probe, num_video_frames: int = -1
) -> ConversionSummary:
    """Write the JSONL and, beside it, `<output>.summary.json`.

    Args:
        captions_dir: a folder a clip, each with `caption.json`, `caption.txt` or both.
        videos_dir: the clips, named like those folders.
        output: the JSONL; paths in it start at its folder, so that the data set can be moved.
        probe: reads a clip's facts.
        num_video_frames: of the training recipe; -1 takes all frames.

    Raises:
        BadInput: a folder is missing, or there are no captions.
        StorageError: the files cannot be written; DiskFull, when that is why.
    """
    for folder, param in ((captions_dir, "captions_dir"), (videos_dir, "videos_dir")):
        if not folder.is_dir():
            raise BadInput(f"{folder} is not a folder.", param=param)
    folders = sorted(folder for folder in captions_dir.iterdir() if _has_caption(folder))
    if not folders:
        raise BadInput(
            f"{captions_dir} has no captions.",
            param="captions_dir",
            hint=f"Expected a {CAPTION} in each video's folder.",
        )
    min_frames = max(MIN_FRAMES, num_video_frames)
    clips = [_in_folders(folder, videos_dir) for folder in folders]
    records, dropped = await _records(clips, output, probe, min_frames=min_frames, max_duration_s=MAX_DURATION_S)
    summary = ConversionSummary(
        captions_dir=str(captions_dir),
        videos_dir=str(videos_dir),
        output_jsonl=str(output),
        records_kept=len(records),
        records_with_caption_json=sum("caption_json" in record["t2w_windows"][0] for record in records),
        records_dropped=len(dropped),
        drops_by_reason=dict(Counter(drop.reason for drop in dropped)),
        dropped=dropped,
        filters={
            "max_duration_s": MAX_DURATION_S,
            "min_window_frames": min_frames,
            "num_video_frames": num_video_frames,
        },
    )
    make_folder(output.parent)
    await write_text(output, "".join(f"{json.dumps(record)}\n" for record in records))
    await write_text(summary_path(output), json.dumps(summary.model_dump(mode="json"), indent=2) + "\n")
    return summary


async def list_clips(videos: Sequence[Path], output: Path, *, probe: Probe) -> tuple[Dropped, ...]:
    """Write the JSONL of clips whose captions lie beside them: `a.mp4` with `a.json`, `a.txt` or both.

    Clips of any length are listed: whoever trains on them leaves out what does not fit, and says so.

    Args:
        videos: the clips.
        output: the JSONL; paths in it start at its folder.
        probe: reads a clip's facts.

    Returns:
        Those that are not listed.

    Raises:
        StorageError: the file cannot be written; DiskFull, when that is why.
    """
    clips = [_Clip(path.stem, path.with_suffix(".json"), path.with_suffix(".txt"), path) for path in videos]
    records, dropped = await _records(clips, output, probe, min_frames=1, max_duration_s=math.inf)
    text = "".join(f"{json.dumps(record)}\n" for record in records)
    if not output.is_file() or output.read_text("utf-8") != text:  # somebody may be reading it
        await write_text(output, text)
    return dropped


@dataclass(frozen=True)
class _Clip:
    """A clip and where its captions would lie.

    Attributes:
        video: none where there is no video of this name.
    """

    name: str
    structured: Path
    dense: Path
    video: Path | None


def _in_folders(folder: Path, videos_dir: Path) -> _Clip:
    videos = (videos_dir / f"{folder.name}{suffix}" for suffix in VIDEO_SUFFIXES)
    video = next((path for path in videos if path.is_file()), None)
    return _Clip(folder.name, folder / CAPTION, folder / NARRATIVE, video)


async def _records(
    clips: Sequence[_Clip], output: Path, probe: Probe, *, min_frames: int, max_duration_s: float
) -> tuple[list[dict[str, Any]], tuple[Dropped, ...]]:
    turn = asyncio.Semaphore(PROBES_AT_ONCE)

    async def convert(clip: _Clip) -> dict[str, Any] | Dropped:
        async with turn:
            return await _record(clip, output, probe, min_frames, max_duration_s)

    outcomes = await asyncio.gather(*(convert(clip) for clip in clips))
    records = [outcome for outcome in outcomes if not isinstance(outcome, Dropped)]
    return records, tuple(outcome for outcome in outcomes if isinstance(outcome, Dropped))


def summary_path(output: Path) -> Path:
    """`train.jsonl` has `train.jsonl.summary.json` beside it."""
    return output.with_name(f"{output.name}.summary.json")


def _has_caption(folder: Path) -> bool:
    return (folder / CAPTION).is_file() or (folder / NARRATIVE).is_file()


async def _record(
    clip: _Clip, output: Path, probe: Probe, min_frames: int, max_duration_s: float
) -> dict[str, Any] | Dropped:
    name = clip.name
    structured, dense, fault = _captions(clip)
    if structured is None and not dense:
        return Dropped(name=name, reason="unreadable_caption" if fault else "empty_caption", detail=fault)
    if clip.video is None:
        return Dropped(name=name, reason="missing_video", detail=f"no video named {name}")
    try:
        facts = await probe(clip.video)
    except StudioError as error:
        return Dropped(name=name, reason="unreadable_video", detail=error.message)
    if facts.duration_s > max_duration_s:
        return Dropped(name=name, reason="duration_too_long", detail=f"{facts.duration_s:.1f} s")
    if facts.num_frames < min_frames:
        return Dropped(name=name, reason="too_few_frames", detail=f"{facts.num_frames} frames")
    window: dict[str, Any] = {"start_frame": 0, "end_frame": facts.num_frames - 1, "temporal_interval": 1}
    if structured is not None:
        window["caption_json"] = structured
    if dense:
        window["caption"] = dense
    return {
        "uuid": name,
        "duration": facts.duration_s,
        "width": facts.width,
        "height": facts.height,
        "vision_path": os.path.relpath(clip.video, start=output.parent),
        "t2w_windows": [window],
    }


def _captions(clip: _Clip) -> tuple[dict[str, Any] | None, str, str]:
    """The structured caption, the dense one, and what is wrong with either; each stands in for the other."""
    structured: dict[str, Any] | None = None
    dense = fault = ""
    if clip.structured.is_file():
        try:
            structured = read_object(clip.structured) or None
        except NotJson as error:
            fault = str(error)
    if clip.dense.is_file():
        try:
            dense = clip.dense.read_text(encoding="utf-8").strip()
        except OSError as error:
            fault = f"{clip.dense.name} cannot be read: {error.strerror or error}"
        except UnicodeDecodeError:
            fault = f"{clip.dense.name} is not UTF-8 text"
    if not dense and structured is not None:
        narrative = structured.get("temporal_caption")
        dense = narrative.strip() if isinstance(narrative, str) else ""
    return structured, dense, fault

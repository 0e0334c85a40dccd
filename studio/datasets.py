"""Data sets on a server: which layout a folder has, and what can be trained on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, cast

from studio.captions.caption_files import VIDEO_SUFFIXES
from studio.captions.training_data import LISTING, LISTING_FOLDERS
from studio.evaluation.layouts.exchanges import conversations_file
from studio.evaluation.layouts.labels import holds_labels
from studio.evaluation.layouts.messages import holds_messages
from studio.requests import Frozen
from studio.tuning.recipes import Name

DatasetLayout = Literal["clips_listed", "clips", "messages", "llava", "labels", "lerobot", "unknown"]
"""A list of clips (`video_dataset_file.jsonl`); clips with captions beside them; conversations in messages or as LLaVA
has them; videos with label files; recordings of an arm; none of these."""

DatasetPlace = Literal["uploaded", "server", "recordings"]

MADE_HERE = ".listing-made-from-captions"
"""Beside a list of clips that was made from the captions beside them."""

MAX_ROW_BYTES = 1 << 20

TASKS: dict[DatasetLayout, tuple[str, ...]] = {
    "clips_listed": ("generator",),
    "clips": ("generator",),
    "messages": ("reasoner",),
    "llava": ("reasoner",),
    "labels": ("reasoner",),
    "lerobot": ("policy",),
    "unknown": (),
}
"""What can be trained on each layout."""


CAPTION_SUFFIXES = (".json", ".txt")
"""Of `clip.json` (structured) and `clip.txt` beside `clip.mp4`."""


class Captioning(Frozen):
    """How far the captions of a data set are.

    Attributes:
        done: of `total` videos, `failed` of them without a caption.
        is_open: whether more are being written.
        reason: why the last one failed, or why it ended early.
    """

    total: int
    done: int = 0
    failed: int = 0
    is_open: bool = True
    reason: str = ""


class CaptionDataset(Frozen):
    """`POST /v1/datasets/{name}/captions`: captions for its videos that have none.

    Attributes:
        by: a reasoner writes them, or the files' names are taken for them.
        into: the data set that gets them; none is the same, or of one that is only read NAME-captioned.
        reasoner: who writes; none is the default checkpoint's.
        adapter: that it wears.
    """

    by: Literal["reasoner", "names"]
    into: Name | None = None
    reasoner: str | None = None
    adapter: str | None = None


class DatasetInfo(Frozen):
    """A data set of a server.

    Attributes:
        place: uploaded here; a folder of the one that the server was started with; or the robot's recordings.
        layout: as its files say.
        tasks: that can be trained on it.
        num_files, size_bytes: of all its files.
        num_clips: of the layout "clips"; `num_uncaptioned` of them have no caption and are not trained on.
        note: what is missing and what to do, for a person.
        captioning: since the server started.
    """

    name: str
    place: DatasetPlace = "uploaded"
    layout: DatasetLayout
    tasks: tuple[str, ...] = ()
    num_files: int
    size_bytes: int
    num_clips: int = 0
    num_uncaptioned: int = 0
    note: str = ""
    captioning: Captioning | None = None


class DatasetList(Frozen):
    """`GET /v1/datasets`: by name."""

    datasets: tuple[DatasetInfo, ...]


class KeptFile(Frozen):
    """`PUT /v1/datasets/{name}/files/{path}`: a file as it was kept."""

    path: str
    size_bytes: int


def detect(folder: Path) -> DatasetLayout:
    """The layout of a folder, by the files that each has and no other."""
    if (folder / "meta" / "info.json").is_file():
        return "lerobot"
    if listing_of(folder) is not None:
        return "clips_listed"
    if holds_labels(folder):
        return "labels"
    file = conversations_file(folder)
    fields: dict[str, Any] = {} if file is None else _first_row(file)
    if holds_messages(fields):
        return "messages"
    if "conversations" in fields:
        return "llava"
    return "clips" if next(clips_of(folder), None) is not None else "unknown"


def listing_of(folder: Path) -> Path | None:
    """The list of clips that came with a data set; one that was made here from captions does not count."""
    places = (folder / name / LISTING for name in LISTING_FOLDERS)
    return next((place for place in places if place.is_file() and not made_here(place)), None)


def made_here(listing: Path) -> bool:
    """Whether a list of clips was made from the captions beside them, and is made anew when they change."""
    return listing.with_name(MADE_HERE).is_file()


def clips_of(folder: Path) -> Iterator[Path]:
    """Every video below a folder, in no order."""
    return (path for path in folder.rglob("*") if path.suffix.lower() in VIDEO_SUFFIXES and path.is_file())


def describe(folder: Path, name: str, place: DatasetPlace) -> DatasetInfo:
    """What there is to say of a data set's folder."""
    own = folder / LISTING if made_here(folder / LISTING) else None
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".") and path != own]
    layout = detect(folder)
    num_clips = num_uncaptioned = 0
    if layout == "clips":
        clips = list(clips_of(folder))
        num_clips = len(clips)
        num_uncaptioned = sum(not has_caption(clip) for clip in clips)
    return DatasetInfo(
        name=name,
        place=place,
        layout=layout,
        tasks=TASKS[layout],
        num_files=len(files),
        size_bytes=sum(path.stat().st_size for path in files),
        num_clips=num_clips,
        num_uncaptioned=num_uncaptioned,
        note=_note(layout, num_clips, num_uncaptioned, len(files)),
    )


def has_caption(clip: Path) -> bool:
    """Whether `clip.json` or `clip.txt` lies beside `clip.mp4`."""
    return any(clip.with_suffix(suffix).is_file() for suffix in CAPTION_SUFFIXES)


def _note(layout: DatasetLayout, num_clips: int, num_uncaptioned: int, num_files: int) -> str:
    if not num_files:
        return "It has no files yet."
    if layout == "unknown":
        return (
            f"It has no known layout. Expected videos with captions beside them (a.mp4, a.json or a.txt), {LISTING}, "
            "one .json or .jsonl file of conversations, videos/ with metas/*.label.json, or a LeRobot data set "
            "(meta/info.json)."
        )
    if num_uncaptioned:
        return (
            f"{num_uncaptioned} of {num_clips} videos have no caption and are left out. Have the reasoner "
            "write captions, put a .txt file with the same name beside each video, or use the files' names."
        )
    return ""


def _first_row(file: Path) -> dict[str, Any]:
    """The first object of a file of rows; nothing of any other file. What follows it may be cut off."""
    try:
        with file.open("rb") as opened:
            head = opened.read(MAX_ROW_BYTES).decode(errors="ignore").lstrip()
        value: object = json.JSONDecoder().raw_decode(head.removeprefix("[").lstrip())[0]
    except (OSError, ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}

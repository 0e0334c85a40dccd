"""Where the files of a LeRobot v3 data set lie, and how one is replaced whole. One file of each kind an episode."""

from __future__ import annotations

import os
from pathlib import Path

CHUNK_SIZE = 1000
DATA_PATH = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO_PATH = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
EPISODES_PATH = "meta/episodes/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"

INFO = Path("meta/info.json")
STATS = Path("meta/stats.json")
TASKS = Path("meta/tasks.parquet")
NOTES = Path("meta/orrery")
STAGING = Path(".recording")


def place(index: int) -> dict[str, int]:
    """Chunk and file of an episode: 1002 lies in chunk 1, file 2."""
    return {"chunk_index": index // CHUNK_SIZE, "file_index": index % CHUNK_SIZE}


def data_file(index: int) -> Path:
    """Of an episode, inside the data set."""
    return Path(DATA_PATH.format(**place(index)))


def video_file(name: str, index: int) -> Path:
    """Of one view of an episode."""
    return Path(VIDEO_PATH.format(video_key=name, **place(index)))


def episode_file(index: int) -> Path:
    """What makes an episode part of the data set."""
    return Path(EPISODES_PATH.format(**place(index)))


def notes_file(index: int) -> Path:
    """What we alone know of an episode: its run, its events, how it ended, and whether it worked."""
    return NOTES / f"episode-{index:06d}.json"


def foresight_file(name: str, index: int) -> Path:
    """What was foreseen in an episode (`robot.recording.foresight_track`): not there where nothing was."""
    return NOTES / f"episode-{index:06d}-{name}"


def put(source: Path, target: Path) -> None:
    """Move a written file to its place, so that it is there whole or not at all, even after a power cut."""
    target.parent.mkdir(parents=True, exist_ok=True)
    _sync(source)
    source.replace(target)
    _sync(target.parent)


def put_text(text: str, target: Path) -> None:
    """Write a small file in the same way."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.new")
    draft.write_text(text)
    put(draft, target)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

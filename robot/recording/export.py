"""A data set as one file to take away: a tar of the LeRobot v3 folder, written while it is sent."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from robot.faults import BrokenEpisode
from robot.recording import layout
from robot.recording.features import VIDEOS
from robot.recording.foresight_track import FORESIGHT_FILES

PIECE_BYTES = 256 * 1024

_TOTALS = (layout.INFO, layout.STATS, layout.TASKS)


def tar_pieces(folder: Path, name: str = "recordings") -> Iterator[bytes]:
    """The tar, in pieces of 256 KiB at most, every file under a folder `name`.

    What follows from the episodes (totals, statistics, tasks) is read first, and as many episodes are packed as it
    counts: one that is finished meanwhile is left out whole.

    Raises:
        BrokenEpisode: nothing was recorded, or a file cannot be read.
    """
    try:
        totals = {path: (folder / path).read_bytes() for path in _TOTALS}
        num_episodes = _num_episodes(totals[layout.INFO])
    except (OSError, ValueError, KeyError) as error:
        raise BrokenEpisode(f"There is nothing in {folder} to export: {error}.", param="recordings") from None
    if num_episodes < 1:
        raise BrokenEpisode(f"There is nothing in {folder} to export yet.", hint="Record a run first.")
    return _pieces(folder, name, totals, num_episodes)


def _pieces(folder: Path, name: str, totals: dict[Path, bytes], num_episodes: int) -> Iterator[bytes]:
    tray = io.BytesIO()

    def taken() -> bytes:
        found = tray.getvalue()
        tray.seek(0)
        tray.truncate()
        return found

    try:
        with tarfile.open(fileobj=tray, mode="w|", format=tarfile.PAX_FORMAT, bufsize=PIECE_BYTES) as tar:
            for path, content in totals.items():
                entry = tarfile.TarInfo(f"{name}/{path}")
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
            for path in _episode_files(num_episodes):
                if (folder / path).exists() or path.parent != layout.NOTES:
                    tar.add(folder / path, f"{name}/{path}", recursive=False, filter=_without_owner)
                yield taken()
        yield taken()
    except OSError as error:
        raise BrokenEpisode(f"The recordings in {folder} cannot be read: {error.strerror or error}.") from None


def _num_episodes(info: bytes) -> int:
    return int(cast("dict[str, Any]", json.loads(info))["total_episodes"])


def _episode_files(num_episodes: int) -> Iterator[Path]:
    for index in range(num_episodes):
        yield layout.episode_file(index)
        yield layout.data_file(index)
        yield layout.notes_file(index)
        for view in VIDEOS:
            yield layout.video_file(view, index)
        for name in FORESIGHT_FILES:
            yield layout.foresight_file(name, index)


def _without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry

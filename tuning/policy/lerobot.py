"""Data sets of LeRobot, v2.0 and v2.1 (a file an episode) and v3 (many episodes in a file), as episodes.

v2.1 lists episodes in `meta/episodes.jsonl`, v3 in `meta/episodes/*/*.parquet`, with the files in which each lies and
where in a video it begins. Source: huggingface/lerobot, `datasets/utils.py` of both versions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from robot.faults import BrokenEpisode
from robot.recording.layout import notes_file
from robot.recording.parquet import read_arrays, read_columns
from studio.errors import BadInput

INFO = Path("meta/info.json")
EPISODES = Path("meta/episodes.jsonl")
KEEP_RANGES = Path("meta/keep_ranges.json")
"""{"3": [[0, 120], [200, 260]]}: frames of an episode that are trained on, the last one of each pair left out."""

SUCCESS = "is_episode_successful"
"""A column of DROID's data set in LeRobot's format (huggingface.co/datasets/lerobot/droid_1.0.1)."""

PICTURES = ("video", "image")
_FIELD = re.compile(r"\{(\w+)(?::0(\d)d)?\}")


@dataclass(frozen=True)
class ViewFile:
    """Where one view of an episode lies.

    Attributes:
        path: of the video.
        begins_s: when the episode begins in it.
    """

    path: Path
    begins_s: float = 0.0


@dataclass(frozen=True)
class Episode:
    """One recording.

    Attributes:
        task: the instruction.
        columns: float64 [n, width] of each column that was asked for and is there.
        views: by the names of the features.
        success: what is known of it.
        keeps: ranges of frames that are trained on, the last of each left out; none of a set that says nothing.
        watched: the policy only watched (the Robot page's mode "shadow"), so that no action is known.
        data: the file of its columns.
    """

    index: int
    task: str
    length: int
    columns: Mapping[str, NDArray[np.float64]]
    views: Mapping[str, ViewFile]
    data: Path
    success: bool | None = None
    keeps: tuple[tuple[int, int], ...] | None = None
    watched: bool = False


@dataclass
class LeRobotSet:
    """A data set.

    Attributes:
        features: by name, each with `dtype` and `shape`.
        fps: rows a second.
        lines: of its episodes.
    """

    folder: Path
    info: dict[str, Any]
    features: dict[str, dict[str, Any]]
    fps: float
    lines: list[dict[str, Any]]
    keep_ranges: dict[str, Any] | None
    _read: tuple[Path, dict[str, NDArray[np.float64]]] | None = field(default=None, repr=False)

    @property
    def pictures(self) -> tuple[str, ...]:
        """Features that are views."""
        return tuple(name for name, feature in self.features.items() if feature.get("dtype") in PICTURES)

    def width(self, name: str) -> int:
        """Values of a column in each row."""
        shape = self.features[name].get("shape") or [1]
        return int(np.prod([int(size) for size in shape]))

    def video_fps(self, name: str) -> float:
        """Frames a second of a view, as far as the set says it."""
        said: dict[str, Any] = {**(self.features[name].get("video_info") or {}), **(self.features[name].get("info") or {})}
        return float(said.get("video.fps", self.fps))

    def episode(self, line: Mapping[str, Any], columns: Sequence[str], views: Sequence[str]) -> Episode:
        """The episode of a line.

        Raises:
            BrokenEpisode: a file of it cannot be read, or has other rows than the line says.
            BadInput: its files lie outside the data set.
        """
        index, length = int(line["episode_index"]), int(line["length"])
        data = self._path("data_path", line, "data")
        read = self._rows(data, [*columns, SUCCESS, "episode_index"])
        places = np.flatnonzero(read["episode_index"][:, 0] == index) if "episode_index" in read else np.arange(length)
        own = {name: values[places] for name, values in read.items()}
        if len(places) != length:
            raise BrokenEpisode(f"Episode {index} has {len(places)} rows; the list says {length}.")
        notes = self._notes(index)
        found = own.pop(SUCCESS, None)
        success = bool(found.all()) if found is not None else notes.get("success")
        tasks = line.get("tasks") or [""]
        return Episode(
            index=index,
            task=str(tasks[0]),
            length=length,
            columns={name: own[name] for name in columns if name in own},
            views={
                name: ViewFile(
                    self._path("video_path", line, f"videos/{name}", video_key=name),
                    float(line.get(f"videos/{name}/from_timestamp") or 0.0),
                )
                for name in views
            },
            data=data,
            success=success if isinstance(success, bool) else None,
            keeps=self._keeps(index),
            watched=isinstance(run := notes.get("run"), dict) and run.get("mode") == "shadow",
        )

    def _rows(self, path: Path, names: Sequence[str]) -> dict[str, NDArray[np.float64]]:
        """Columns of a file; those of the last one are kept, since episodes follow each other in it."""
        if self._read is None or self._read[0] != path:
            self._read = path, read_arrays(path, names)
        return self._read[1]

    def _path(self, template: str, line: Mapping[str, Any], where: str, **known: Any) -> Path:
        index = int(line["episode_index"])
        values = {
            "episode_index": index,
            "episode_chunk": index // int(self.info.get("chunks_size") or 1000),
            "chunk_index": line.get(f"{where}/chunk_index", 0),
            "file_index": line.get(f"{where}/file_index", 0),
            **known,
        }

        def filled(match: re.Match[str]) -> str:
            value = values.get(match[1], "")
            return f"{int(value):0{match[2]}d}" if match[2] else str(value)

        path = self.folder / _FIELD.sub(filled, str(self.info.get(template, "")))
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise BadInput(f"{INFO}: {template} leads out of the data set.", param="data")
        return path

    def _notes(self, index: int) -> dict[str, Any]:
        """What the Robot page knows of an episode; nothing of a foreign one."""
        path = self.folder / notes_file(index)
        return _object(path) if path.is_file() else {}

    def _keeps(self, index: int) -> tuple[tuple[int, int], ...] | None:
        if self.keep_ranges is None:
            return None
        return tuple((int(first), int(end)) for first, end in self.keep_ranges.get(str(index), ()))


def open_set(folder: Path) -> LeRobotSet:
    """Read what a data set says of itself.

    Raises:
        BadInput: it is no data set of LeRobot v2 or v3, or has no episodes.
    """
    info = _object(folder / INFO)
    version = str(info.get("codebase_version", ""))
    if not version.startswith(("v2.", "v3.")):
        raise BadInput(
            f"The data set is of LeRobot {version or 'of no version'}; expected v2.0, v2.1 or v3.0.",
            param="data",
            hint="Convert it with LeRobot.",
        )
    features, fps = info.get("features"), info.get("fps")
    if not isinstance(features, dict) or not isinstance(fps, int | float) or fps <= 0:
        raise BadInput(f"{INFO} has no features or no fps.", param="data")
    try:
        lines = [*_lines_of_v3(folder)] if version.startswith("v3.") else [*_lines_of_v2(folder)]
    except (BrokenEpisode, OSError, ValueError) as error:
        raise BadInput(f"The list of episodes cannot be read: {error}", param="data") from None
    whole = [line for line in lines if "episode_index" in line and "length" in line]
    if not whole:
        raise BadInput("The data set has no episodes.", param="data", hint="Record a run first.")
    keep = folder / KEEP_RANGES
    return LeRobotSet(
        folder=folder,
        info=info,
        features=cast("dict[str, dict[str, Any]]", features),
        fps=float(fps),
        lines=sorted(whole, key=lambda line: int(line["episode_index"])),
        keep_ranges=_object(keep) if keep.is_file() else None,
    )


def _lines_of_v2(folder: Path) -> Iterator[dict[str, Any]]:
    for line in (folder / EPISODES).read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _lines_of_v3(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((folder / "meta" / "episodes").glob("*/*.parquet")):
        columns = {name: values for name, values in read_columns(path).items() if not name.startswith("stats/")}
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))


def _object(path: Path) -> dict[str, Any]:
    """Raises BadInput."""
    try:
        read: object = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"{path} cannot be read: {error}.", param="data") from None
    if not isinstance(read, dict):
        raise BadInput(f"{path} is not an object.", param="data")
    return cast("dict[str, Any]", read)

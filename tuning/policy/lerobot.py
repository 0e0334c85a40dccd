"""Data sets of LeRobot, v2.0 and v2.1 (a file an episode) and v3 (many episodes in a file), as episodes.

v2.1 lists episodes in `meta/episodes.jsonl`, v3 in `meta/episodes/*/*.parquet`, with the files in which each lies and
where in a video it begins. Source: huggingface/lerobot, `datasets/utils.py` of both versions.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from robot.faults import BrokenEpisode
from robot.recording.layout import notes_file
from robot.recording.parquet import read_arrays, read_columns
from studio.errors import BadInput
from tuning.policy.footage import Footage
from tuning.policy.pictures import TablePictures

INFO = Path("meta/info.json")
EPISODES = Path("meta/episodes.jsonl")
KEEP_RANGES = Path("meta/keep_ranges.json")
"""{"3": [[0, 120], [200, 260]]}: frames of an episode that are trained on, the last one of each pair left out."""

SUCCESS = "is_episode_successful"
"""A column of DROID's data set in LeRobot's format (huggingface.co/datasets/lerobot/droid_1.0.1)."""

_FIELD = re.compile(r"\{(\w+)(?::0(\d)d)?\}")
Parsed = TypeVar("Parsed")
View = Footage | TablePictures
"""Frames of one view, one for each row, in a video or in the table."""

Ranges = dict[int, tuple[tuple[int, int], ...]]


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Feature(_Read):
    """A column or a view of `info.json`.

    Attributes:
        dtype: "video", "image" or numpy's name of numbers.
        shape: of one row.
        info, video_info: of a view, where v2.1 and v3 or v2.0 say its rate.
    """

    dtype: str
    shape: tuple[int, ...] = (1,)
    info: dict[str, Any] | None = None
    video_info: dict[str, Any] | None = None

    @property
    def width(self) -> int:
        """Values of a row."""
        return math.prod(self.shape)

    @property
    def video_fps(self) -> float | None:
        """Frames a second of a view, as far as that is said."""
        said = (self.video_info or {}) | (self.info or {})
        rate = said.get("video.fps")
        return float(rate) if isinstance(rate, int | float) else None


class Info(_Read):
    """`meta/info.json`."""

    codebase_version: str = ""
    fps: float = Field(gt=0)
    chunks_size: int = Field(1000, gt=0)
    data_path: str
    video_path: str | None = None
    features: dict[str, Feature]


class Line(BaseModel):
    """One episode of the list; v3's lines say more, by names that no field can have."""

    model_config = ConfigDict(extra="allow", frozen=True)

    episode_index: int = Field(ge=0)
    length: int = Field(ge=0)
    tasks: tuple[str, ...] = ()

    def said(self, name: str) -> int | float:
        """A number of v3's; 0 where there is none."""
        value = (self.model_extra or {}).get(name)
        return value if isinstance(value, int | float) else 0


@dataclass(frozen=True)
class Episode:
    """One recording.

    Attributes:
        task: the instruction.
        columns: float64 [n, width] of each column that was asked for and is there.
        views: all frames of each, by the names of the features.
        success: what is known of it.
        keeps: ranges of frames that are trained on, the last of each left out; none of a set that says nothing.
        watched: the policy only watched (the Robot page's mode "shadow"), so that no action is known.
        data: the file of its columns.
    """

    index: int
    task: str
    length: int
    columns: Mapping[str, NDArray[np.float64]]
    views: Mapping[str, View]
    data: Path
    success: bool | None = None
    keeps: tuple[tuple[int, int], ...] | None = None
    watched: bool = False


@dataclass
class LeRobotSet:
    """A data set.

    Attributes:
        lines: of its episodes, at least one.
        keep_ranges: of episodes by index; none of a set without the file.
    """

    folder: Path
    info: Info
    lines: tuple[Line, ...]
    keep_ranges: Ranges | None = None
    _read: tuple[Path, dict[str, NDArray[np.float64]]] | None = field(default=None, repr=False)

    def episode(self, line: Line, columns: Sequence[str], views: Sequence[str]) -> Episode:
        """The episode of a line.

        Raises:
            BrokenEpisode: a file of it cannot be read, or has other rows than the line says.
            BadInput: its files lie outside the data set.
        """
        index = line.episode_index
        data = self._path(self.info.data_path, line, "data")
        read = self._rows(data, [*columns, SUCCESS, "episode_index"])
        numbers = read.get("episode_index")
        places = np.arange(line.length) if numbers is None else np.flatnonzero(numbers[:, 0] == index)
        first = int(places[0]) if len(places) else 0
        own = {name: rows[first : first + len(places)] for name, rows in read.items()}
        if any(len(rows) != line.length for rows in own.values()):
            raise BrokenEpisode(f"Its table has other rows than the {line.length} of the list.")
        notes = self._notes(index)
        run, success = notes.get("run"), notes.get("success")
        if SUCCESS in own:
            success = bool(own[SUCCESS].all())
        return Episode(
            index=index,
            task=line.tasks[0] if line.tasks else "",
            length=line.length,
            columns={name: own[name] for name in columns if name in own},
            views={name: self._view(name, line, TablePictures(data, name, first, line.length)) for name in views},
            data=data,
            success=success if isinstance(success, bool) else None,
            keeps=None if self.keep_ranges is None else self.keep_ranges.get(index, ()),
            watched=isinstance(run, dict) and run.get("mode") == "shadow",
        )

    def _view(self, name: str, line: Line, in_table: TablePictures) -> View:
        if self.info.features[name].dtype == "image":
            return in_table
        path = self._path(self.info.video_path or "", line, f"videos/{name}", name)
        return Footage(path, line.said(f"videos/{name}/from_timestamp"), 0, line.length, self.info.fps)

    def _rows(self, path: Path, names: Sequence[str]) -> dict[str, NDArray[np.float64]]:
        """Columns of a file; those of the last one are kept, since episodes follow each other in it."""
        if self._read is None or self._read[0] != path:
            self._read = path, read_arrays(path, names)
        return self._read[1]

    def _path(self, template: str, line: Line, where: str, view: str = "") -> Path:
        values: dict[str, int | str] = {
            "episode_index": line.episode_index,
            "episode_chunk": line.episode_index // self.info.chunks_size,
            "chunk_index": int(line.said(f"{where}/chunk_index")),
            "file_index": int(line.said(f"{where}/file_index")),
            "video_key": view,
        }

        def filled(match: re.Match[str]) -> str:
            return str(values.get(match[1], "")).rjust(int(match[2] or 0), "0")

        path = self.folder / _FIELD.sub(filled, template)
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise BadInput(f"{INFO}: {template} leads out of the data set.", param="data")
        return path

    def _notes(self, index: int) -> dict[str, Any]:
        """What the Robot page knows of an episode; nothing of a foreign one."""
        path = self.folder / notes_file(index)
        return _parsed(path, TypeAdapter(dict[str, Any])) if path.is_file() else {}


def open_set(folder: Path) -> LeRobotSet:
    """Read what a data set says of itself.

    Raises:
        BadInput: it is no data set of LeRobot v2 or v3, or has no episodes.
    """
    info = _parsed(folder / INFO, TypeAdapter(Info))
    if not info.codebase_version.startswith(("v2.", "v3.")):
        raise BadInput(
            f"The data set is of LeRobot {info.codebase_version or 'without a version'}; expected v2.0, v2.1 or v3.0.",
            param="data",
            hint="Convert it with LeRobot.",
        )
    read = _lines_of_v3 if info.codebase_version.startswith("v3.") else _lines_of_v2
    try:
        lines = sorted(map(Line.model_validate, read(folder)), key=lambda line: line.episode_index)
    except (BrokenEpisode, OSError, ValueError) as error:
        raise BadInput(f"The list of episodes cannot be read: {error}", param="data") from None
    if not lines:
        raise BadInput("The data set has no episodes.", param="data", hint="Record a run first.")
    keep = folder / KEEP_RANGES
    keep_ranges = _parsed(keep, TypeAdapter(Ranges)) if keep.is_file() else None
    return LeRobotSet(folder, info, tuple(lines), keep_ranges)


def _lines_of_v2(folder: Path) -> Iterator[dict[str, Any]]:
    for line in (folder / EPISODES).read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _lines_of_v3(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((folder / "meta" / "episodes").glob("*/*.parquet")):
        columns = {name: values for name, values in read_columns(path).items() if not name.startswith("stats/")}
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))


def _parsed(path: Path, kind: TypeAdapter[Parsed]) -> Parsed:
    """Raises BadInput."""
    try:
        return kind.validate_json(path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.", param="data") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise BadInput(f"{path} cannot be read: {f'{place}: ' if place else ''}{first['msg']}.", param="data") from None

"""A folder of episodes. One becomes part of it when its line in meta/episodes is there; everything else follows."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from robot.faults import BrokenEpisode
from robot.observation import ROWS_PER_SECOND
from robot.recording import layout
from robot.recording.episode_writer import DATA_FILE, EpisodeWriter, Stats, aggregate
from robot.recording.features import COLUMNS, VIDEOS, described
from robot.recording.foresight_track import FORESIGHT_FILES
from robot.recording.parquet import read_columns, write_columns
from studio.errors import Conflict

_TASK_COLUMNS = (("task_index", "int64", "int64"), ("task", "unicode", "object"))
_TASKS_METADATA = {
    "pandas": json.dumps(
        {
            "index_columns": ["task"],
            "column_indexes": [],
            "columns": [
                {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": numpy, "metadata": None}
                for name, kind, numpy in _TASK_COLUMNS
            ],
        }
    )
}
"""LeRobot reads the tasks with pandas, the instruction as the index; pandas finds that here."""


@dataclass(frozen=True)
class EpisodeSummary:
    """One line of the list.

    Attributes:
        task: the instruction.
        ended: the state or stop that it ended with.
        success: what the operator said; none before that.
    """

    index: int
    task: str
    num_frames: int
    ended: str
    success: bool | None


class Dataset:
    """Open for recording, by one process at a time. What an earlier one left unfinished is put right first.

    Args:
        folder: of the data set; made when it is not there.
        robot_type: `panda` or `fr3`.

    Raises:
        Conflict: another process records into it.
        BrokenEpisode: what is there cannot be read, or the disk cannot be written.
    """

    def __init__(self, folder: Path, robot_type: str) -> None:
        self.folder = folder
        self._robot_type = robot_type
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = (folder / ".lock").open("w")
        except OSError as error:
            raise _unwritable(folder, error) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise Conflict(f"Another program is recording into {folder}.", param="recordings") from None
        shutil.rmtree(folder / layout.STAGING, ignore_errors=True)
        self._lines = read_lines(folder)
        if self._lines:
            self._describe()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    @property
    def num_episodes(self) -> int:
        """That are whole."""
        return len(self._lines)

    def begin(self, task: str) -> EpisodeWriter:
        """Start an episode. Raises BrokenEpisode when the disk cannot be written."""
        try:
            shutil.rmtree(self._staging, ignore_errors=True)
            self._staging.mkdir(parents=True)
            return EpisodeWriter(self._staging, self.num_episodes, self._num_frames, self._task_index(task))
        except OSError as error:
            raise _unwritable(self.folder, error) from None

    def commit(self, writer: EpisodeWriter, task: str, notes: dict[str, Any]) -> int:
        """Make an episode part of the data set; its index. Raises BrokenEpisode when the disk cannot be written."""
        index, num_frames = self.num_episodes, writer.num_frames
        try:
            stats = writer.close()
            for name in VIDEOS:
                layout.put(self._staging / f"{name}.mp4", self.folder / layout.video_file(name, index))
            layout.put(self._staging / DATA_FILE, self.folder / layout.data_file(index))
            for name in FORESIGHT_FILES:
                target = self.folder / layout.foresight_file(name, index)
                if name in writer.foresight_files:
                    layout.put(self._staging / name, target)
                else:  # One may be there of an episode that was cut off before its line.
                    target.unlink(missing_ok=True)
            layout.put_text(json.dumps(notes, indent=1), self.folder / layout.notes_file(index))
            line = self._line(index, task, num_frames, stats)
            draft = self._staging / "episode.parquet"
            write_columns(draft, {name: [value] for name, value in line.items()})
            layout.put(draft, self.folder / layout.episode_file(index))
            self._lines.append(line)
            self._describe()
        except OSError as error:
            raise _unwritable(self.folder, error) from None
        return index

    def abandon(self, writer: EpisodeWriter) -> None:
        """Drop an episode."""
        writer.discard()
        shutil.rmtree(self._staging, ignore_errors=True)

    def close(self) -> None:
        """Let another process record here."""
        self._lock.close()

    @property
    def _staging(self) -> Path:
        return self.folder / layout.STAGING / str(os.getpid())

    @property
    def _num_frames(self) -> int:
        return sum(int(line["length"]) for line in self._lines)

    @property
    def _tasks(self) -> list[str]:
        return list(dict.fromkeys(str(line["tasks"][0]) for line in self._lines))

    def _task_index(self, task: str) -> int:
        tasks = self._tasks
        return tasks.index(task) if task in tasks else len(tasks)

    def _line(self, index: int, task: str, num_frames: int, stats: dict[str, Stats]) -> dict[str, Any]:
        line: dict[str, Any] = {
            "episode_index": index,
            "tasks": [task],
            "length": num_frames,
            "dataset_from_index": self._num_frames,
            "dataset_to_index": self._num_frames + num_frames,
        }
        for kind in ("data", "meta/episodes", *(f"videos/{name}" for name in VIDEOS)):
            line |= {f"{kind}/{part}": number for part, number in layout.place(index).items()}
        for name in VIDEOS:
            line |= {f"videos/{name}/from_timestamp": 0.0, f"videos/{name}/to_timestamp": num_frames / ROWS_PER_SECOND}
        for name, values in stats.items():
            line |= {f"stats/{name}/{what}": value for what, value in values.items()}
        return line

    def _describe(self) -> None:
        """Write what follows from the episodes: tasks, statistics, totals."""
        tasks = self._tasks
        draft = self.folder / layout.STAGING / "tasks.parquet"
        draft.parent.mkdir(parents=True, exist_ok=True)
        write_columns(draft, {"task_index": list(range(len(tasks))), "task": tasks}, metadata=_TASKS_METADATA)
        layout.put(draft, self.folder / layout.TASKS)
        names = [*VIDEOS, *COLUMNS]
        stats = {name: aggregate([_stats_of(line, name) for line in self._lines]) for name in names}
        layout.put_text(json.dumps(stats, indent=1), self.folder / layout.STATS)
        info = {
            "codebase_version": "v3.0",
            "robot_type": self._robot_type,
            "total_episodes": self.num_episodes,
            "total_frames": self._num_frames,
            "total_tasks": len(tasks),
            "chunks_size": layout.CHUNK_SIZE,
            "data_files_size_in_mb": 100,
            "video_files_size_in_mb": 200,
            "fps": ROWS_PER_SECOND,
            "splits": {"train": f"0:{self.num_episodes}"},
            "data_path": layout.DATA_PATH,
            "video_path": layout.VIDEO_PATH,
            "features": described(),
        }
        layout.put_text(json.dumps(info, indent=1), self.folder / layout.INFO)


def read_lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of meta/episodes in order, as far as they follow each other without a gap.

    Raises:
        BrokenEpisode: one cannot be read.
    """
    lines: list[dict[str, Any]] = []
    while (path := folder / layout.episode_file(len(lines))).exists():
        lines.append({name: values[0] for name, values in read_columns(path).items()})
    return lines


def _stats_of(line: dict[str, Any], name: str) -> Stats:
    return {what: line[f"stats/{name}/{what}"] for what in ("min", "max", "mean", "std", "count")}


def _unwritable(folder: Path, error: OSError) -> BrokenEpisode:
    return BrokenEpisode(f"The recording in {folder} cannot be written: {error.strerror or error}.", param="recordings")

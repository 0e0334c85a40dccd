"""Episodes as they are read back: the list, one's rows and pictures, its plot; and what the operator says of it."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import av
import numpy as np
from av.error import FFmpegError
from numpy.typing import NDArray

from robot.faults import BrokenEpisode
from robot.observation import ROWS_PER_SECOND
from robot.recording import layout
from robot.recording.dataset import EpisodeSummary, read_lines
from robot.recording.features import VIDEOS
from robot.recording.foresight_track import FIGURES_FILE
from robot.recording.parquet import read_columns
from studio.errors import EpisodeNotFound
from studio.evaluation.statistics import wilson

MAX_POINTS = 1200
"""More than a plot has pixels; some 150 KB of JSON."""


@dataclass(frozen=True)
class Episode:
    """One recorded run.

    Attributes:
        summary: its line in the list.
        states, actions, wanted: float64 [n, 8].
        clamped: bool [n, 7].
        videos: the files of its views, by the names of VIDEOS.
        notes: the run, its events and how it ended.
        divergence: float64 [n], the largest motion measure of each frame (`robot.foresight.divergence`), not a number
            where nothing was foreseen; none where nothing was foreseen at all.
    """

    summary: EpisodeSummary
    states: NDArray[np.float64]
    actions: NDArray[np.float64]
    wanted: NDArray[np.float64]
    clamped: NDArray[np.bool_]
    videos: dict[str, Path]
    notes: dict[str, Any]
    divergence: NDArray[np.float64] | None = None


def list_episodes(folder: Path) -> list[EpisodeSummary]:
    """Every whole episode, oldest first. Raises BrokenEpisode."""
    return [_summary(folder, index, line) for index, line in enumerate(read_lines(folder))]


def read_episode(folder: Path, index: int) -> Episode:
    """One episode.

    Raises:
        EpisodeNotFound: there is none of that number.
        BrokenEpisode: it cannot be read.
    """
    lines = read_lines(folder)
    if not 0 <= index < len(lines):
        raise EpisodeNotFound(f"There is no episode {index} in {folder}; it has {len(lines)}.", param="episode")
    table = read_columns(folder / layout.data_file(index))
    return Episode(
        summary=_summary(folder, index, lines[index]),
        states=_rows(table, "observation.state.joint_positions", "observation.state.gripper_position"),
        actions=_rows(table, "action.joint_position", "action.gripper_position"),
        wanted=_column(table, "orrery.wanted"),
        clamped=_column(table, "orrery.clamped").astype(np.bool_),
        videos={name: folder / layout.video_file(name, index) for name in VIDEOS},
        notes=_notes(folder, index),
        divergence=_divergence(folder, index, int(lines[index]["length"])),
    )


def pictures(path: Path) -> Generator[NDArray[np.uint8]]:
    """The pictures of one view in order, uint8 [height, width, 3]. Raises BrokenEpisode."""
    try:
        with av.open(str(path)) as container:
            for frame in container.decode(video=0):
                yield frame.to_ndarray(format="rgb24").astype(np.uint8, copy=False)
    except (OSError, FFmpegError) as error:
        raise BrokenEpisode(f"{path} cannot be read: {error}.") from None


def mark(folder: Path, index: int, success: bool | None) -> None:
    """What the operator says of an episode. Raises EpisodeNotFound when there is none of that number."""
    if not (folder / layout.episode_file(index)).exists():
        raise EpisodeNotFound(f"There is no episode {index} in {folder}.", param="episode")
    layout.put_text(
        json.dumps(_notes(folder, index) | {"success": success}, indent=1), folder / layout.notes_file(index)
    )


def plotted(episode: Episode) -> dict[str, Any]:
    """An episode as a page plots it: few enough numbers for one message, however long it was.

    Of a long one every n-th frame is taken; a joint that was clamped in any of the n counts as clamped.
    """
    num_frames = len(episode.states)
    stride = max(1, -(-num_frames // MAX_POINTS))
    clamped = [
        np.flatnonzero(episode.clamped[first : first + stride].any(axis=0)).tolist()
        for first in range(0, num_frames, stride)
    ]
    return {
        "index": episode.summary.index,
        "task": episode.summary.task,
        "num_frames": num_frames,
        "frames_per_second": ROWS_PER_SECOND,
        "stride": stride,
        "ended": episode.summary.ended,
        "success": episode.summary.success,
        "states": _rounded(episode.states[::stride]),
        "actions": _rounded(episode.actions[::stride]),
        "clamped": clamped,
        "divergence": _worst(episode.divergence, stride) if episode.divergence is not None else None,
        "run": episode.notes.get("run"),
        "events": episode.notes.get("events", []),
    }


def success_interval(num_successes: int, num_trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate; 0 to 1 while nothing was tried. 7 of 10: 0.40 to 0.89."""
    return wilson(num_successes / num_trials, num_trials) if num_trials else (0.0, 1.0)


def _summary(folder: Path, index: int, line: dict[str, Any]) -> EpisodeSummary:
    notes = _notes(folder, index)
    success = notes.get("success")
    return EpisodeSummary(
        index=index,
        task=str(line["tasks"][0]),
        num_frames=int(line["length"]),
        ended=str(notes.get("ended", "")),
        success=success if isinstance(success, bool) else None,
    )


def _divergence(folder: Path, index: int, num_frames: int) -> NDArray[np.float64] | None:
    try:
        figures = json.loads((folder / layout.foresight_file(FIGURES_FILE, index)).read_text())
        found = np.full(num_frames, np.nan)
        for figure in figures:
            found[int(figure["frame"])] = max(float(value) for value in figure["motion"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, IndexError) as error:
        raise BrokenEpisode(f"What was foreseen in episode {index} cannot be read: {error}.") from None
    return found


def _worst(divergence: NDArray[np.float64], stride: int) -> list[float | None]:
    """The largest of every n-th frame and those behind it; none where nothing was foreseen."""
    parts = (divergence[first : first + stride] for first in range(0, len(divergence), stride))
    known = (part[~np.isnan(part)] for part in parts)
    return [round(float(part.max()), 3) if len(part) else None for part in known]


def _notes(folder: Path, index: int) -> dict[str, Any]:
    try:
        notes = json.loads((folder / layout.notes_file(index)).read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BrokenEpisode(f"The notes of episode {index} cannot be read: {error}.") from None
    return cast("dict[str, Any]", notes) if isinstance(notes, dict) else {}


def _column(table: dict[str, list[Any]], name: str) -> NDArray[np.float64]:
    if name not in table:
        raise BrokenEpisode(f"The episode has no {name}.")
    return np.array(table[name], np.float64)


def _rows(table: dict[str, list[Any]], joints: str, gripper: str) -> NDArray[np.float64]:
    return np.column_stack([_column(table, joints), _column(table, gripper)])


def _rounded(rows: NDArray[np.float64]) -> list[list[float]]:
    return np.round(rows, 4).tolist()

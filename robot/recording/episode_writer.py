"""One episode while it is recorded: rows in memory, pictures in three open MP4s, in a folder that nobody reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot.kinematics import flange_pose
from robot.observation import NUM_JOINTS, ROWS_PER_SECOND
from robot.recording.features import COLUMNS, VIDEOS, Frame
from robot.recording.foresight_track import ForesightTrack
from robot.recording.parquet import write_columns
from robot.recording.video_writer import VideoWriter

Stats = dict[str, list[Any]]
"""LeRobot's: min, max, mean, std and count, as nested lists."""


def column_stats(values: NDArray[Any]) -> Stats:
    """Of one column, [n] or [n, width]."""
    table = values.reshape(len(values), -1).astype(np.float64)
    return {
        "min": table.min(axis=0).tolist(),
        "max": table.max(axis=0).tolist(),
        "mean": table.mean(axis=0).tolist(),
        "std": table.std(axis=0).tolist(),
        "count": [len(table)],
    }


class PictureStats:
    """Of a video, by channel and between 0 and 1, from a picture a second."""

    def __init__(self) -> None:
        self._count = 0
        self._min = np.full(3, 1.0)
        self._max = np.zeros(3)
        self._sum = np.zeros(3)
        self._squares = np.zeros(3)
        self._pixels = 0

    def add(self, picture: NDArray[np.uint8]) -> None:
        """One picture, uint8 [height, width, 3]."""
        pixels = picture[::4, ::4].reshape(-1, 3) / 255.0
        self._count += 1
        self._pixels += len(pixels)
        self._min = np.minimum(self._min, pixels.min(axis=0))
        self._max = np.maximum(self._max, pixels.max(axis=0))
        self._sum += pixels.sum(axis=0)
        self._squares += (pixels**2).sum(axis=0)

    def stats(self) -> Stats:
        """Shaped [3, 1, 1], as LeRobot has them."""
        mean = self._sum / max(self._pixels, 1)
        std = np.sqrt(np.maximum(self._squares / max(self._pixels, 1) - mean**2, 0.0))
        shaped = {"min": self._min, "max": self._max, "mean": mean, "std": std}
        return {name: value.reshape(3, 1, 1).tolist() for name, value in shaped.items()} | {"count": [self._count]}


def aggregate(parts: Sequence[Stats]) -> Stats:
    """Of everything, from its parts'.

    Two frames with mean 1 and two with mean 3, none of them varying: mean 2, deviation 1.
    """
    counts = np.array([part["count"][0] for part in parts], np.float64)
    weights = counts / max(counts.sum(), 1)
    means, stds = (np.stack([np.array(part[name]) for part in parts]) for name in ("mean", "std"))
    shape = (-1,) + (1,) * (means.ndim - 1)
    mean = (weights.reshape(shape) * means).sum(axis=0)
    variance = (weights.reshape(shape) * (stds**2 + (means - mean) ** 2)).sum(axis=0)
    return {
        "min": np.stack([np.array(part["min"]) for part in parts]).min(axis=0).tolist(),
        "max": np.stack([np.array(part["max"]) for part in parts]).max(axis=0).tolist(),
        "mean": mean.tolist(),
        "std": np.sqrt(variance).tolist(),
        "count": [int(counts.sum())],
    }


DATA_FILE = "data.parquet"


class EpisodeWriter:
    """Frames in; a parquet file and an MP4 of each view out, when it is closed.

    Args:
        staging: an empty folder.
        episode_index, first_index: of the episode, and of its first frame within the data set.
        task_index: of its instruction.

    Attributes:
        foresight_files: once it is closed, see `ForesightTrack`.
    """

    def __init__(self, staging: Path, episode_index: int, first_index: int, task_index: int) -> None:
        self._staging = staging
        self._episode_index = episode_index
        self._first_index = first_index
        self._task_index = task_index
        self._frames: list[dict[str, Any]] = []
        self._videos = {name: VideoWriter(staging / f"{name}.mp4", size) for name, size in VIDEOS.items()}
        self._pictures = {name: PictureStats() for name in VIDEOS}
        self._foresight = ForesightTrack(staging)
        self.foresight_files: tuple[str, ...] = ()

    @property
    def num_frames(self) -> int:
        """So far."""
        return len(self._frames)

    def add(self, frame: Frame) -> None:
        """One tick."""
        number = len(self._frames)
        self._foresight.add(frame.tick, frame.foreseen)
        for name, video in self._videos.items():
            video.add(frame.views[name])
            if number % ROWS_PER_SECOND == 0:
                self._pictures[name].add(frame.views[name])
        joints, gripper = slice(NUM_JOINTS), NUM_JOINTS
        self._frames.append(
            {
                "observation.state.cartesian_position": flange_pose(frame.state[joints]),
                "observation.state.joint_positions": frame.state[joints],
                "observation.state.gripper_position": frame.state[gripper],
                "action.joint_position": frame.action[joints],
                "action.gripper_position": frame.action[gripper],
                "orrery.wanted": frame.wanted,
                "orrery.clamped": frame.clamped,
                "orrery.at_s": frame.at_s,
                "orrery.lateness_s": frame.lateness_s,
                "orrery.epoch": frame.epoch,
                "timestamp": number / ROWS_PER_SECOND,
                "frame_index": number,
                "episode_index": self._episode_index,
                "index": self._first_index + number,
                "task_index": self._task_index,
            }
        )

    def close(self) -> dict[str, Stats]:
        """Write every file's end; the statistics by feature. At least one frame must have been added."""
        assert self._frames
        for video in self._videos.values():
            video.close()
        self.foresight_files = self._foresight.close()
        values = {name: np.array([frame[name] for frame in self._frames], COLUMNS[name].dtype) for name in COLUMNS}
        kinds = {name: column.kind for name, column in COLUMNS.items()}
        write_columns(self._staging / DATA_FILE, {name: list(column) for name, column in values.items()}, kinds)
        stats = {name: picture.stats() for name, picture in self._pictures.items()}
        return stats | {name: column_stats(column) for name, column in values.items()}

    def discard(self) -> None:
        """Let go of the open files; what is in the folder is of no use."""
        self._foresight.discard()
        for video in self._videos.values():
            video.close()

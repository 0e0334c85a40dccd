"""What an episode holds, by the names that NVIDIA's DROID data sets have, and a few of our own.

The names are those of the data that Cosmos3-Nano-Policy-DROID was trained on, so that a recorded episode can train the
same model. Ours begin with `orrery.`: LeRobot's readers pass over what they do not know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robot.foresight.watcher import Foreseen
from robot.observation import EXTERIOR_SIZE, NUM_JOINTS, ROW_WIDTH, ROWS_PER_SECOND, WRIST_SIZE
from robot.recording.parquet import Kind

_JOINTS = [f"joint_{number}" for number in range(1, NUM_JOINTS + 1)]


@dataclass(frozen=True)
class Column:
    """One number or vector of every frame.

    Attributes:
        dtype: numpy's name of it.
        names: of its elements; a single one is stored as a plain number.
    """

    dtype: str
    names: list[str]

    @property
    def kind(self) -> Kind:
        """How it lies in a parquet file."""
        return self.dtype, len(self.names)


COLUMNS: dict[str, Column] = {
    "observation.state.cartesian_position": Column("float32", ["x", "y", "z", "roll", "pitch", "yaw"]),
    "observation.state.joint_positions": Column("float32", _JOINTS),
    "observation.state.gripper_position": Column("float32", ["gripper"]),
    "action.joint_position": Column("float32", _JOINTS),
    "action.gripper_position": Column("float32", ["gripper"]),
    "orrery.wanted": Column("float32", [*_JOINTS, "gripper"]),
    "orrery.clamped": Column("bool", _JOINTS),
    "orrery.at_s": Column("float64", ["at_s"]),
    "orrery.lateness_s": Column("float32", ["lateness_s"]),
    "orrery.epoch": Column("int64", ["epoch"]),
    "timestamp": Column("float32", ["timestamp"]),
    "frame_index": Column("int64", ["frame_index"]),
    "episode_index": Column("int64", ["episode_index"]),
    "index": Column("int64", ["index"]),
    "task_index": Column("int64", ["task_index"]),
}

VIDEOS: dict[str, tuple[int, int]] = {
    "observation.image.wrist_image_left": WRIST_SIZE,
    "observation.image.exterior_image_1_left": EXTERIOR_SIZE,
    "observation.image.exterior_image_2_left": EXTERIOR_SIZE,
}
"""(width, height) of each view."""

CODEC, PIXEL_FORMAT = "h264", "yuv420p"

assert len(COLUMNS["orrery.wanted"].names) == ROW_WIDTH


@dataclass(frozen=True)
class Frame:
    """One tick of an episode.

    Attributes:
        at_s: seconds since the episode began.
        state: float64 [8], joint positions and the gripper as measured.
        action: float64 [8], what was executed.
        wanted: float64 [8], what the policy wanted.
        clamped: bool [7].
        views: uint8 [height, width, 3] by the names of VIDEOS.
        tick: of the loop.
        foreseen: the newest comparison with what the policy foresaw, of this tick or an earlier one.
    """

    at_s: float
    lateness_s: float
    epoch: int
    state: NDArray[np.float64]
    action: NDArray[np.float64]
    wanted: NDArray[np.float64]
    clamped: NDArray[np.bool_]
    views: dict[str, NDArray[np.uint8]]
    tick: int = 0
    foreseen: Foreseen | None = None


def described() -> dict[str, Any]:
    """`features` of LeRobot's meta/info.json."""
    columns: dict[str, Any] = {
        name: {"dtype": column.dtype, "shape": [len(column.names)], "names": column.names}
        for name, column in COLUMNS.items()
    }
    videos: dict[str, Any] = {
        name: {
            "dtype": "video",
            "shape": [height, width, 3],
            "names": ["height", "width", "channels"],
            "info": {
                "video.height": height,
                "video.width": width,
                "video.channels": 3,
                "video.codec": CODEC,
                "video.pix_fmt": PIXEL_FORMAT,
                "video.fps": ROWS_PER_SECOND,
                "video.is_depth_map": False,
                "has_audio": False,
            },
        }
        for name, (width, height) in VIDEOS.items()
    }
    return videos | columns

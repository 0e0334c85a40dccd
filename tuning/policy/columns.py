"""Which columns of a data set are the actions, the state and the views of an embodiment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot.observation import EXTERIOR_SIZE, WRIST_SIZE, letterbox
from studio.errors import BadInput
from studio.requests.embodiments import EMBODIMENTS, EmbodimentName
from tuning.policy.footage import RATE_TOLERANCE
from tuning.policy.lerobot import Episode, LeRobotSet

JOINTS: EmbodimentName = "droid_joint_position"
JOINT_ROWS_PER_SECOND = 15.0
"""At which policies of joint positions are served (NVIDIA's cosmos-framework, `action_policy_server_robolab.py`)."""


@dataclass(frozen=True)
class Columns:
    """Names of columns, those of one row behind each other.

    Attributes:
        actions: of a row; absolute joint positions are where to be one row later.
        state: at the first frame; none where the embodiment's policy is given none.
        views: in the order of the canvas.
    """

    actions: tuple[str, ...]
    state: tuple[str, ...]
    views: tuple[str, ...]


_DROID_ACTIONS = ("action.joint_position", "action.gripper_position")

JOINT_COLUMNS = (
    Columns(
        _DROID_ACTIONS,
        ("observation.state.joint_positions", "observation.state.gripper_position"),
        (
            "observation.image.wrist_image_left",
            "observation.image.exterior_image_1_left",
            "observation.image.exterior_image_2_left",
        ),
    ),
    Columns(
        _DROID_ACTIONS,
        ("observation.state.joint_position", "observation.state.gripper_position"),
        (
            "observation.images.wrist_left",
            "observation.images.exterior_1_left",
            "observation.images.exterior_2_left",
        ),
    ),
)
"""Of the Robot page and NVIDIA's DROID; of DROID as LeRobot has it (huggingface.co/datasets/lerobot/droid_1.0.1)."""

OTHER_COLUMNS = (
    Columns(("action",), ("observation.state",), ("observation.images.image", "observation.images.wrist_image")),
    Columns(("action",), ("observation.state",), ("observation.images.image", "observation.images.image2")),
    Columns(("actions",), ("state",), ("image", "wrist_image")),
)
"""LIBERO's as data sets of LeRobot have them; any other set with `action` has its views in the order that it says."""


def find_columns(data: LeRobotSet, name: EmbodimentName) -> Columns:
    """The columns of an embodiment in a data set.

    Raises:
        BadInput: its columns are not there, or are of another width or rate.
    """
    known = JOINT_COLUMNS if name == JOINTS else OTHER_COLUMNS
    found = next((one for one in known if _has(data, one, with_state=name == JOINTS)), None)
    if found is None and name != JOINTS and "action" in data.info.features and _pictures(data):
        found = Columns(("action",), ("observation.state",), _pictures(data))
    if found is None:
        raise BadInput(
            f"The data set has no columns for {name}: it has {', '.join(sorted(data.info.features))}.",
            param="data",
            hint=f"Expected {', '.join(known[0].actions + known[0].state + known[0].views)}, or names as in "
            "docs/tuning.md.",
        )
    found = Columns(found.actions, tuple(one for one in found.state if one in data.info.features), found.views)
    _check(data, name, found)
    return found


def _pictures(data: LeRobotSet) -> tuple[str, ...]:
    """Every view of a set, in the order that it says."""
    return tuple(name for name, feature in data.info.features.items() if feature.dtype in ("video", "image"))


def _has(data: LeRobotSet, columns: Columns, *, with_state: bool) -> bool:
    return {*columns.actions, *columns.views, *(columns.state if with_state else ())} <= data.info.features.keys()


def _check(data: LeRobotSet, name: EmbodimentName, columns: Columns) -> None:
    body = EMBODIMENTS[name]
    for part, expected in (("actions", body.width), ("state", body.state_width or None)):
        width = sum(data.info.features[one].width for one in getattr(columns, part))
        if expected is not None and width != expected:
            raise BadInput(
                f"The data set's {part} have {width} values; {name} expects {expected}.",
                param="embodiment",
                hint="Use the embodiment that the data set was recorded with.",
            )
    if name == JOINTS and data.info.fps != JOINT_ROWS_PER_SECOND:
        raise BadInput(
            f"The data set has {data.info.fps:g} rows a second; {name} expects {JOINT_ROWS_PER_SECOND:g}.", param="data"
        )
    for view in columns.views:
        feature = data.info.features[view]
        if feature.video_fps is not None and abs(feature.video_fps / data.info.fps - 1) > RATE_TOLERANCE:
            raise BadInput(
                f"{view} has {feature.video_fps:g} frames a second, and the rows {data.info.fps:g}; expected one rate.",
                param="data",
            )


def rows_of(episode: Episode, names: tuple[str, ...]) -> NDArray[np.float64] | None:
    """Columns behind each other, float64 [n, width]; none where one is missing."""
    if not names or any(name not in episode.columns for name in names):
        return None
    return np.concatenate([episode.columns[name] for name in names], 1)


def compose(name: EmbodimentName, views: tuple[NDArray[np.uint8], ...]) -> NDArray[np.uint8]:
    """One moment's views as a policy is shown them, uint8 [height, width, 3].

    Joint positions have the canvas of `robot.observation`: the wrist above, the exteriors side by side below. Others
    stand side by side, as high as the first one; LIBERO's two of 256x256 are 512x256.
    """
    if name == JOINTS:
        wrist, *exteriors = views
        below = [letterbox(view, *EXTERIOR_SIZE) for view in exteriors]
        return np.vstack([letterbox(wrist, *WRIST_SIZE), np.hstack(below)])
    height = views[0].shape[0]
    return np.hstack([letterbox(view, round(view.shape[1] * height / view.shape[0]), height) for view in views])

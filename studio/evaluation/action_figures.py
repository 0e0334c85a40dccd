"""Actions against those that ought to be found: squared errors by channel, and errors of a trajectory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.errors import BadInput
from studio.evaluation.generations import Figures, GenerationTruth
from studio.evaluation.motion import POSE_WIDTH, action_mse, pose_errors, poses_of
from studio.requests.embodiments import EMBODIMENTS, EmbodimentName

Array = NDArray[np.float64]

POSE_METRICS = ("rotation_error_deg", "translation_error_m", "trajectory_error_m")


def is_pose(embodiment: EmbodimentName) -> bool:
    """Whether an action of this body begins with a translation and six values of a rotation."""
    return EMBODIMENTS[embodiment].columns[:POSE_WIDTH] == EMBODIMENTS["camera_pose"].columns


def squared_errors(metric: str, found: Array, true: Array) -> Figures:
    """Mean squared error over all values, and of each channel, under a metric's name.

    Args:
        metric: "action_mse" or "round_trip_mse".
        found, true: float64 [T, C].

    Raises:
        BadInput: their shapes differ.
    """
    channels = action_mse(found, true)
    parts = tuple(float(value) for value in channels)
    return Figures(values={metric: float(channels.mean())}, series={metric: parts})


def pose_figures(found: Array, truth: GenerationTruth) -> Figures:
    """RRE, RTE and ATE of actions of a body that `is_pose`, in metres where the truth says what a unit is.

    Args:
        found: float64 [T, C].
        truth: with actions.

    Raises:
        BadInput: the shapes differ.
    """
    assert truth.actions is not None, "poses are measured against actions"
    true = np.asarray(truth.actions, np.float64)
    if found.shape != true.shape:
        raise BadInput(
            f"The result has actions of the shape {list(found.shape)}, and the reference {list(true.shape)}; expected "
            "the same.",
            param="reference.actions",
        )
    scale = np.ones(true.shape[1]) if truth.action_scale is None else np.asarray(truth.action_scale)
    offset = np.zeros(true.shape[1]) if truth.action_offset is None else np.asarray(truth.action_offset)
    errors = pose_errors(poses_of(offset + scale * found), poses_of(offset + scale * true))
    return Figures(values=errors._asdict())

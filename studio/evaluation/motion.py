"""Errors of estimated motion: rotation and translation frame to frame, the trajectory as a whole, and raw actions.

Poses are float64 [T, 4, 4] from a camera or effector to the world, in metres.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.errors import BadInput

Array = NDArray[np.float64]

POSE_WIDTH = 9
"""Values of a pose action: three of translation in metres, six of rotation."""


class PoseErrors(NamedTuple):
    """Errors of one trajectory (Cosmos 3 report, 6.2.5: AV inverse dynamics and camera following).

    Attributes:
        rotation_error_deg: RRE, the mean angle of R̂ᵀR, where R̂ and R are rotations from a frame to the next.
        translation_error_m: RTE, the mean distance between the translations from a frame to the next, each in the axes
            of its own earlier frame.
        trajectory_error_m: ATE, the RMSE of positions after the rigid alignment of Umeyama (1991), without scale.
    """

    rotation_error_deg: float
    translation_error_m: float
    trajectory_error_m: float


def pose_errors(estimated: Array, true: Array) -> PoseErrors:
    """RRE, RTE and ATE of a trajectory.

    Args:
        estimated, true: poses, float64 [T, 4, 4], T at least 2; each in a world of its own.

    Raises:
        BadInput: they have not these shapes.
    """
    for name, poses in (("estimated", estimated), ("true", true)):
        if poses.ndim != 3 or poses.shape[1:] != (4, 4) or len(poses) < 2:
            raise BadInput(f"{name} has the shape {list(poses.shape)}; expected [T, 4, 4], T at least 2.", param=name)
    _same_shape(estimated, true)
    steps, true_steps = steps_of(estimated), steps_of(true)
    turns = np.swapaxes(steps[:, :3, :3], 1, 2) @ true_steps[:, :3, :3]
    apart = np.linalg.norm(steps[:, :3, 3] - true_steps[:, :3, 3], axis=1)
    return PoseErrors(
        rotation_error_deg=float(np.degrees(_angles(turns)).mean()),
        translation_error_m=float(apart.mean()),
        trajectory_error_m=trajectory_error(estimated[:, :3, 3], true[:, :3, 3]),
    )


def steps_of(poses: Array) -> Array:
    """The motion from each pose to the next, T₍ₜ₋₁₎⁻¹ Tₜ: float64 [T - 1, 4, 4]."""
    return np.linalg.inv(poses[:-1]) @ poses[1:]


def poses_of(actions: Array) -> Array:
    """The trajectory of pose actions, from the identity on: float64 [T + 1, 4, 4].

    Args:
        actions: float64 [T, 9 or more]: translation, then the 6D rotation; what follows, as a gripper, is ignored.
    """
    if actions.ndim != 2 or actions.shape[1] < POSE_WIDTH:
        raise BadInput(
            f"actions has the shape {list(actions.shape)}; expected [T, {POSE_WIDTH}]: translation and 6D rotation.",
            param="actions",
        )
    steps = np.tile(np.eye(4), (len(actions), 1, 1))
    steps[:, :3, 3] = actions[:, :3]
    steps[:, :3, :3] = rotation_from_6d(actions[:, 3:POSE_WIDTH])
    poses = [np.eye(4)]
    for step in steps:
        poses.append(poses[-1] @ step)
    return np.stack(poses)


def rotation_from_6d(values: Array) -> Array:
    """The nearest rotation matrices, float64 […, 3, 3], by singular value decomposition.

    Args:
        values: float64 […, 6], the first two columns one after the other (Zhou et al., 2019); they may be neither of
            length 1 nor at right angles.
    """
    first, second = values[..., :3], values[..., 3:]
    raw = np.stack((first, second, np.cross(first, second)), axis=-1)
    left, _, right = np.linalg.svd(raw)
    # The third column is on the right side of the first two already, so this is a rotation and no reflection.
    return left @ right


def rotation_to_6d(rotations: Array) -> Array:
    """The first two columns of rotation matrices, float64 […, 6]."""
    return np.concatenate((rotations[..., 0], rotations[..., 1]), axis=-1)


def trajectory_error(estimated: Array, true: Array) -> float:
    """ATE: the RMSE in metres of positions, float64 [T, 3], after rigid alignment without scale (Umeyama, 1991)."""
    _same_shape(estimated, true)
    middle, true_middle = estimated.mean(axis=0), true.mean(axis=0)
    left, _, right = np.linalg.svd((true - true_middle).T @ (estimated - middle))
    signs = np.array([1.0, 1.0, np.sign(np.linalg.det(left @ right)) or 1.0])
    aligned = (estimated - middle) @ (left * signs @ right).T + true_middle
    return float(np.sqrt(((aligned - true) ** 2).sum(axis=1).mean()))


def action_mse(estimated: Array, true: Array) -> Array:
    """The mean squared error of each channel, float64 [C], of actions [T, C], in the square of the channel's unit."""
    _same_shape(estimated, true)
    return ((estimated - true) ** 2).mean(axis=0)


def _angles(rotations: Array) -> Array:
    """Angles in rad, [N], of rotations [N, 3, 3]; exact near 0, where the arc cosine of the trace is not."""
    trace = np.trace(rotations, axis1=1, axis2=2)
    skew = rotations - np.swapaxes(rotations, 1, 2)
    sine = np.linalg.norm(skew[:, (2, 0, 1), (1, 2, 0)], axis=1) / 2
    return np.arctan2(sine, (trace - 1) / 2)


def _same_shape(estimated: Array, true: Array) -> None:
    if estimated.shape != true.shape:
        raise BadInput(
            f"estimated has the shape {list(estimated.shape)}, and true has {list(true.shape)}; expected the same.",
            param="estimated",
        )

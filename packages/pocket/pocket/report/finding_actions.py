"""Inverse dynamics: the rows that lead from frame to frame, against those that the arm was given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pocket.report.candidate import Candidate
from pocket.report.exam import Exam, Figure, Marks
from pocket.report.foreseeing import Stretch, stretches

NUM_JOINTS = 7

CLOSED = 0.5
"""Of the gripper's way: which of its two states a row means."""


class FindingActions(Exam[Stretch, NDArray[np.float32]]):
    """A clip of a policy's run to its rows."""

    name = "id"
    figures = (
        Figure("id_error_rad", "ID: mean error of a joint, rad", "mean", higher=False, digits=3),
        Figure("id_gripper", "ID: rows whose gripper is right, open or closed", "mean"),
    )
    ceiling_is = "the rows that the arm was given"
    chance_is = "the rows of another run"
    view = "policy"

    def tasks(self, count: int, seed: int) -> Sequence[Stretch]:
        """Stretches of policy runs."""
        return stretches(count, seed)

    def ask(self, candidate: Candidate, task: Stretch) -> NDArray[np.float32]:
        """The rows it finds."""
        return candidate.find_actions(task.prompt, task.frames, task.seed)

    def truth(self, task: Stretch) -> NDArray[np.float32]:
        """The rows."""
        return task.rows

    def ignorant(self, task: Stretch, other: Stretch) -> NDArray[np.float32]:
        """Those of another run."""
        return other.rows

    def mark(self, task: Stretch, answer: NDArray[np.float32]) -> Marks:
        """Row by row."""
        joints = np.abs(answer[:, :NUM_JOINTS] - task.rows[:, :NUM_JOINTS])
        grips = (answer[:, NUM_JOINTS] > CLOSED) == (task.rows[:, NUM_JOINTS] > CLOSED)
        return {"id_error_rad": float(joints.mean()), "id_gripper": float(grips.mean())}

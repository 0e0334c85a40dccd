"""Forward dynamics: the frames that an arm's own actions lead to, against copying the last frame that was seen.

And inverse dynamics: the rows that lead from frame to frame, against those that the arm was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocket.report.candidate import Candidate, Pixels
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.likeness import filmstrip, psnr_db, resized
from pocket.report.rendering import scenes
from pocket.world.episode import POLICY_ROWS


@dataclass(frozen=True)
class Stretch:
    """A stretch of a policy's run.

    Attributes:
        frames: uint8 [33, height, width, 3].
        rows: float32 [32, 8], joint positions in rad and the gripper, 0 open to 1 closed.
    """

    prompt: str
    frames: Pixels
    rows: NDArray[np.float32]
    seed: int


def stretches(count: int, seed: int) -> list[Stretch]:
    """One a run, where the arm moves most; a run without one that is clear of disturbances gives none."""
    found: list[Stretch] = []
    for run in scenes("policy", count, seed):
        if not len(run.robot.chunk_starts) or not run.task.instructions:
            continue
        rows = run.robot.expert
        travels = [float(np.ptp(rows[start : start + POLICY_ROWS], axis=0).sum()) for start in run.robot.chunk_starts]
        start = int(run.robot.chunk_starts[int(np.argmax(travels))])
        shown = run.frames[start : start + POLICY_ROWS + 1]
        found.append(Stretch(run.task.instructions[0], shown, rows[start : start + POLICY_ROWS], run.seed))
    return found


class Foreseeing(Exam[Stretch, Pixels]):
    """Actions and a first frame to the frames after it."""

    name = "fd"
    figures = (
        Figure("fd_psnr_db", "FD: predicted frames, PSNR in dB", "mean", digits=1),
        Figure("fd_gain_db", "FD: the same, less that of copying the last frame seen, in dB", "mean", digits=1),
    )
    ceiling_is = "the rendered frames"
    chance_is = "the last frame seen, copied"
    view = "policy"

    def tasks(self, count: int, seed: int) -> Sequence[Stretch]:
        """Stretches of policy runs."""
        return stretches(count, seed)

    def ask(self, candidate: Candidate, task: Stretch) -> Pixels:
        """What it foresees."""
        return candidate.foresee(task.prompt, task.frames[0], task.rows, task.seed)

    def truth(self, task: Stretch) -> Pixels:
        """What was seen."""
        return task.frames

    def ignorant(self, task: Stretch, other: Stretch) -> Pixels:
        """Nothing moves."""
        return np.repeat(task.frames[:1], len(task.frames), axis=0)

    def show(self, task: Stretch, answer: Pixels) -> Shown:
        """What it foresees, then what was seen."""
        return Shown(filmstrip(answer) + filmstrip(task.frames), (task.prompt,))

    def mark(self, task: Stretch, answer: Pixels) -> Marks:
        """All frames but the given one, at the size that they were given in."""
        height, width = task.frames.shape[1:3]
        found = psnr_db(resized(answer, (width, height))[1:], task.frames[1:])
        return {"fd_psnr_db": found, "fd_gain_db": found - psnr_db(self.ignorant(task, task)[1:], task.frames[1:])}


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

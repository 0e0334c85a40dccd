"""Image to video: does the clip begin with the picture, and does what should move?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pocket.report.candidate import Candidate, Filmed
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.likeness import filmstrip, mask_iou, moved, psnr_db, steps
from pocket.report.rendering import scenes
from pocket.world.episode import Episode

MOVES_BY = 0.05
"""Grey levels from frame to frame, over the whole picture; a clip of less has no motion to be measured against."""


def filmed(episode: Episode) -> Filmed:
    """What the world itself filmed."""
    return Filmed(episode.frames, float(episode.fps), episode.sound)


def told(episode: Episode) -> str:
    """The prompt for a clip: everything that there is to say of it, in prose."""
    return next(wording.prose for wording in episode.wordings if wording.detail == "rich")


class Starting(Exam[Episode, Filmed]):
    """Image to video from a held-out clip's first frame and its description."""

    name = "i2v"
    figures = (
        Figure("i2v_first_frame_psnr_db", "I2V: first frame against the given one, PSNR in dB", "mean", digits=1),
        Figure("i2v_motion_ratio", "I2V: motion, as a share of the rendered video's", "median"),
        Figure("i2v_motion_iou", "I2V: where it moves, IoU with the rendered video", "mean"),
    )
    ceiling_is = "the rendered video"
    chance_is = "another scene's video"
    view = "clip"

    def tasks(self, count: int, seed: int) -> Sequence[Episode]:
        """Clips."""
        return scenes("clip", count, seed)

    def ask(self, candidate: Candidate, task: Episode) -> Filmed:
        """Its clip."""
        return candidate.film(told(task), task.frames[:1], len(task.frames), task.fps, task.seed, sound=False)

    def truth(self, task: Episode) -> Filmed:
        """The rendered one."""
        return filmed(task)

    def ignorant(self, task: Episode, other: Episode) -> Filmed:
        """One of another table."""
        return filmed(other)

    def show(self, task: Episode, answer: Filmed) -> Shown:
        """The clip, then the rendered one."""
        return Shown(filmstrip(answer.frames) + filmstrip(task.frames), (told(task),))

    def mark(self, task: Episode, answer: Filmed) -> Marks:
        """Against the picture that was given, and the clip that it was taken from."""
        found = {"i2v_first_frame_psnr_db": psnr_db(answer.frames[0], task.frames[0])}
        motion = float(steps(task.frames).mean())
        if motion > MOVES_BY:
            found["i2v_motion_ratio"] = float(np.mean(steps(answer.frames))) / motion
            found["i2v_motion_iou"] = mask_iou(moved(answer.frames), moved(task.frames))
        return found

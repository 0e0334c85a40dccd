"""Control fidelity: do outlines, depth and masks of a clip agree with those that it was to follow?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from backend.media.controls import compute_control
from pocket.report.candidate import Candidate, Pixels
from pocket.report.depth_residual import depth_residual
from pocket.report.exam import Exam, Figure, Marks
from pocket.report.likeness import mask_iou, outline_f1
from pocket.report.rendering import scenes
from pocket.report.starting import told
from pocket.world.controls import depth_pictures, segmentation_pictures
from pocket.world.episode import FIRST_THING_ID, Episode
from pocket.world.reading import MIN_BRIGHTNESS, MIN_SATURATION
from studio.requests.transfer_video import HintName

HINTS: tuple[HintName, ...] = ("edge", "depth", "seg")
"""What has a measure of its own; of a blur there is none in the issue's list."""


@dataclass(frozen=True)
class ControlTask:
    """A clip, and which of its controls is followed."""

    clip: Episode
    hint: HintName


class Following(Exam[ControlTask, Pixels]):
    """Transfer from outlines, depth and masks of held-out clips, each alone, with the clip's description."""

    name = "transfer"
    figures = (
        Figure("edge_f1", "transfer: outlines against the control, F1 within 2 px", "mean"),
        Figure(
            "depth_si_rmse",
            "transfer: ln depth that the picture's regions leave open, si-RMSE",
            "mean",
            higher=False,
            digits=3,
        ),
        Figure("mask_iou", "transfer: masks of the things, IoU", "mean"),
    )
    ceiling_is = "the rendered clip that the control was made of"
    chance_is = "another scene's clip, which no control has seen"

    def tasks(self, count: int, seed: int) -> Sequence[ControlTask]:
        """``count`` clips with every hint."""
        return [ControlTask(clip, hint) for hint, clip in product(HINTS, scenes("clip", count, seed))]

    def ask(self, candidate: Candidate, task: ControlTask) -> Pixels:
        """Its clip."""
        clip = task.clip
        return candidate.follow(told(clip), task.hint, _control(task), clip.fps, clip.seed)

    def truth(self, task: ControlTask) -> Pixels:
        """The clip."""
        return task.clip.frames

    def ignorant(self, task: ControlTask, other: ControlTask) -> Pixels:
        """Another one."""
        return other.clip.frames

    def mark(self, task: ControlTask, answer: Pixels) -> Marks:
        """The measure of its hint, over all frames."""
        clip = task.clip
        if task.hint == "edge":
            pairs = zip(answer, _control(task), strict=True)
            return {
                "edge_f1": float(np.mean([outline_f1(_outlines(frame), line[..., 0] > 0) for frame, line in pairs]))
            }
        if task.hint == "depth":
            assert clip.depth is not None
            errors = [depth_residual(frame, depth) for frame, depth in zip(answer, clip.depth, strict=True)]
            return {"depth_si_rmse": float(np.mean(errors))}
        assert clip.segmentation is not None
        pairs = zip(answer, clip.segmentation, strict=True)
        return {
            "mask_iou": float(np.mean([mask_iou(_things(frame), parts >= FIRST_THING_ID) for frame, parts in pairs]))
        }


def _control(task: ControlTask) -> Pixels:
    clip = task.clip
    if task.hint == "edge":
        return np.stack([compute_control(frame, "edge", "medium") for frame in clip.frames])
    if task.hint == "depth":
        assert clip.depth is not None
        return depth_pictures(clip.depth)
    assert clip.segmentation is not None
    return segmentation_pictures(clip.segmentation)


def _outlines(frame: Pixels) -> NDArray[np.bool_]:
    return compute_control(frame, "edge", "medium")[..., 0] > 0


def _things(frame: Pixels) -> NDArray[np.bool_]:
    """What is as strong in colour as nothing but things is."""
    hsv = cv2.cvtColor(frame.astype(np.float32) / 255.0, cv2.COLOR_RGB2HSV)
    return np.asarray((hsv[..., 1] > MIN_SATURATION) & (hsv[..., 2] > MIN_BRIGHTNESS))

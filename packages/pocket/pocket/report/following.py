"""Control fidelity: do outlines, depth and masks of a clip agree with those that it was to follow?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import cv2
import numpy as np
from numpy.typing import NDArray

from backend.media.controls import compute_control
from pocket.report.candidate import Candidate, Pixels
from pocket.report.depth_residual import depth_residual
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.likeness import filmstrip, mask_iou, outline_f1
from pocket.report.rendering import scenes
from pocket.report.starting import told
from pocket.world.controls import depth_pictures, segmentation_pictures
from pocket.world.episode import FIRST_THING_ID, Episode
from pocket.world.reading import MIN_BRIGHTNESS, MIN_SATURATION
from studio.requests.transfer_video import HintName

HINTS: tuple[HintName, ...] = ("edge", "depth", "seg")
"""What has a measure of its own; of a blur there is none in the issue's list."""


LEAST_F1 = 0.05
"""Of a clip without the control, so that nothing is divided by nothing."""

BAR_TIMES = 3.0
"""How much better outlines are to be followed with the control than without."""


@dataclass(frozen=True)
class ControlTask:
    """A clip, and which of its controls is followed.

    Attributes:
        elsewhere: another scene's clip.
    """

    clip: Episode
    hint: HintName
    elsewhere: Episode


@dataclass(frozen=True)
class Followed:
    """Clips, uint8 [T, height, width, 3].

    Attributes:
        free: of the same prompt and seed, made without the control; none where nobody asked for it.
    """

    frames: Pixels
    free: Pixels | None = None


class Following(Exam[ControlTask, Followed]):
    """Transfer from outlines, depth and masks of held-out clips, each alone, with the clip's description."""

    name = "transfer"
    figures = (
        Figure("edge_f1", "transfer: outlines against the control, F1 within 2 px", "mean"),
        Figure("edge_f1_free", "transfer: the same for the video of that prompt and seed without the control", "mean"),
        Figure("edge_times", "transfer: outlines with the control, by those without", "mean", bar=BAR_TIMES),
        Figure(
            "depth_si_rmse",
            "transfer: ln depth that the image's regions leave unexplained, si-RMSE",
            "mean",
            higher=False,
            digits=3,
        ),
        Figure("mask_iou", "transfer: masks of the objects, IoU", "mean"),
    )
    ceiling_is = "the rendered video that the control was made from"
    chance_is = "another scene's video, which has seen no control"
    view = "clip"

    def tasks(self, count: int, seed: int) -> Sequence[ControlTask]:
        """``count`` clips with every hint."""
        clips = scenes("clip", count + 1, seed)
        return [ControlTask(clip, hint, elsewhere) for hint, (clip, elsewhere) in product(HINTS, pairwise(clips))]

    def ask(self, candidate: Candidate, task: ControlTask) -> Followed:
        """Its clip; of outlines also the one without them."""
        clip, prompt = task.clip, told(task.clip)
        frames = candidate.follow(prompt, task.hint, _control(task), clip.fps, clip.seed)
        if task.hint != "edge":
            return Followed(frames)
        nothing = clip.frames[:0]
        return Followed(frames, candidate.film(prompt, nothing, len(frames), clip.fps, clip.seed, sound=False).frames)

    def truth(self, task: ControlTask) -> Followed:
        """The clip."""
        return Followed(task.clip.frames)

    def ignorant(self, task: ControlTask, other: ControlTask) -> Followed:
        """Another one."""
        return Followed(task.elsewhere.frames)

    def show(self, task: ControlTask, answer: Followed) -> Shown:
        """The control, the clip, and the one without."""
        clips = (_control(task), answer.frames, *(() if answer.free is None else (answer.free,)))
        strips = tuple(frame for frames in clips for frame in filmstrip(frames))
        return Shown(strips, (f"{task.hint}: {told(task.clip)}",))

    def mark(self, task: ControlTask, answer: Followed) -> Marks:
        """The measure of its hint, over all frames."""
        clip = task.clip
        if task.hint == "edge":
            control = _control(task)
            found = {"edge_f1": _edge_f1(answer.frames, control)}
            if answer.free is not None:
                found["edge_f1_free"] = _edge_f1(answer.free, control)
                found["edge_times"] = found["edge_f1"] / max(found["edge_f1_free"], LEAST_F1)
            return found
        if task.hint == "depth":
            assert clip.depth is not None
            errors = [depth_residual(frame, depth) for frame, depth in zip(answer.frames, clip.depth, strict=True)]
            return {"depth_si_rmse": float(np.mean(errors))}
        assert clip.segmentation is not None
        pairs = zip(answer.frames, clip.segmentation, strict=True)
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


def _edge_f1(frames: Pixels, control: Pixels) -> float:
    pairs = zip(frames, control, strict=True)
    return float(np.mean([outline_f1(_outlines(frame), line[..., 0] > 0) for frame, line in pairs]))


def _outlines(frame: Pixels) -> NDArray[np.bool_]:
    return compute_control(frame, "edge", "medium")[..., 0] > 0


def _things(frame: Pixels) -> NDArray[np.bool_]:
    """What is as strong in colour as nothing but things is."""
    hsv = cv2.cvtColor(frame.astype(np.float32) / 255.0, cv2.COLOR_RGB2HSV)
    return np.asarray((hsv[..., 1] > MIN_SATURATION) & (hsv[..., 2] > MIN_BRIGHTNESS))

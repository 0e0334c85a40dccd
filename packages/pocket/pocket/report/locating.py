"""Grounding: boxes of everything on the table, against those of the segmentation."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from pocket.report.candidate import Candidate
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.likeness import box_iou
from pocket.report.rendering import scenes
from pocket.world.episode import Episode, Question
from studio.captions import UnusableAnswer
from studio.prompting.parsers import parse_boxes
from studio.prompting.results import GRID, Box, Frame

GOOD_IOU = 0.5

LONGEST = 300
"""Tokens; of 24 right answers the longest had 145."""

RIGHT, FOUND = (0, 160, 0), (255, 0, 255)
"""Colours of boxes on what is shown."""


class Locating(Exam[Episode, str]):
    """Held-out stills under the studio's grounding task."""

    name = "boxes"
    figures = (
        Figure("box_iou", "boxes: IoU with the right box of the same label; 0 where there is none", "mean"),
        Figure("box_recall", "boxes: objects found with their label and an IoU of 0.5", "mean"),
        Figure("box_extra", "boxes: surplus boxes per image", "mean", higher=False),
    )
    ceiling_is = "the boxes of the segmentation"
    chance_is = "the boxes of another scene"
    view = "still"

    def tasks(self, count: int, seed: int) -> Sequence[Episode]:
        """Stills that have something to find."""
        return [still for still in scenes("still", count, seed) if _question(still) is not None]

    def ask(self, candidate: Candidate, task: Episode) -> str:
        """Its JSON."""
        return candidate.say(_asked(task).question, LONGEST, task.frames[:1])

    def truth(self, task: Episode) -> str:
        """The right JSON."""
        return _asked(task).answer

    def ignorant(self, task: Episode, other: Episode) -> str:
        """Another scene's."""
        return _asked(other).answer

    def show(self, task: Episode, answer: str) -> Shown:
        """The picture with the right boxes in green and those that were found in pink."""
        picture = np.ascontiguousarray(task.frames[0])
        scale = np.array([picture.shape[1], picture.shape[0]] * 2) / GRID
        for boxes, colour in ((_boxes(_asked(task).answer), RIGHT), (_boxes(answer), FOUND)):
            for box in boxes:
                left, top, right, bottom = (int(each) for each in np.array(box.box_2d) * scale)
                cv2.rectangle(picture, (left, top), (right, bottom), colour, 1)
        return Shown((picture,), (_asked(task).question, answer))

    def mark(self, task: Episode, answer: str) -> Marks:
        """Every right box with the best box of its label that no other has; an answer that is no list has none."""
        wanted = _boxes(_asked(task).answer)
        found = _boxes(answer)
        free = list(found)
        overlaps: list[float] = []
        for box in wanted:
            fitting = [other for other in free if other.label.strip().lower() == box.label.lower()]
            best = max(fitting, key=lambda other: box_iou(other.box_2d, box.box_2d), default=None)
            overlaps.append(0.0 if best is None else box_iou(best.box_2d, box.box_2d))
            if best is not None:
                free.remove(best)
        return {
            "box_iou": sum(overlaps) / len(overlaps),
            "box_recall": sum(overlap >= GOOD_IOU for overlap in overlaps) / len(overlaps),
            "box_extra": float(max(0, len(found) - len(wanted))),
        }


def _boxes(answer: str) -> list[Box]:
    try:
        return [result for result in parse_boxes(answer, Frame()).results if isinstance(result, Box)]
    except UnusableAnswer:
        return []


def _asked(episode: Episode) -> Question:
    question = _question(episode)
    assert question is not None
    return question


def _question(episode: Episode) -> Question | None:
    """The first one, which asks for everything."""
    return next(
        (question for question in episode.questions if question.kind == "boxes" and question.answer != "[]"), None
    )

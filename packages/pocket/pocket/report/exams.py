"""Which exams there are, and how many questions each asks: in full, quickly, and of a single question each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pocket.report.candidate import Effort
from pocket.report.closed_loop import ClosedLoop
from pocket.report.continuing import Continuing
from pocket.report.criticising import Criticising
from pocket.report.describing import Describing
from pocket.report.exam import Exam
from pocket.report.following import Following
from pocket.report.foreseeing import FindingActions, Foreseeing
from pocket.report.locating import Locating
from pocket.report.pacing import Pacing
from pocket.report.pictures import Pictures
from pocket.report.starting import Starting
from pocket.report.timing import Timing
from pocket.report.upsampling import Upsampling

FormName = Literal["full", "quick", "one"]

EXAMS: tuple[Exam[Any, Any], ...] = (
    Pacing(),
    Pictures(),
    Starting(),
    Continuing(),
    Following(),
    Foreseeing(),
    FindingActions(),
    Describing(),
    Upsampling(),
    Locating(),
    Timing(),
    Criticising(),
    ClosedLoop(),
)


@dataclass(frozen=True)
class Form:
    """How thorough a card is.

    Attributes:
        counts: questions by the exam's name; of "transfer" clips, with three controls each.
        effort: of each answer.
    """

    counts: dict[str, int]
    effort: Effort


FORMS: dict[FormName, Form] = {
    "full": Form(
        {
            "chunk": 8,
            "pictures": 200,
            "i2v": 8,
            "v2v": 8,
            "transfer": 3,
            "fd": 8,
            "id": 8,
            "captions": 40,
            "upsampling": 10,
            "boxes": 40,
            "events": 20,
            "critic": 20,
            "policy": 150,
        },
        Effort(),
    ),
    "quick": Form(
        {
            "chunk": 8,
            "pictures": 8,
            "i2v": 2,
            "v2v": 2,
            "transfer": 1,
            "fd": 2,
            "id": 2,
            "captions": 4,
            "upsampling": 2,
            "boxes": 4,
            "events": 2,
            "critic": 2,
            "policy": 3,
        },
        Effort(picture_steps=10, clip_steps=6, action_steps=4),
    ),
    "one": Form(
        {exam.name: 1 for exam in EXAMS},
        Effort(picture_steps=1, clip_steps=1, action_steps=1, policy_steps=1),
    ),
}
"""Counts are planned for twenty minutes on two cores, and two for the quick form."""

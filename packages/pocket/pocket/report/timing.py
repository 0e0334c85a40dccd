"""When something happens in a clip: named events, against their times in the simulation.

As NVIDIA's recipe for temporal localisation measures it ("Cosmos Reason for Mimic Gen temporal localization"): mean
absolute error of starts and ends in s, and mean error relative to the length of the event, which is to be below 30 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pocket.report.candidate import Candidate
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.likeness import filmstrip
from pocket.report.rendering import scenes
from pocket.world.episode import Episode, Question
from studio.captions import UnusableAnswer
from studio.prompting.parsers import parse_intervals
from studio.prompting.results import Frame, Interval

LEAST_S = 0.1
"""A shorter event is taken to last so long, for relative errors."""

LONGEST = 100
"""Tokens; of eleven right answers the longest had 41."""

EVERYTHING = "every action or event"
"""How the question begins that names no event."""


@dataclass(frozen=True)
class TimingTask:
    """A clip, and the question for one named event of it."""

    clip: Episode
    asked: Question


class Timing(Exam[TimingTask, str]):
    """Held-out clips under the studio's task of temporal localisation."""

    name = "events"
    figures = (
        Figure("event_mae_s", "events: mean error of start and end, s", "mean", higher=False),
        Figure("event_mre", "events: the same, by the event's own length", "mean", higher=False),
        Figure("event_found", "events: answers that name a time", has_chance=False),
    )
    ceiling_is = "the simulation's own times, as the answer spells them"
    chance_is = "the whole video"
    view = "clip"

    def tasks(self, count: int, seed: int) -> Sequence[TimingTask]:
        """Of ``count`` clips, the first question that names an event; the others give none."""
        found: list[TimingTask] = []
        for clip in scenes("clip", count, seed):
            named = [q for q in clip.questions if q.kind == "intervals" and EVERYTHING not in q.question]
            named = [question for question in named if _intervals(question.answer, clip)]
            found += [TimingTask(clip, named[clip.seed % len(named)])] if named else []
        return found

    def ask(self, candidate: Candidate, task: TimingTask) -> str:
        """Its JSON."""
        return candidate.say(task.asked.question, LONGEST, task.clip.frames, float(task.clip.fps))

    def truth(self, task: TimingTask) -> str:
        """The right JSON."""
        return task.asked.answer

    def ignorant(self, task: TimingTask, other: TimingTask) -> str:
        """It says that it lasts from the beginning to the end."""
        return f'[{{"start": 0.0, "end": {task.clip.duration_s}, "caption": "It."}}]'

    def show(self, task: TimingTask, answer: str) -> Shown:
        """The clip, question, answer and right answer."""
        return Shown(filmstrip(task.clip.frames), (task.asked.question, answer, task.asked.answer))

    def mark(self, task: TimingTask, answer: str) -> Marks:
        """Of every right interval its nearest one; without any, as far off as the clip is long."""
        found = _intervals(answer, task.clip)
        errors: list[float] = []
        relative: list[float] = []
        for right in _intervals(task.asked.answer, task.clip):
            apart = [(abs(each.start_s - right.start_s) + abs(each.end_s - right.end_s)) / 2 for each in found]
            errors.append(min(apart, default=task.clip.duration_s))
            relative.append(errors[-1] / max(right.end_s - right.start_s, LEAST_S))
        return {
            "event_mae_s": sum(errors) / len(errors),
            "event_mre": sum(relative) / len(relative),
            "event_found": float(bool(found)),
        }


def _intervals(answer: str, clip: Episode) -> list[Interval]:
    try:
        results = parse_intervals(answer, Frame(duration_s=clip.duration_s)).results
    except UnusableAnswer:
        return []
    return [result for result in results if isinstance(result, Interval)]

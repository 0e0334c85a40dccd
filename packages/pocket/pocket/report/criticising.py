"""The critic: does it score a picture higher for the prompt that it follows than for one that it does not?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pocket.report.candidate import Candidate
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.rendering import scenes
from pocket.train.lessons.critic import critic_answer, critic_question
from pocket.world.episode import Critique, Episode
from studio.captions import UnusableAnswer
from studio.prompting.critique import critique_schema, read_critique

LONGEST = 450
"""Tokens; of 48 right answers the longest had 178."""


@dataclass(frozen=True)
class CriticTask:
    """A picture with a prompt that it follows and one that it does not."""

    still: Episode
    matched: Critique
    mismatched: Critique


@dataclass(frozen=True)
class Verdicts:
    """The critic's JSON for both, the matched prompt's first."""

    matched: str
    mismatched: str


class Criticising(Exam[CriticTask, Verdicts]):
    """Held-out stills, the studio's own question to the critic, and its answer within the schema."""

    name = "critic"
    figures = (
        Figure(
            "critic_auc",
            "critic: matched prompts scored above mismatched ones of the same image, AUC",
            "mean",
            bar=0.9,
        ),
        Figure("critic_readable", "critic: images with two readable verdicts", has_chance=False),
    )
    ceiling_is = "the world's own verdicts"
    chance_is = "one verdict, whatever the question"
    view = "still"

    def tasks(self, count: int, seed: int) -> Sequence[CriticTask]:
        """Stills with one of their mismatched prompts, each kind of mismatch in turn."""
        found: list[CriticTask] = []
        for still in scenes("still", count, seed):
            matched = [critique for critique in still.critiques if critique.matches]
            mismatched = [critique for critique in still.critiques if not critique.matches]
            if matched and mismatched:
                found.append(CriticTask(still, matched[0], mismatched[len(found) % len(mismatched)]))
        return found

    def ask(self, candidate: Candidate, task: CriticTask) -> Verdicts:
        """Its verdicts."""
        shown = task.still.frames[:1]
        return Verdicts(
            *(
                candidate.say(critic_question(critique.prompt), LONGEST, shown, schema=critique_schema())
                for critique in (task.matched, task.mismatched)
            )
        )

    def truth(self, task: CriticTask) -> Verdicts:
        """The world's."""
        return Verdicts(critic_answer(task.matched), critic_answer(task.mismatched))

    def ignorant(self, task: CriticTask, other: CriticTask) -> Verdicts:
        """It does not look."""
        return Verdicts(critic_answer(other.matched), critic_answer(other.matched))

    def show(self, task: CriticTask, answer: Verdicts) -> Shown:
        """The picture, both prompts and both verdicts."""
        fits, fits_not = task.matched.prompt, task.mismatched.prompt
        return Shown((task.still.frames[0],), (f"✓ {fits}", answer.matched, f"✗ {fits_not}", answer.mismatched))

    def mark(self, task: CriticTask, answer: Verdicts) -> Marks:
        """1 where the matched one is scored higher, half where they are equal; adherence decides, then the whole."""
        scores = [_score(text) for text in (answer.matched, answer.mismatched)]
        one, other = scores
        if one is None or other is None:
            return {"critic_auc": 0.5, "critic_readable": 0.0}
        return {"critic_auc": 0.5 if one == other else float(one > other), "critic_readable": 1.0}


def _score(text: str) -> tuple[float, float] | None:
    try:
        critique = read_critique(text)
    except UnusableAnswer:
        return None
    return critique.prompt_adherence_score, critique.overall_score

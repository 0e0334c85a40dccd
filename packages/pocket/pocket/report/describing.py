"""What the reasoner says of a picture: the fields of its description, and short questions with one right answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pocket.report.candidate import Candidate
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.rendering import scenes
from pocket.world.episode import Episode, Question
from pocket.world.staging import LIGHTINGS, SIDES, TABLES
from pocket.world.wording import NUMBERS, SHAPE_WORDS, groups_of, plural

SHORT = ("count", "colour", "shape", "place", "relation", "exists")
NUM_SHORT = 3
"""Short questions to a picture."""

LONGEST, LONGEST_SHORT = 240, 24
"""Tokens; of forty right answers the longest had 111 and 5."""

COLUMN_WORDS = {"left": "left", "middle": "middle", "right": "right"}


@dataclass(frozen=True)
class Description:
    """A description, and answers to short questions in their order."""

    prose: str
    answers: tuple[str, ...]


class Describing(Exam[Episode, Description]):
    """Held-out stills under the studio's caption task, and questions of the world."""

    name = "captions"
    figures = (
        Figure(
            "caption_fields", "caption: fields that are right (objects, number, place, table, light)", "mean", bar=0.85
        ),
        Figure("answers", "short questions answered rightly", "mean"),
    )
    ceiling_is = "the world's own words"
    chance_is = "the words for another scene; of short questions, a false answer of the same kind or another's"
    view = "still"

    def tasks(self, count: int, seed: int) -> Sequence[Episode]:
        """Stills with things on the table."""
        return [still for still in scenes("still", count, seed) if groups_of(still)]

    def ask(self, candidate: Candidate, task: Episode) -> Description:
        """Its words."""
        shown = task.frames[:1]
        answers = tuple(candidate.say(question.question, LONGEST_SHORT, shown) for question in short_questions(task))
        return Description(candidate.say(_caption(task).question, LONGEST, shown), answers)

    def truth(self, task: Episode) -> Description:
        """The world's."""
        return Description(_caption(task).answer, tuple(question.answer for question in short_questions(task)))

    def ignorant(self, task: Episode, other: Episode) -> Description:
        """Of another scene; a short question has as many false answers as it has, one of them or the right one."""
        guesses = tuple(
            (question.answer, *question.wrong)[(task.seed + index) % (1 + len(question.wrong))]
            for index, question in enumerate(short_questions(task))
        )
        return Description(_caption(other).answer, guesses)

    def show(self, task: Episode, answer: Description) -> Shown:
        """The picture, and what was said of it."""
        asked = zip(short_questions(task), answer.answers, strict=True)
        return Shown((task.frames[0],), (answer.prose, *(f"{q.question} {said} ({q.answer})" for q, said in asked)))

    def mark(self, task: Episode, answer: Description) -> Marks:
        """Shares of fields and of answers."""
        fields = caption_fields(task, answer.prose)
        questions = short_questions(task)
        right = [_plain(said) == _plain(asked.answer) for said, asked in zip(answer.answers, questions, strict=True)]
        found = {"caption_fields": sum(fields.values()) / len(fields)}
        return found | ({"answers": sum(right) / len(right)} if right else {})


def short_questions(episode: Episode) -> list[Question]:
    """Some of the world's, of kinds that differ."""
    by_kind = {question.kind: question for question in episode.questions if question.kind in SHORT}
    kinds = sorted(by_kind)
    first = episode.seed % max(1, len(kinds))
    return [by_kind[kind] for kind in (kinds[first:] + kinds[:first])[:NUM_SHORT]]


def caption_fields(episode: Episode, prose: str) -> dict[str, bool]:
    """Which facts of a still its description has right: each kind of thing with its number, the column of single ones
    where that is clear, the table, the light and where it comes from."""
    assert episode.surroundings is not None
    text = prose.lower()
    fields: dict[str, bool] = {}
    for group in groups_of(episode):
        name = f"{group.colour} {group.shape}"
        phrase = _phrase(text, group.colour, group.shape, len(group.things))
        fields[name] = phrase is not None
        if group.column:
            near = text[phrase.end() : phrase.end() + 40] if phrase is not None else ""
            told = re.split(r"[,.]| and ", near)[0]
            fields[f"{name} place"] = COLUMN_WORDS[group.column] in told
    fields["table"] = _which(text, [f" {table} table" for table in TABLES]) == f" {episode.surroundings.table} table"
    fields["light"] = (
        _which(text, [f"{light} light" for light in LIGHTINGS]) == f"{episode.surroundings.lighting} light"
    )
    fields["light from"] = _which(text, [f"light from {side}" for side in SIDES]) == (
        f"light from {episode.surroundings.light_from}"
    )
    return fields


def _phrase(text: str, colour: str, shape: str, count: int) -> re.Match[str] | None:
    """Where the text names so many things of a kind: `a glossy red block`, `two blue balls`."""
    nouns = [plural(word) if count > 1 else word for word in SHAPE_WORDS[shape]]
    number = "an?|one" if count == 1 else NUMBERS[count]
    return re.search(rf"\b(?:{number}) (?:\w+ )?{colour} (?:{'|'.join(nouns)})\b", text)


def _which(text: str, phrases: Sequence[str]) -> str:
    """The longest phrase that is there: a light wooden table is not a wooden one."""
    there = [phrase for phrase in phrases if phrase in text]
    return max(there, key=len) if there else ""


def _caption(episode: Episode) -> Question:
    return next(question for question in episode.questions if question.kind == "caption")


def _plain(text: str) -> str:
    return text.strip().rstrip(".").lower()

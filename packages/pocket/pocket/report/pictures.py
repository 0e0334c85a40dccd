"""Prompt following: pictures of new prompts, read by the world's own reader of pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pocket.report.candidate import Candidate, Pixels
from pocket.report.exam import Exam, Figure, Marks, Shown
from pocket.report.rendering import PROMPTS, held_out, scenes
from pocket.world.episode import Episode
from pocket.world.outline_fitting import wanted_of
from pocket.world.prompts import Prompt, draw_prompt
from pocket.world.reading import Wanted, mark, read_picture

MAX_STILLS = 60
"""Rendered for ceiling and chance; more prompts take them in turn."""


@dataclass(frozen=True)
class PictureTask:
    """A prompt, and a rendered still that has nothing to do with it."""

    prompt: Prompt
    seed: int
    still: Episode


@dataclass(frozen=True)
class Drawn:
    """A picture, and what it was to show."""

    pixels: Pixels
    wanted: tuple[Wanted, ...]


class Pictures(Exam[PictureTask, Drawn]):
    """Text to image. The reader's own ceiling is that of rendered stills against what they show."""

    name = "pictures"
    figures = (
        Figure("picture_all_right", "prompt followed: every colour, shape, place and count", bar=0.85),
        Figure("picture_colours", "colours"),
        Figure("picture_shapes", "shapes"),
        Figure("picture_places", "places, where the prompt says any"),
        Figure("picture_count", "count"),
    )
    ceiling_is = "a rendered image, read for what it shows"
    chance_is = "a rendered image of another scene"
    num_beside = MAX_STILLS
    view = "still"
    max_scenes = MAX_STILLS

    def tasks(self, count: int, seed: int) -> Sequence[PictureTask]:
        """Prompts that no picture was ever made of."""
        stills = scenes("still", min(count, MAX_STILLS), seed)
        numbers = enumerate(held_out(PROMPTS, count, seed))
        return [PictureTask(draw_prompt(number), number, stills[index % len(stills)]) for index, number in numbers]

    def ask(self, candidate: Candidate, task: PictureTask) -> Drawn:
        """Its picture."""
        return Drawn(candidate.draw(task.prompt.text, task.seed), task.prompt.wanted)

    def truth(self, task: PictureTask) -> Drawn:
        """The still, and what a prompt for it would say."""
        return Drawn(task.still.frames[0], wanted_of(task.still.things))

    def ignorant(self, task: PictureTask, other: PictureTask) -> Drawn:
        """The still, for a prompt that it was not made for."""
        return Drawn(other.still.frames[0], task.prompt.wanted)

    def show(self, task: PictureTask, answer: Drawn) -> Shown:
        """The picture and its prompt."""
        return Shown((answer.pixels,), (task.prompt.text,))

    def mark(self, task: PictureTask, answer: Drawn) -> Marks:
        """Each mark of the reader; places only where one was asked for."""
        marks = mark(read_picture(answer.pixels), answer.wanted)
        found = {
            "picture_all_right": float(marks.all_right),
            "picture_colours": float(marks.colours),
            "picture_shapes": float(marks.shapes),
            "picture_count": float(marks.count),
        }
        if any(wish.column for wish in answer.wanted):
            found["picture_places"] = float(marks.places)
        return found

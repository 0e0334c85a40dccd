"""Prompts that fit a picture, and prompts that nearly do, with what a critic has to say to each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pocket.world.episode import Critique, Episode
from pocket.world.wording import NUMBERS, Group, groups_of, listed, plural, said, sentence, with_article
from robot.simulation.arrangement import COLOURS

Verdict = Literal["present", "partial", "absent"]

SHAPES = ("cube", "cylinder", "ball")
COLUMNS = ("left", "middle", "right")
PLACES = {"left": "on the left", "middle": "in the middle", "right": "on the right", "": ""}


@dataclass(frozen=True)
class Wish:
    """One element of a prompt.

    Attributes:
        column: "" where the prompt does not say.
        verdict: what the picture has of it.
        remark: why it is not all there.
    """

    colour: str
    shape: str
    count: int
    column: str
    verdict: Verdict = "present"
    remark: str = ""

    @property
    def words(self) -> str:
        """`two red balls`, `a green cube on the left`."""
        name = f"{self.colour} {self.shape}"
        text = with_article(name) if self.count == 1 else f"{NUMBERS[self.count]} {self.colour} {plural(self.shape)}"
        return f"{text} {PLACES[self.column]}".strip()


def criticise(episode: Episode, generator: np.random.Generator) -> tuple[Critique, ...]:
    """One prompt that fits, and three that do not: another colour or shape, another number or place, and a thing that
    is not there."""
    groups = groups_of(episode)[:4]
    if not groups:
        return ()
    true = [_wish(group, generator) for group in groups]
    found = [_critique(true)]
    for change in (_other_kind, _other_count_or_place, _one_more):
        index = int(generator.integers(len(true)))
        changed = list(true)
        changed[index : index + 1] = change(true, index, groups, generator)
        found.append(_critique(changed))
    return tuple(found)


def _wish(group: Group, generator: np.random.Generator) -> Wish:
    return Wish(group.colour, group.shape, len(group.things), group.column if generator.random() < 0.6 else "")


def _other_kind(true: list[Wish], index: int, groups: tuple[Group, ...], generator: np.random.Generator) -> list[Wish]:
    wish = true[index]
    taken = {(other.colour, other.shape) for other in true}
    if generator.random() < 0.5:
        free = [colour for colour in COLOURS if (colour, wish.shape) not in taken]
        colour = said(free, generator)
        remark = f"the {wish.shape} is {wish.colour}, not {colour}"
        return [replace(wish, colour=colour, verdict="partial", remark=remark)]
    free = [shape for shape in SHAPES if (wish.colour, shape) not in taken]
    if not free:
        return [wish]
    shape = said(free, generator)
    remark = f"the {wish.colour} object is a {wish.shape}, not a {shape}"
    return [replace(wish, shape=shape, verdict="partial", remark=remark)]


def _other_count_or_place(
    true: list[Wish], index: int, groups: tuple[Group, ...], generator: np.random.Generator
) -> list[Wish]:
    wish, group = true[index], groups[index]
    if group.column and generator.random() < 0.6:
        column = said([name for name in COLUMNS if name != group.column], generator)
        remark = f"the {wish.colour} {wish.shape} is {PLACES[group.column]}, not {PLACES[column]}"
        return [replace(wish, column=column, verdict="partial", remark=remark)]
    count = said_count(wish.count, generator)
    remark = f"there {'is' if wish.count == 1 else 'are'} {NUMBERS[wish.count]}, not {NUMBERS[count]}"
    return [replace(wish, count=count, column="", verdict="partial", remark=remark)]


def said_count(count: int, generator: np.random.Generator) -> int:
    """Another number of things, from one to four."""
    return int(generator.choice([other for other in range(1, 5) if other != count]))


def _one_more(true: list[Wish], index: int, groups: tuple[Group, ...], generator: np.random.Generator) -> list[Wish]:
    taken = {other.colour for other in true}
    free = [colour for colour in COLOURS if colour not in taken]
    if not free:
        return [true[index]]
    wish = Wish(said(free, generator), said(SHAPES, generator), 1, "")
    return [true[index], replace(wish, verdict="absent", remark=f"there is no {wish.colour} {wish.shape}")]


def _critique(wishes: list[Wish]) -> Critique:
    remarks = [wish.remark for wish in wishes if wish.verdict != "present"]
    return Critique(
        prompt=sentence(listed([wish.words for wish in wishes])),
        elements=tuple((wish.words, wish.verdict) for wish in wishes),
        matches=not remarks,
        rationale=sentence(listed(remarks)) if remarks else "Everything that was asked for is there.",
    )

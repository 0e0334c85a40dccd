"""Prompts for stills that no picture was ever made of, with what each asks for: what a report card draws and reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pocket.world.critiquing import COLUMNS, Wish
from pocket.world.reading import Wanted
from pocket.world.staging import TABLES, draw_groups
from pocket.world.wording import listed, said, sentence, with_article

MAX_KINDS = 3
_PLACE_SHARE = 0.6


@dataclass(frozen=True)
class Prompt:
    """A person's words and what a picture that follows them shows."""

    text: str
    wanted: tuple[Wanted, ...]


def draw_prompt(seed: int) -> Prompt:
    """The prompt of a seed: one to four things of at most three kinds, some of the single ones in a named third."""
    generator = np.random.default_rng([seed, 17])
    shapes, colours = draw_groups(generator)
    counts: dict[tuple[str, str], int] = {}
    for kind in zip(colours, shapes, strict=True):
        counts[kind] = counts.get(kind, 0) + 1
    free = list(generator.permutation(COLUMNS))
    wishes: list[Wish] = []
    for (colour, shape), count in list(counts.items())[:MAX_KINDS]:
        has_place = count == 1 and generator.random() < _PLACE_SHARE
        wishes.append(Wish(colour, shape, count, str(free.pop()) if has_place else ""))
    table = f" on {with_article(said(list(TABLES), generator))} table" if generator.random() < 0.5 else ""
    text = sentence(listed([wish.words for wish in wishes]) + table)
    return Prompt(text, tuple(Wanted(wish.colour, wish.shape, wish.count, wish.column) for wish in wishes))

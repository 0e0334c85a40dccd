"""Telling a reasoner's thinking from its answer."""

from __future__ import annotations

from typing import NamedTuple

OPENING, CLOSING = "<think>", "</think>"
DATA = ("{", "[", "```")


class Spoken(NamedTuple):
    """An answer in its two parts."""

    thought: str
    answer: str


def split_thought(text: str) -> Spoken:
    """The text inside `<think>` and what follows it.

    A template may have written the opening tag itself, so a closing one alone counts, unless the text begins as data
    does and has the tag inside; an opening one that is never closed leaves no answer. `<answer>` around the answer is
    taken off.
    """
    head = text.lstrip()
    if head.startswith(OPENING):
        thought, _, after = head.removeprefix(OPENING).partition(CLOSING)
    elif CLOSING in text and not head.startswith(DATA):
        thought, _, after = text.partition(CLOSING)
    else:
        thought, after = "", text
    answer = after.strip()
    if answer.startswith("<answer>"):
        answer = answer.removeprefix("<answer>").removesuffix("</answer>").strip()
    return Spoken(thought.strip(), answer)

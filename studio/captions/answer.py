"""The answer of a language model: its thinking and its text, what was mended in it, and why it cannot be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from studio.requests import Frozen, cut


class UnusableAnswer(ValueError):  # noqa: N818 - named by what happened, like the errors of studio.errors
    """An answer of a language model that is not what was asked for.

    It is for the caller that can ask again: whoever gives up tells the person with a StudioError.

    Args:
        why: one sentence, which also serves as feedback to the model.
        path: of the field at fault.
    """

    def __init__(self, why: str, *, path: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.path = path


def sendable(text: str) -> str:
    """A text that can be sent and stored: half of a surrogate pair, which models may write, becomes a question mark."""
    return text.encode(errors="replace").decode()


OPENING, CLOSING = "<think>", "</think>"
DATA = ("{", "[", "```")


class SplitAnswer(NamedTuple):
    """An answer in its two parts."""

    thought: str
    answer: str


def split_thought(text: str) -> SplitAnswer:
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
    return SplitAnswer(thought.strip(), answer)


RepairKind = Literal[
    "commentary_dropped",
    "trailing_comma",
    "brackets_closed",
    "bracket_dropped",
    "escape",
    "tail_dropped",
    "control_restored",
    "key_dropped",
    "shortened",
    "retyped",
    "timing_respelled",
]


class Repair(Frozen):
    """One mend.

    Attributes:
        kind: of what sort.
        path: of the field, dotted, as in `actions.0.time`; empty for the text as a whole.
        detail: what was there, for a person to read.
    """

    kind: RepairKind
    path: str = ""
    detail: str = ""


def repaired(kind: RepairKind, path: str = "", was: object = None) -> Repair:
    """A mend that remembers the beginning of what it replaced."""
    return Repair(kind=kind, path=path, detail="" if was is None else cut(f"was {was!r}"))


RUN = 4
"""Words of a run. The share of runs that stood before is the measure of repetition of arXiv 1908.04319 (seq-rep-4)."""

MOST_REPEATED = 0.3
"""Rendered scenes' captions have up to 0.06, as data and as prose; what a pocket wrote that had never been taught to
caption had 0.39 and 0.64."""

FEWEST_WORDS = 60
"""Fewer say too little to tell."""


def refuse_repetition(answer: object) -> None:
    """Look at a text, or at all texts of an object.

    Raises:
        UnusableAnswer: more than ``MOST_REPEATED`` of its runs of words stood before.
    """
    words = [word for text in _texts(answer) for word in text.split()]
    runs = [tuple(words[index : index + RUN]) for index in range(len(words) - RUN + 1)]
    if len(words) >= FEWEST_WORDS and len(set(runs)) < (1 - MOST_REPEATED) * len(runs):
        raise UnusableAnswer("The answer repeats itself; say each thing once.")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for child in cast(Mapping[str, Any], value).values():
            yield from _texts(child)
    elif isinstance(value, Sequence):
        for child in cast(Sequence[Any], value):
            yield from _texts(child)

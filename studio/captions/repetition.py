"""Whether an answer only repeats itself, as a model that has lost its thread does: valid in form, and of no use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from studio.captions.unusable import UnusableAnswer

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

"""Where a person's words went: which parts of an upsampled caption keep them, and which words it lost."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, cast

from studio.captions import Caption, Paragraph
from studio.requests import Frozen

MAX_WORDS = 2000
"""Of the person's that are looked up."""
MAX_PLACES = 24
"""Of one word."""
SMALL_WORDS = re.compile(
    "a|an|the|and|or|but|of|in|on|at|to|by|for|from|with|without|into|onto|as|is|are|was|be|been|it|its|this|that|these|"
    "those|there|then|than|very|so|up|down|out|off|over|under|while|his|her|their|my|your|our|he|she|they",
    re.IGNORECASE,
)
"""They stand in every caption, so that finding them shows nothing."""
ENDINGS = ("ing", "ed", "es", "ly", "s", "e")
"""Taken off before words are compared: `lifts`, `lifting` and `lifted` are one word."""
MIN_STEM = 3

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Kana and Han: words without spaces between them, found as parts of a text."""


class Place(Frozen):
    """A stretch of one text of the caption.

    Attributes:
        path: of the text, dotted: `subjects.0.description`.
        start: index of its first character in that text.
        end: index behind its last.
    """

    path: str
    start: int
    end: int


class UserWord(Frozen):
    """A word of the person's.

    Attributes:
        text: as they wrote it.
        start: index of its first character in their prompt.
        end: index behind its last.
        small: it carries no meaning of its own, and was not looked up.
        places: where the caption keeps it, in order; none when it was lost.
    """

    text: str
    start: int
    end: int
    small: bool = False
    places: tuple[Place, ...] = ()


class WordDiff(Frozen):
    """Every word of a prompt and where it went."""

    words: tuple[UserWord, ...]

    @property
    def lost(self) -> tuple[UserWord, ...]:
        """Words that stand nowhere in the caption."""
        return tuple(word for word in self.words if not word.small and not word.places)

    @property
    def share_kept(self) -> float:
        """Of the words that were looked up, 0 to 1; 1 when there were none."""
        looked_up = [word for word in self.words if not word.small]
        return sum(bool(word.places) for word in looked_up) / len(looked_up) if looked_up else 1.0

    @property
    def kept_by(self) -> dict[str, tuple[str, ...]]:
        """The person's words that each text of the caption keeps, by its path."""
        kept: defaultdict[str, list[str]] = defaultdict(list)
        for word in self.words:
            for path in dict.fromkeys(place.path for place in word.places):
                kept[path].append(word.text)
        return {path: tuple(words) for path, words in kept.items()}


def compare_words(prompt: str, caption: Caption | Paragraph) -> WordDiff:
    """Look every word of a prompt up in a caption; English endings and case do not count.

    `A robot lifts cups` over `{"description": "a robot lifting one cup"}` finds robot, lifts and cups.
    """
    texts = list(_texts(caption.model_dump(mode="json", exclude_unset=True), ""))
    index: defaultdict[str, list[Place]] = defaultdict(list)
    for path, text in texts:
        for match in _WORD.finditer(text):
            places = index[_stem(match.group())]
            if len(places) < MAX_PLACES:
                places.append(Place(path=path, start=match.start(), end=match.end()))
    words: list[UserWord] = []
    for match in list(_WORD.finditer(prompt))[:MAX_WORDS]:
        word = match.group()
        small = SMALL_WORDS.fullmatch(word) is not None
        found = [] if small else _parts(word, texts) if _UNSPACED.search(word) else index.get(_stem(word), [])
        words.append(UserWord(text=word, start=match.start(), end=match.end(), small=small, places=tuple(found)))
    return WordDiff(words=tuple(words))


def _parts(word: str, texts: list[tuple[str, str]]) -> list[Place]:
    """A word of an unspaced script wherever it is part of a text."""
    places: list[Place] = []
    for path, text in texts:
        start = text.find(word)
        while start >= 0 and len(places) < MAX_PLACES:
            places.append(Place(path=path, start=start, end=start + len(word)))
            start = text.find(word, start + len(word))
    return places


def _stem(word: str) -> str:
    folded = word.casefold().removesuffix("'s").removesuffix("’s")
    for ending in ENDINGS:
        if folded.endswith(ending) and len(folded) - len(ending) >= MIN_STEM:
            return folded.removesuffix(ending)
    return folded


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, child in cast(dict[str, Any], value).items():
            yield from _texts(child, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for number, child in enumerate(cast(list[Any], value)):
            yield from _texts(child, f"{path}.{number}")

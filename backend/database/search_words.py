"""Text as the words that it is found by. Nothing but letters, digits and symbols is left: no text becomes syntax.

The index splits at spaces only (`tokenize = 'ascii'` takes every letter beyond ASCII for one), so that what a word is
is decided here alone, for what is stored and for what is asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

MAX_ASKED_WORDS = 32

_DROPPED = frozenset((*range(0x300, 0x370), *range(0xFE00, 0xFE10)))
"""Combining diacritical marks, so that é is found as e, and what chooses between two looks of a symbol. The marks of
other scripts are letters, and stay."""

_ASCII_WORD = re.compile(r"[a-z0-9]+")

_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x30FF),  # radicals, kana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # ideographs
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
"""Scripts that put no space between words: each letter is a word, and neighbours are asked for as a phrase."""


def search_words(*texts: str) -> str:
    """What is stored: the words of all texts, with one space between."""
    return " ".join(word for text in texts for phrase in _phrases(text) for word in phrase)


def search_expression(text: str) -> str:
    """An FTS5 expression for what somebody typed, or nothing where it holds no word.

    Every word must be the beginning of one that is there. "Cube, red" gives `"cube"* AND "red"*`, and 红色 the phrase
    `"红 色"*`.
    """
    phrases = islice(_phrases(text), MAX_ASKED_WORDS)
    return " AND ".join(f'"{" ".join(phrase)}"*' for phrase in phrases)


def _phrases(text: str) -> Iterator[list[str]]:
    """Runs of letters and digits; of a script without spaces a run's letters singly. A symbol stands for itself."""
    if text.isascii():
        yield from ([word] for word in _ASCII_WORD.findall(text.lower()))
        return
    run: list[str] = []
    unspaced = False
    for letter in _folded(text):
        kind = unicodedata.category(letter)
        if kind[0] in "LMN":
            singly = _is_unspaced(letter)
            if singly != unspaced and run:
                yield _ended(run, unspaced)
                run = []
            unspaced = singly
            run.append(letter)
            continue
        if run:
            yield _ended(run, unspaced)
            run = []
        if kind[0] in "SC" and not letter.isascii() and kind not in ("Cc", "Cf", "Cs"):
            yield [letter]
    if run:
        yield _ended(run, unspaced)


def _ended(run: list[str], unspaced: bool) -> list[str]:
    return run if unspaced else ["".join(run)]


def _folded(text: str) -> str:
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if ord(letter) not in _DROPPED)
    return unicodedata.normalize("NFC", plain.casefold())


def _is_unspaced(letter: str) -> bool:
    number = ord(letter)
    return number >= 0x0E00 and any(first <= number <= last for first, last in _UNSPACED)

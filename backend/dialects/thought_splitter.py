"""Telling thinking from speaking while the words come."""

from __future__ import annotations

from typing import NamedTuple

from studio.captions.answer import CLOSING, OPENING


class Piece(NamedTuple):
    """What came: of the thought, and of the answer."""

    thought: str
    answer: str


class ThoughtSplitter:
    """An answer that begins with `<think>` is a thought until `</think>`; spaces around both are left out.

    The pieces "<thi", "nk> so", " </think> Yes." give ("", ""), ("so", ""), ("", "Yes.").

    Args:
        thinks: whether thinking is looked for at all; an answer that must match a schema has none.
    """

    def __init__(self, *, thinks: bool = True) -> None:
        self._state = "beginning" if thinks else "speaking"
        self._held = ""

    def feed(self, text: str) -> Piece:
        """What can be told of a piece and of what was held back before it."""
        text, self._held = self._held + text, ""
        thought = ""
        if self._state == "beginning":
            text = self._begin(text)
        if self._state == "thinking":
            before, closed, after = text.partition(CLOSING)
            if closed:
                thought, text, self._state = before.rstrip(), after, "pausing"
            else:
                kept = _end_to_hold(text)
                thought, self._held, text = text[: len(text) - kept], text[len(text) - kept :], ""
        if self._state == "pausing":
            text = text.lstrip()
            self._state = "speaking" if text else "pausing"
        return Piece(thought, text)

    def close(self) -> Piece:
        """What was held back: nothing more comes."""
        held, self._held = self._held, ""
        if self._state == "beginning" and held.startswith(OPENING):
            return Piece("", "")
        return Piece(held.rstrip(), "") if self._state == "thinking" else Piece("", held)

    def _begin(self, text: str) -> str:
        start = text.lstrip()
        if start.startswith(OPENING):
            rest = start.removeprefix(OPENING).lstrip()
            if not rest:  # spaces may follow, which are left out too
                self._held = start
                return ""
            self._state = "thinking"
            return rest
        if OPENING.startswith(start):
            self._held = text
            return ""
        self._state = "speaking"
        return text


def _end_to_hold(text: str) -> int:
    """Characters at the end with which `</think>` may begin, and the spaces before them."""
    tag = next((size for size in range(min(len(CLOSING) - 1, len(text)), 0, -1) if CLOSING.startswith(text[-size:])), 0)
    words = text[: len(text) - tag].rstrip()
    return len(text) - len(words)

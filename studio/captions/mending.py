"""Broken JSON made legal again: commas too many, brackets too few, line breaks inside texts."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from studio.captions.repairs import RepairKind

MAX_DEPTH = 32
MAX_CUTS = 32
"""Places near the end to which a text that breaks off may be shortened."""

CLOSERS = {"{": "}", "[": "]"}
ESCAPABLE = set('"\\/bfnrtu')


class Mended(NamedTuple):
    """A candidate.

    Attributes:
        text: in place of the broken one.
        num_read: characters of the broken one that it stands for.
        kinds: what was done.
    """

    text: str
    num_read: int
    kinds: list[RepairKind]


def mended(text: str, start: int = 0) -> Iterator[Mended]:
    """Candidates for what a broken text was meant to be, likeliest first.

    `{"a": [1, 2,}` gives `{"a": [1, 2]}`. `{"a": 1, "b": tru` gives that with its bracket closed, which is no JSON
    either, and then `{"a": 1}`. What follows the last bracket is dropped.

    Args:
        text: has `{` or `[` at `start`.
        start: where to begin.
    """
    scan = _Scan()
    position = start
    for position in range(start, len(text)):
        if not scan.read(text[position]):
            break
    num_read = position + 1 - start
    scan.finish()
    yield Mended(scan.whole(), num_read, scan.kinds)
    for length, stack in reversed(scan.cuts):
        cut = "".join(scan.written[:length]) + "".join(reversed(stack))
        yield Mended(cut, num_read, [*scan.kinds, "tail_dropped"])


class _Scan:
    """One pass over a text that writes the legal part of it."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.stack: list[str] = []
        self.cuts: deque[tuple[int, tuple[str, ...]]] = deque(maxlen=MAX_CUTS)
        self.kinds: list[RepairKind] = []
        self.in_text = False
        self.escaped = False

    def read(self, character: str) -> bool:
        """Take one character. False when the value is complete, or nested too deeply to be one."""
        if self.in_text:
            self._read_in_text(character)
        elif character in CLOSERS:
            self.stack.append(CLOSERS[character])
            self.written.append(character)
        elif character in "}]":
            self._close(character)
        else:
            if character == ",":
                self.cuts.append((len(self.written), tuple(self.stack)))
            self.in_text = character == '"'
            self.written.append(character)
        return 0 < len(self.stack) <= MAX_DEPTH

    def _read_in_text(self, character: str) -> None:
        if self.escaped:
            self.escaped = False
            if character not in ESCAPABLE:
                self.written.pop()
                self._note("escape")
        elif character == "\\":
            self.escaped = True
        elif character == '"':
            self.in_text = False
        if character < " ":
            self._note("escape")
            character = json.dumps(character)[1:-1]
        self.written.append(character)

    def _close(self, closer: str) -> None:
        if closer not in self.stack:
            self._note("bracket_dropped")
            return
        self._drop_comma()
        while self.stack[-1] != closer:
            self.written.append(self.stack.pop())
            self._note("brackets_closed")
        self.written.append(self.stack.pop())

    def _drop_comma(self) -> None:
        end = len(self.written)
        while end and self.written[end - 1].isspace():
            end -= 1
        if end and self.written[end - 1] == ",":
            del self.written[end - 1 :]
            self._note("trailing_comma")

    def finish(self) -> None:
        """Close the text that is open; the brackets are for `whole`."""
        if self.in_text:
            if self.escaped:
                self.written.pop()
            self.written.append('"')
            self._note("brackets_closed")
        self._drop_comma()
        if self.stack:
            self._note("brackets_closed")

    def whole(self) -> str:
        """Everything that was read, closed."""
        return "".join(self.written) + "".join(reversed(self.stack))

    def _note(self, kind: RepairKind) -> None:
        if kind not in self.kinds:
            self.kinds.append(kind)

"""JSON out of an answer: fenced or not, among other words, and with the breakages that language models make."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from studio.captions.answer import Repair, RepairKind, UnusableAnswer, repaired

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


MAX_ANSWER_CHARACTERS = 400_000
"""Four times 20,000 tokens of English; nothing longer is looked at."""
MAX_OPENINGS = 512
"""Brackets from which JSON is tried."""
MAX_HOPELESS = 8
"""Broken values given up before the search is."""

MAX_FENCES = 32

FENCE = "```"
_FENCE_OPENING = re.compile(r"```[A-Za-z0-9]*[ \t]*\n?")
_LIKE_JSON = re.compile(r'\{\s*["}]|\[\s*[\[{"\d\]-]')
"""A bracket in prose is followed by a word."""


class FoundJson(NamedTuple):
    """A value in a text.

    Attributes:
        value: decoded.
        start: of its first character.
        end: behind its last.
        repairs: what was mended to read it.
    """

    value: dict[str, Any] | list[Any]
    start: int
    end: int
    repairs: list[Repair]


def object_in(text: str) -> tuple[dict[str, Any], list[Repair]]:
    """The one JSON object of an answer, the largest if there are several, and what was mended to read it.

    Raises:
        UnusableAnswer: there is none, or it is too broken, too deep or too long.
    """
    for candidate, values in _candidates(text, "{"):
        best = max(values, key=lambda found: found.end - found.start)
        around = (candidate[: best.start] + candidate[best.end :]).strip()
        dropped = [repaired("commentary_dropped", was=around)] if around else []
        return cast(dict[str, Any], best.value), best.repairs + dropped
    raise UnusableAnswer(f"The answer holds no JSON object that can be read; it begins with {_beginning(text)}.")


def values_in(text: str) -> list[dict[str, Any] | list[Any]]:
    """Every JSON object and list of an answer, in order; of the first fence that has one, if there are fences.

    Raises:
        UnusableAnswer: there is none, or it is too broken, too deep or too long.
    """
    for _, values in _candidates(text, "{["):
        return [found.value for found in values]
    raise UnusableAnswer(f"The answer holds no JSON that can be read; it begins with {_beginning(text)}.")


def _candidates(text: str, openings: str) -> list[tuple[str, list[FoundJson]]]:
    """The first piece of text that has values, with them, or nothing."""
    if len(text) > MAX_ANSWER_CHARACTERS:
        raise UnusableAnswer(f"The answer has {len(text):,} characters; at most {MAX_ANSWER_CHARACTERS:,} are read.")
    for piece in _pieces(text):
        values = _values(piece, openings)
        if values:
            for found in values:
                _check_depth(found.value)
            return [(piece, values)]
    return []


def _pieces(text: str) -> Iterator[str]:
    """Where to look: the whole text when it begins as data does, then inside each fence, then the whole text."""
    head = text.lstrip()
    if _LIKE_JSON.match(head):
        yield head
    position = 0
    for _ in range(MAX_FENCES):
        opening = _FENCE_OPENING.search(text, position)
        if opening is None:
            break
        closing = text.find(FENCE, opening.end())
        first = _next_opening(text, "{[", opening.end())
        whole = _strict(text, first) if first is not None else None
        if whole is not None and whole.start < closing < whole.end:
            # The mark stands in a text of the value and closes nothing.
            closing = text.find(FENCE, whole.end)
        end = closing if closing >= 0 else len(text)
        yield text[opening.end() : end]
        position = end + len(FENCE)
    yield text


def _values(text: str, openings: str) -> list[FoundJson]:
    values: list[FoundJson] = []
    position = num_hopeless = 0
    for _ in range(MAX_OPENINGS):
        start = _next_opening(text, openings, position)
        if start is None:
            break
        found = _strict(text, start)
        if found is None and _LIKE_JSON.match(text, start) and num_hopeless < MAX_HOPELESS:
            found = _mended(text, start)
            num_hopeless += found is None
        if found is not None:
            values.append(found)
        position = found.end if found else start + 1
    return values


def _strict(text: str, start: int) -> FoundJson | None:
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return FoundJson(value, start, end, [])


def _mended(text: str, start: int) -> FoundJson | None:
    for candidate in mended(text, start):
        found = _strict(candidate.text, 0)
        if found is not None and found.end == len(candidate.text) and found.value:
            repairs = [repaired(kind) for kind in candidate.kinds]
            return FoundJson(found.value, start, start + candidate.num_read, repairs)
    return None


def _next_opening(text: str, openings: str, position: int) -> int | None:
    found = [index for index in (text.find(opening, position) for opening in openings) if index >= 0]
    return min(found, default=None)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _check_depth(value: Any) -> None:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return
    raise UnusableAnswer(f"The answer's JSON is nested more than {MAX_DEPTH} levels deep.")


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(cast(dict[str, Any], value).values())
    return list(cast(list[Any], value)) if isinstance(value, list) else []


def _beginning(text: str) -> str:
    words = " ".join(text[:200].split())
    return repr(words[:60]) if words else "nothing"

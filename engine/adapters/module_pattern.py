"""Names of modules as adapters write them: the end of a name, or a regular expression that cannot run for ever.

Python's own expressions try one way after another, and a file can hold one with more ways than there is time for. Here
all places of a name that a part of the expression can lead to are followed at once, as bits of a number: the work is at
most the number of parts times the length of the name.

    to_q                              the last part of a name, or of several parts: self_attn.to_q
    ^transformer\\.layers\\.3\\.to_q$   one name
    layers\\.(1|2[0-9])\\..*proj       . \\d \\w and classes, each with * + ? or {2,3}; groups, which ? may follow
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

MAX_LENGTH = 128
"""Characters of a pattern; the longest name of a module in the released checkpoints has fewer than 60."""

MAX_DEPTH = 8
"""Groups within groups."""

_NAME = re.compile(r"\^?(?:[\w-]|\\?\.)*\$?", re.ASCII)
"""A pattern that can be matched in one way only, which Python's own expressions do as fast as can be."""

_TOKEN = re.compile(
    r"(?P<one>[\w-]|\\[dw.-]|\.|\[\^?(?:[\w.]|-(?!-)|\\[dw.-])+\])"
    r"|(?P<group>\((?:\?:)?)|(?P<close>\))|(?P<either>\|)|(?P<edge>[\^$])"
    r"|(?P<times>(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})\??)",
    re.ASCII,
)
_ALPHABET = [chr(code) for code in range(128)]

Step = Callable[[str, int], int]
"""From a name and places in it to the places that a part of the pattern leads to from there; bit n stands for place n,
and there is one more place than characters."""


@dataclass(frozen=True)
class ModulePattern:
    """A pattern, matched as PEFT does it: against the whole of a name, or all that follows one of its dots.

    Source: peft 0.21, `get_pattern_key`.
    """

    text: str

    @property
    def is_name(self) -> bool:
        """Whether it is the end of a name, with dots as they are or escaped."""
        return _NAME.fullmatch(self.text) is not None

    def check(self) -> None:
        """Raises ValueError where it is no expression, or one that is not read here; the message says why."""
        assert self._match is not None

    def matches(self, module: str) -> bool:
        """Whether a module of this name is meant, by a pattern that was checked."""
        return self._match(module)

    @cached_property
    def _match(self) -> Callable[[str], bool]:
        if len(self.text) > MAX_LENGTH:
            raise ValueError(f"it has {len(self.text)} characters; at most {MAX_LENGTH} are read")
        if self.is_name:
            name = re.compile(rf"(?:.*\.)?(?:{self.text})$")
            return lambda module: name.match(module) is not None
        reader = _Reader(self.text)
        step = reader.alternatives()
        if reader.rest:
            raise ValueError(f"{reader.rest!r} cannot be read there")
        return lambda module: bool(step(module, _starts(module)) >> len(module) & 1)


def _starts(module: str) -> int:
    return 1 | _places(module, frozenset(".")) << 1


def _places(name: str, accepted: frozenset[str]) -> int:
    """Where one of these characters is."""
    return sum(1 << place for place, character in enumerate(name) if character in accepted)


class _Reader:
    """Turns a pattern into a step, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    @property
    def rest(self) -> str:
        return self._text[self._at :]

    def alternatives(self) -> Step:
        """What is between two brackets, or all of it."""
        if self._depth > MAX_DEPTH:
            raise ValueError(f"it has more than {MAX_DEPTH} groups within groups")
        ways = [self._sequence()]
        while self._take("either"):
            ways.append(self._sequence())
        return ways[0] if len(ways) == 1 else _either(ways)

    def _sequence(self) -> Step:
        parts: list[Step] = []
        while (part := self._part()) is not None:
            parts.append(part)
        return _in_turn(parts)

    def _part(self) -> Step | None:
        if self._take("group"):
            self._depth += 1
            inner = self.alternatives()
            self._depth -= 1
            if not self._take("close"):
                raise ValueError("a bracket is not closed")
            times = self._take("times")
            if times not in (None, "?", "??"):
                raise ValueError(f"{times} after a group is not read here")
            return _either([inner, _in_turn([])]) if times else inner
        if edge := self._take("edge"):
            return _edge(edge)
        character = self._take("one")
        if character is None:
            return None
        times = self._take("times")
        try:
            accepted = re.compile(character, re.ASCII)
        except re.error as error:
            raise ValueError(str(error)) from None
        return _run(frozenset(filter(accepted.fullmatch, _ALPHABET)), *_bounds(times))

    def _take(self, kind: str) -> str | None:
        """The next token, where it is of this kind."""
        match = _TOKEN.match(self._text, self._at)
        if match is None or match.lastgroup != kind:
            return None
        self._at = match.end()
        return match[0]


def _bounds(times: str | None) -> tuple[int, int | None]:
    """The fewest and the most times; none is any number. Asking for few or many makes no difference to a match."""
    if times is None:
        return 1, 1
    if times[0] != "{":
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[times[0]]
    fewest, comma, most = times.rstrip("?").strip("{}").partition(",")
    bounds = int(fewest), int(most) if most else None if comma else int(fewest)
    if bounds[1] is not None and bounds[1] < bounds[0]:
        raise ValueError(f"{times} ends before it begins")
    return bounds


def _run(accepted: frozenset[str], fewest: int, most: int | None) -> Step:
    """Some characters of a kind, one after another."""

    def step(name: str, places: int) -> int:
        kind = _places(name, accepted)
        for _ in range(fewest):
            places = (places & kind) << 1
            if not places:
                return 0
        if most is None:
            # A place within a run of the kind carries on to the place after the run: 0b0111 + 0b0010 = 0b1001, whose
            # bits that are not the run's are 0b1110. Source: Myers, "A fast bit-vector algorithm ..." (1999).
            return places | ((places & kind) + kind ^ kind)
        reached = places
        for _ in range(min(most - fewest, len(name))):
            places = (places & kind) << 1
            reached |= places
        return reached

    return step


def _edge(edge: str) -> Step:
    return lambda name, places: places & (1 if edge == "^" else 1 << len(name))


def _in_turn(parts: Sequence[Step]) -> Step:
    def step(name: str, places: int) -> int:
        for part in parts:
            if not places:
                break
            places = part(name, places)
        return places

    return step


def _either(ways: Sequence[Step]) -> Step:
    def step(name: str, places: int) -> int:
        reached = 0
        for way in ways:
            reached |= way(name, places)
        return reached

    return step

"""The shortest way to end a JSON answer from wherever it is.

A search over the grammar itself: it follows what is forced, closes what can be closed, and where there is a choice
tries each. It knows no schema, so it ends whatever the grammar engine compiles. What it finds is legal, because the
grammar has consumed it; it is the shortest wherever the end of a value does not hang on what the value was.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, replace

import numpy as np
from llguidance import LLMatcher

from engine.reasoner.grammar import following, too_complex
from engine.reasoner.vocabulary import Vocabulary

MAX_CLOSING_BYTES = 32_768
"""A longer way is none: a part of the schema requires itself."""

MAX_PROBES = 20_000
"""Looks at what may come next within one search; a caption's schema of a hundred fields takes a few thousand."""

SEARCH_S = 3.0
"""Of the processor's time, for one search; a text of 400 given characters takes 0.3 to 0.5 s, the first time."""

DEPTHS = (2, 6, 18, 54)
"""Choices within choices that are tried before one is made. Few first: of a schema that holds itself, the ways that go
into it again end nowhere, or later than the others.
"""

MAX_WAYS = 512
"""Beginnings that are followed through one string or number."""

TAIL_BYTES = 48
"""Of an earlier way to the end, that are looked through for where to join it."""

FREE_BYTES = 70
"""More choices than that are free text, of which one letter is as good as another; so is any rest of a letter."""

SEPARATORS = b",]}"

NUMBER = b"-0123456789.eE+"

KINDS = (b"n", b"t", b"f", NUMBER, b'"', b"[", b"{")
"""What values start with, the shortest kinds first: they bound the search among the others."""


@dataclass(frozen=True)
class Place:
    """Where in a JSON text one is.

    Attributes:
        open: the brackets that are open, as in `{[`.
        in_string: behind its first quote.
        escaped: behind a backslash.
        awaits_key: in an object, before or in a key.
        key: what of that key is there.
    """

    open: bytes = b""
    in_string: bool = False
    escaped: bool = False
    awaits_key: bool = False
    key: bytes = b""

    def after(self, text: bytes) -> Place:
        """The place behind more text."""
        place = self
        for value in text:
            place = place._step(value)
        return place

    def _step(self, value: int) -> Place:
        if self.in_string:
            key = self.key + bytes([value]) if self.awaits_key else b""
            if self.escaped:
                return replace(self, escaped=False, key=key)
            if value == ord('"'):
                return replace(self, in_string=False, key=b"")
            return replace(self, escaped=value == ord("\\"), key=key)
        match chr(value):
            case '"':
                return replace(self, in_string=True)
            case "{" | "[":
                return Place(self.open + bytes([value]), awaits_key=value == ord("{"))
            case "}" | "]":
                return Place(self.open[:-1])
            case ",":
                return replace(self, awaits_key=self.open.endswith(b"{"))
            case ":":
                return replace(self, awaits_key=False)
            case _:
                return self


def shortest_closing(matcher: LLMatcher, place: Place, vocabulary: Vocabulary) -> tuple[int, ...] | None:
    """The fewest tokens from here to an answer that matches; none where no end was found.

    Raises:
        BadInput: that takes longer than `SEARCH_S`, or the grammar engine has met a limit.
    """
    text = _Search(matcher.deep_copy(), place, vocabulary).close()
    return None if text is None else vocabulary.fewest_tokens(text)


def closing_after(
    matcher: LLMatcher, place: Place, vocabulary: Vocabulary, before: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Some way from here to the end, found quickly by the one from a token earlier, most of which often still leads
    there. It is at most a little longer than the shortest.
    """
    ahead = matcher.deep_copy()
    if ahead.try_consume_tokens(list(before)) == len(before) and ahead.is_accepting():
        return before
    tail = b"".join(vocabulary.spelt(token) for token in before)
    text = _Search(matcher.deep_copy(), place, vocabulary, tail).close()
    return None if text is None else vocabulary.fewest_tokens(text)


@dataclass(frozen=True)
class _Mark:
    """A point that the search can go back to."""

    place: Place
    text: bytes


class _Search:
    """A matcher that goes ahead byte by byte and can be set back.

    Args:
        tail: text that ended the answer from a little earlier; it is taken as soon as a part of it fits.
    """

    def __init__(self, matcher: LLMatcher, place: Place, vocabulary: Vocabulary, tail: bytes = b"") -> None:
        self._matcher = matcher
        self._place = place
        self._vocabulary = vocabulary
        self._tokens = vocabulary.bytes_at
        self._ends_at = time.thread_time() + SEARCH_S
        self._tail = tail
        self._text = b""
        self._num_probes = 0
        self._max_depth = 0

    def close(self) -> bytes | None:
        """Text that ends the answer."""
        start = self._mark()
        for self._max_depth in DEPTHS:
            if self._finish(0, MAX_CLOSING_BYTES, 0):
                return self._text
            self._back(start)
        return None

    def _finish(self, level: int, limit: int, depth: int) -> bool:
        """Go to the end of the value that stands within `level` brackets; where that is 0, of everything.

        Args:
            limit: bytes of text at which to give up.
            depth: searches that wait for this one.
        """
        while len(self._text) <= limit and depth <= self._max_depth and self._num_probes < MAX_PROBES:
            if level == 0 and self._matcher.is_accepting():
                return True
            if depth == 0 and self._tail and self._join_tail():
                return True
            if forced := self._matcher.compute_ff_bytes():
                if not (own := self._within(forced, level)):
                    return True
                moved = self._go(own)
            else:
                options = self._options()
                if self._stands_at(level) and any(value in options for value in SEPARATORS):
                    return True
                moved = self._choose(options, limit, depth)
            if not moved:
                return False
        return False

    def _choose(self, options: bytes, limit: int, depth: int) -> bool:
        """Go one step towards the end, where several are possible."""
        if self._place.in_string:
            return self._choose_key(limit, depth) if self._place.awaits_key else self._leave(options)
        for closer in (b"]", b"}", b","):
            if closer in options:
                return self._go(closer)
        kinds = [kind for kind in KINDS if any(value in options for value in kind)]
        if len(kinds) > 1:
            return self._choose_kind(kinds, limit, depth)
        return bool(kinds) and self._begin(kinds[0])

    def _begin(self, kind: bytes) -> bool:
        """Start a value of a kind, or go on with a number."""
        return self._leave(NUMBER) if kind == NUMBER else self._go(kind)

    def _choose_kind(self, kinds: list[bytes], limit: int, depth: int) -> bool:
        """Go to the end of the shortest of several values that may stand here."""
        start, level, best = self._mark(), len(self._place.open), None
        for kind in kinds:
            most = limit if best is None else len(start.text) + len(best) - 1
            if self._begin(kind) and self._finish(level, most, depth + 1) and len(self._text) <= most:
                best = self._text[len(start.text) :]
            self._back(start)
        return best is not None and self._go(best)

    def _choose_key(self, limit: int, depth: int) -> bool:
        """Go to the end of the member after which fewest of the other keys may follow.

        Keys stand in the schema's order, so that those before the next required one can be left out.
        """
        start, level = self._mark(), len(self._place.open)
        ends = self._ways(self._options(), every=True)
        if len(ends) == 1:
            return self._go(ends[0])
        keys = {start.place.key + end for end in ends}
        ranked: list[tuple[int, int, bytes]] = []
        for end in ends:
            if self._go(end) and self._finish(level, limit, depth + 1):
                text = self._text[len(start.text) :]
                ranked.append((len(keys & self._following()), len(text), text))
            self._back(start)
        return bool(ranked) and self._go(min(ranked)[2])

    def _following(self) -> set[bytes]:
        """Keys that may come behind a member of an object; none where the object can be closed."""
        if b"}" in self._options() or not self._go(b', "'):
            return set()
        start = self._place.key
        return {start + end for end in self._ways(self._options(), every=True)}

    def _leave(self, options: bytes) -> bool:
        """Go to the end of the string or number that one is in, or of the number that may start."""
        ways = self._ways(options, every=False) or self._ways(options, every=False, longest_first=True)
        return bool(ways) and self._go(ways[0])

    def _ways(self, first: bytes, *, every: bool, longest_first: bool = False) -> list[bytes]:
        """Ends of a string or number: the shortest, or every one, shortest first.

        Args:
            first: what it may go on with, at most.
            longest_first: some end, where there are too many ways to find the shortest.
        """
        start = self._mark()
        in_string = start.place.in_string
        step = -1 if longest_first else 1
        waiting = [(0, b"")]
        seen: set[tuple[int, bytes]] = set()
        found: list[bytes] = []
        for _ in range(MAX_WAYS):
            if not waiting or (found and not every):
                break
            _, text = heapq.heappop(waiting)
            self._back(start)
            if not self._go(text):
                continue
            forced = self._within(self._matcher.compute_ff_bytes(), len(start.place.open))
            if forced and self._place.in_string == in_string:
                text += forced
                heapq.heappush(waiting, (step * len(text), text))
                continue
            options = self._options()
            if in_string != self._place.in_string or (text and not in_string and self._is_number_done(options)):
                found.append(text)
                continue
            if not text:
                options = bytes(value for value in options if value in first)
            while self._is_free(options) and b'"' not in options and self._go(_letter(options)):
                options = self._options()
            text = self._text[len(start.text) :]
            if every or (len(text), options) not in seen:
                seen.add((len(text), options))
                for value in self._worth(options, every=every):
                    heapq.heappush(waiting, (step * (len(text) + 1), text + bytes([value])))
        self._back(start)
        return found

    def _is_number_done(self, options: bytes) -> bool:
        return self._matcher.is_accepting() or any(value in options for value in SEPARATORS)

    def _worth(self, options: bytes, *, every: bool) -> bytes:
        """What is worth following of what may come next."""
        if not self._place.in_string:
            return bytes(value for value in options if value in NUMBER)
        return b'"' if b'"' in options and (not every or self._is_free(options)) else options

    def _is_free(self, options: bytes) -> bool:
        return self._place.in_string and (len(options) > FREE_BYTES or options[:1] >= b"\x80")

    def _within(self, forced: bytes, level: int) -> bytes:
        """The part of forced text that belongs to the value within `level` brackets, or to the string one is in."""
        place = self._place
        for index, value in enumerate(forced):
            if not place.in_string and len(place.open) == level and value in SEPARATORS:
                return forced[:index]
            following = place.after(forced[index : index + 1])
            if self._place.in_string and not following.in_string:
                return forced[: index + 1]
            place = following
        return forced

    def _join_tail(self) -> bool:
        """Go on as the tail does, if a part of it fits here."""
        here = self._mark()
        ends = [index for index, value in enumerate(self._tail[:TAIL_BYTES]) if value in b'"' + SEPARATORS]
        for index in [0, *ends]:
            if self._go(self._tail[index:]):
                if self._matcher.is_accepting():
                    return True
                self._back(here)
        return False

    def _stands_at(self, level: int) -> bool:
        return bool(level) and not self._place.in_string and len(self._place.open) == level

    def _options(self) -> bytes:
        """Bytes that may come next."""
        self._num_probes += 1
        flags = following(self._matcher, self._vocabulary)
        return np.flatnonzero((self._tokens >= 0) & flags[self._tokens]).astype(np.uint8).tobytes()

    def _go(self, text: bytes) -> bool:
        """Add text, or none of it where the grammar does not take all."""
        if time.thread_time() > self._ends_at:
            raise too_complex()
        tokens = [int(self._tokens[value]) for value in text]
        taken = 0 if -1 in tokens else self._matcher.try_consume_tokens(tokens)
        if self._matcher.is_error():
            raise too_complex()
        if taken < len(tokens):
            self._matcher.rollback(taken)
            return False
        self._place, self._text = self._place.after(text), self._text + text
        return True

    def _mark(self) -> _Mark:
        return _Mark(self._place, self._text)

    def _back(self, mark: _Mark) -> None:
        self._matcher.rollback(len(self._text) - len(mark.text))
        self._place, self._text = mark.place, mark.text


def _letter(options: bytes) -> bytes:
    return b"a" if b"a" in options else options[:1]

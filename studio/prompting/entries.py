"""Entries of a JSON answer: objects or bare lists of numbers, under whatever names models give them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from studio.captions import UnusableAnswer, sendable, values_in
from studio.prompting.results import MAX_RESULTS, Parsed, Result
from studio.requests import shown

Entry = dict[str, Any]
Read = TypeVar("Read", bound=Result)

MAX_SKIPPED = 16
MAX_SAID = 2000
"""Characters of one text of an entry."""


class NotOne(ValueError):  # noqa: N818 - a sentence about one entry, never shown to a person as an error
    """An entry is not what the parser is looking for; the message says why."""


def read_entries(text: str, read: Callable[[Entry], Result], bare: str = "") -> Parsed:
    """Every entry of an answer that can be read.

    An answer that is an empty list found nothing, and says so.

    Args:
        text: the answer.
        read: makes a result of one entry, or raises NotOne.
        bare: the name that a bare list of numbers goes by.

    Raises:
        UnusableAnswer: there is no JSON, or none of its entries can be read.
    """
    results: list[Result] = []
    skipped: list[str] = []
    empty = False
    for value in values_in(text):
        empty = empty or value == []
        for entry in _entries(value, bare):
            if len(results) == MAX_RESULTS:
                return Parsed(results=tuple(results), skipped=(*skipped, f"everything after {MAX_RESULTS} entries"))
            try:
                results.append(read(entry))
            except NotOne as error:
                skipped.append(f"{shown(entry)}: {error}")
    if not results and not empty:
        why = "; ".join(skipped[:3]) or "its JSON has no entries"
        raise UnusableAnswer(f"The answer has no usable result: {why}.")
    return Parsed(results=tuple(results), skipped=tuple(skipped[:MAX_SKIPPED]))


def _entries(value: Any, bare: str) -> Iterator[Entry]:
    """Objects of a value, whether it is one, a list of them, or an object around such a list."""
    if isinstance(value, dict):
        entry = cast(Entry, value)
        inner = [child for child in entry.values() if _is_list_of_objects(child)]
        if len(inner) == 1:
            yield from _entries(inner[0], bare)
        else:
            yield entry
    elif isinstance(value, list):
        items = cast(list[Any], value)
        if bare and items and all(_is_number(item) for item in items):
            yield {bare: items}
        else:
            for item in items:
                if isinstance(item, dict | list):
                    yield from _entries(item, bare)


def _is_list_of_objects(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    items = cast(list[Any], value)
    return bool(items) and all(isinstance(item, dict) for item in items)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def field_of(entry: Entry, names: tuple[str, ...]) -> Any:
    """The first of several names that an entry has, or None."""
    return next((entry[name] for name in names if name in entry), None)


def text_of(entry: Entry, names: tuple[str, ...]) -> str:
    """The first of several names that an entry has, as short text; "" without one."""
    return as_text(field_of(entry, names))


def as_text(value: Any) -> str:
    """A text or a number as short text that can be sent; "" for anything else."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return ""
    try:
        text = str(value)
    except ValueError:  # an integer of more than 4,300 digits
        return ""
    return sendable(text).strip()[:MAX_SAID]


def numbers_of(value: Any, count: int) -> list[float]:
    """So many finite numbers, from a list or from a text like "12, 34".

    Raises:
        NotOne: they are not.
    """
    items: list[Any] = []
    if isinstance(value, str):
        items = value.strip(" []()").split(",")
    elif isinstance(value, list):
        items = cast(list[Any], value)
    numbers = [number for item in items if (number := _as_number(item)) is not None]
    if not len(numbers) == len(items) == count:
        raise NotOne(f"expected {count} numbers, got {shown(cast(object, value))}")
    return numbers


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None

"""Truths and readings that are results of a parser: boxes and intervals go through the one that reads answers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeVar

from pydantic import JsonValue

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation.benchmark import Item
from studio.prompting.parsers import Parser
from studio.prompting.results import Box, Frame, Interval, Point, Result
from studio.requests import shown

Found = TypeVar("Found", Box, Interval, Point)


def truths(item: Item, parse: Parser, kind: type[Found], example: str) -> list[Found]:
    """An item's reference as results.

    Args:
        item: whose reference.
        parse: reads it as it reads answers.
        kind: of the results.
        example: of a reference.

    Raises:
        BadInput: an entry cannot be read.
    """
    wrong = BadInput(f"reference is {shown(item.reference)}; expected a list.", param="reference", hint=example)
    if not isinstance(item.reference, list):
        raise wrong
    try:
        parsed = parse(json.dumps(item.reference), Frame())
    except UnusableAnswer as error:
        raise BadInput(f"reference: {error.why}", param="reference", hint=example) from None
    if parsed.skipped:
        raise BadInput(f"reference: {parsed.skipped[0]}.", param="reference", hint=example)
    return of_kind(parsed.results, kind)


def of_kind(results: Iterable[Result], kind: type[Found]) -> list[Found]:
    """The results of one kind."""
    return [result for result in results if isinstance(result, kind)]


def as_json(results: Iterable[Box | Interval | Point]) -> JsonValue:
    """Results as a reading: what a parser, or `kind.model_validate`, takes again."""
    return [result.model_dump(mode="json", exclude_defaults=True) for result in results]


def same_label(one: str, other: str) -> bool:
    """Whether two labels may be of one thing: without a label anything fits."""
    return not one or not other or one.strip().casefold() == other.strip().casefold()

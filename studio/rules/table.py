"""The rules table, and the two questions that are asked of it.

`refusals` answers "may this run?" for a whole request and `choices` answers "what may be chosen?" for a form; both read
the same rows, so that a form never offers what the server refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, get_args

from studio.errors import NotAllowed
from studio.requests import REQUESTS, Request
from studio.rules.canvas import CANVASES
from studio.rules.capabilities import Capabilities


@dataclass(frozen=True)
class Rule:
    """One row: which values of `field` a checkpoint takes, and how to say that it does not take another."""

    kinds: Collection[str]
    field: str
    allowed: Callable[[Capabilities], Collection[Any]]
    reason: str

    def refuses(self, value: object, capabilities: Capabilities) -> str:
        """Why this checkpoint does not take a value; empty when it does."""
        if value in self.allowed(capabilities):
            return ""
        return self.reason.format(checkpoint=capabilities.checkpoint, value=value)


RULES: tuple[Rule, ...] = (
    Rule(("generate_image",), "kind", lambda can: can.kinds, "{checkpoint} does not serve {value}"),
    Rule(("generate_image",), "resolution", lambda can: can.resolutions, "{checkpoint} does not draw at {value}p"),
    Rule(("generate_image",), "aspect_ratio", lambda can: can.aspect_ratios, "{checkpoint} does not draw {value}"),
)


@dataclass(frozen=True)
class Refusal:
    """Why a field's value cannot be had, and what could be."""

    field: str
    reason: str
    allowed: tuple[Any, ...]

    def error(self) -> NotAllowed:
        """The same as an error."""
        options = ", ".join(str(value) for value in self.allowed)
        return NotAllowed(f"{self.reason}.", param=self.field, hint=f"It takes {options}." if options else "")


@dataclass(frozen=True)
class Choice:
    """One option of a field; `refused` is empty when it may be chosen."""

    value: Any
    refused: str = ""


def refusals(request: Request, capabilities: Capabilities) -> list[Refusal]:
    """Everything about a request that this checkpoint does not do, in the table's order."""
    return [
        Refusal(rule.field, reason, tuple(rule.allowed(capabilities)))
        for rule in RULES
        if request.kind in rule.kinds and (reason := rule.refuses(getattr(request, rule.field), capabilities))
    ]


def choices(kind: str, capabilities: Capabilities) -> dict[str, list[Choice]]:
    """The options of every ruled field of a request kind, refused ones with the reason."""
    drawn: dict[str, list[Choice]] = {}
    for rule in RULES:
        if kind in rule.kinds:
            options = get_args(REQUESTS[kind].model_fields[rule.field].annotation)
            drawn[rule.field] = [Choice(value, rule.refuses(value, capabilities)) for value in options]
    return drawn


def legal_sizes(capabilities: Capabilities) -> list[tuple[int, int]]:
    """Every (width, height) that a checkpoint draws, smallest tier first."""
    return [
        CANVASES[resolution][shape] for resolution in capabilities.resolutions for shape in capabilities.aspect_ratios
    ]

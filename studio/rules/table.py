"""The rules table, and the two questions that are asked of it.

`refusals` answers "may this run?" for a whole request and `choices` answers "what may be chosen?" for a form; both read
the same rows, so that a form never offers what the server refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, get_args

from studio.errors import NotAllowed
from studio.requests import REQUESTS, GenerateImage, GenerateVideo, Resolution
from studio.rules.canvas import CANVASES
from studio.rules.capabilities import Capabilities

MOST_FRAMES: dict[Resolution, int] = {"256": 397, "480": 397, "720": 297}
"""Frames of a clip by tier (the hard limits of NVIDIA's own service for these checkpoints)."""


@dataclass(frozen=True)
class Rule:
    """One row about a field with options: which of them a checkpoint takes, and how to say that it does not."""

    kinds: Collection[str]
    field: str
    allowed: Callable[[Capabilities], Collection[Any]]
    reason: str

    def refuses(self, value: object, capabilities: Capabilities) -> str:
        """Why this checkpoint does not take a value; empty when it does."""
        if value in self.allowed(capabilities):
            return ""
        return self.reason.format(checkpoint=capabilities.checkpoint, value=value)


@dataclass(frozen=True)
class Limit:
    """One row about a number: how far it may go, given the checkpoint and the rest of the request."""

    kinds: Collection[str]
    field: str
    range: Callable[[Capabilities, GenerateVideo], tuple[float, float]]
    reason: str


IMAGE, VIDEO = "generate_image", "generate_video"

RULES: tuple[Rule, ...] = (
    Rule((IMAGE, VIDEO), "kind", lambda can: can.kinds, "{checkpoint} does not serve {value}"),
    Rule((IMAGE,), "resolution", lambda can: can.resolutions, "{checkpoint} does not draw at {value}p"),
    Rule((VIDEO,), "resolution", lambda can: can.video_resolutions, "{checkpoint} makes no clips at {value}p"),
    Rule((IMAGE, VIDEO), "aspect_ratio", lambda can: can.aspect_ratios, "{checkpoint} does not draw {value}"),
    Rule((VIDEO,), "sound", lambda can: (False, True) if can.sound else (False,), "{checkpoint} makes no sound"),
)

LIMITS: tuple[Limit, ...] = (
    Limit(
        (VIDEO,),
        "num_frames",
        lambda can, request: (can.num_frames[0], min(can.num_frames[1], MOST_FRAMES.get(request.resolution, 0))),
        "{checkpoint} makes no clips of {value} frames at this size",
    ),
    Limit((VIDEO,), "fps", lambda can, _: can.fps, "{checkpoint} makes no clips at {value} frames per second"),
)


@dataclass(frozen=True)
class Refusal:
    """Why a field's value cannot be had, and what could be."""

    field: str
    reason: str
    hint: str

    def error(self) -> NotAllowed:
        """The same as an error."""
        return NotAllowed(f"{self.reason}.", param=self.field, hint=self.hint)


@dataclass(frozen=True)
class Choice:
    """One option of a field; `refused` is empty when it may be chosen."""

    value: Any
    refused: str = ""


def refusals(request: GenerateImage | GenerateVideo, capabilities: Capabilities) -> list[Refusal]:
    """Everything about a request that this checkpoint does not do, in the table's order."""
    found = [
        Refusal(rule.field, reason, _options(rule.allowed(capabilities)))
        for rule in RULES
        if request.kind in rule.kinds and (reason := rule.refuses(getattr(request, rule.field), capabilities))
    ]
    if isinstance(request, GenerateVideo) and not found:
        for limit in LIMITS:
            low, high = limit.range(capabilities, request)
            value = getattr(request, limit.field)
            if not low <= value <= high:
                reason = limit.reason.format(checkpoint=capabilities.checkpoint, value=f"{value:g}")
                found.append(Refusal(limit.field, reason, f"It takes {low:g} to {high:g}."))
    return found


def choices(kind: str, capabilities: Capabilities) -> dict[str, list[Choice]]:
    """The options of every ruled field of a request kind, refused ones with the reason."""
    drawn: dict[str, list[Choice]] = {}
    for rule in RULES:
        if kind in rule.kinds:
            annotation = REQUESTS[kind].model_fields[rule.field].annotation
            options = (False, True) if annotation is bool else get_args(annotation)
            drawn[rule.field] = [Choice(value, rule.refuses(value, capabilities)) for value in options]
    return drawn


def legal_sizes(capabilities: Capabilities) -> list[tuple[int, int]]:
    """Every (width, height) of pictures that a checkpoint draws, smallest tier first."""
    return [
        CANVASES[resolution][shape] for resolution in capabilities.resolutions for shape in capabilities.aspect_ratios
    ]


def _options(allowed: Collection[Any]) -> str:
    return f"It takes {', '.join(str(value) for value in allowed)}." if allowed else ""

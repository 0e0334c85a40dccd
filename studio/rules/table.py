"""The rules table, and the two questions that are asked of it.

`refusals` answers "may this run?" for a whole request and `choices` answers "what may be chosen?" for a form; both read
the same rows, so that a form never offers what the server refuses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, get_args

from pydantic import BaseModel

from studio.errors import NotAllowed
from studio.requests import KINDS, Kind, Request, Resolution
from studio.requests.frames import TEMPORAL_STRIDE
from studio.rules.canvas import CANVASES
from studio.rules.capabilities import Capabilities

MOST_FRAMES: dict[Resolution, int] = {"256": 397, "480": 397, "720": 297}
"""Frames of a clip by tier (the hard limits of NVIDIA's own service for these checkpoints)."""


Scope = Callable[[Kind], bool]
"""Which kinds a row is about."""


@dataclass(frozen=True)
class Row:
    """What every row has: the kinds that it is about, and the field."""

    scope: Scope
    field: str

    def rules(self, kind: str) -> bool:
        """Whether it is about a kind."""
        return self.scope(KINDS[kind])


@dataclass(frozen=True)
class Rule(Row):
    """One row about a field with options: which of them a checkpoint takes, and how to say that it does not.

    The field of a list's entries is named after the list: `controls.hint`.
    """

    allowed: Callable[[Capabilities], Collection[Any]]
    reason: str

    def refuses(self, value: object, capabilities: Capabilities) -> str:
        """Why this checkpoint does not take a value; empty when it does."""
        if value in self.allowed(capabilities):
            return ""
        return self.reason.format(checkpoint=capabilities.checkpoint, value=value)


@dataclass(frozen=True)
class Limit(Row):
    """One row about a number: how far it may go, given the checkpoint and the rest of the request."""

    range: Callable[[Capabilities, Any], tuple[float, float]]
    reason: str


def _every(_: Kind) -> bool:
    return True


def _pictures(kind: Kind) -> bool:
    return kind.can_make("image")


def _clips(kind: Kind) -> bool:
    return kind.can_make("video") and not kind.acts


def _clips_at_once(kind: Kind) -> bool:
    """Of a clip in chunks each is as long as a clip that is made at once."""
    return _clips(kind) and not kind.has("num_chunk_frames")


def _acting(kind: Kind) -> bool:
    return kind.acts


def _policies(kind: Kind) -> bool:
    return kind.planner == "policy"


def _with(field: str) -> Scope:
    return lambda kind: kind.has(field)


def _clip_frames(can: Capabilities, request: Any) -> tuple[float, float]:
    """The fewest and most that fill their last latent frame: of 50 to 150 these are 53 and 149."""
    fewest, most = can.num_frames[0], min(can.num_frames[1], MOST_FRAMES.get(request.resolution, 0))
    return fewest + (1 - fewest) % TEMPORAL_STRIDE, most - (most - 1) % TEMPORAL_STRIDE


def _steps(can: Capabilities, _: Any) -> tuple[float, float]:
    return (can.distilled_steps, can.distilled_steps) if can.distilled_steps else (1, math.inf)


def _guidance(can: Capabilities, _: Any) -> tuple[float, float]:
    return (1, 1) if can.distilled_steps else (0, math.inf)


def _step_cache(can: Capabilities, _: Any) -> tuple[float, float]:
    return (0, 0) if can.distilled_steps else (0, math.inf)


RULES: tuple[Rule, ...] = (
    Rule(_every, "kind", lambda can: can.kinds, "{checkpoint} does not support {value}"),
    Rule(_pictures, "resolution", lambda can: can.resolutions, "{checkpoint} does not support images at {value}p"),
    Rule(_clips, "resolution", lambda can: can.video_resolutions, "{checkpoint} does not support videos at {value}p"),
    Rule(_with("aspect_ratio"), "aspect_ratio", lambda can: can.aspect_ratios, "{checkpoint} does not support {value}"),
    Rule(
        _with("sound"),
        "sound",
        lambda can: (False, True) if can.sound else (False,),
        "{checkpoint} does not generate sound",
    ),
    Rule(_with("controls"), "controls.hint", lambda can: can.hints, "{checkpoint} does not support {value} controls"),
    Rule(_acting, "resolution", lambda can: can.action_resolutions, "{checkpoint} does not support frames at {value}p"),
    Rule(_acting, "embodiment", lambda can: can.embodiments, "{checkpoint} does not support the embodiment {value}"),
)

LIMITS: tuple[Limit, ...] = (
    Limit(
        _every,
        "sampling.num_inference_steps",
        _steps,
        "{checkpoint} is distilled and does not support {value} steps",
    ),
    Limit(
        _every,
        "sampling.guidance_scale",
        _guidance,
        "{checkpoint} is distilled and does not support a guidance scale of {value}",
    ),
    Limit(
        lambda kind: not _policies(kind),
        "sampling.step_cache",
        _step_cache,
        "{checkpoint} is distilled to a few steps and does not support a step cache of {value}",
    ),
    Limit(
        _policies,
        "sampling.step_cache",
        lambda _, __: (0, 0),
        "a policy runs few steps and does not support a step cache of {value}",
    ),
    Limit(
        _clips_at_once,
        "num_frames",
        _clip_frames,
        "{checkpoint} does not support videos of {value} frames at this resolution",
    ),
    Limit(
        _with("num_chunk_frames"),
        "num_chunk_frames",
        _clip_frames,
        "{checkpoint} does not support chunks of {value} frames at this resolution",
    ),
    Limit(_clips, "fps", lambda can, _: can.fps, "{checkpoint} does not support {value} frames per second"),
    Limit(
        _acting,
        "action_width",
        lambda can, _: (1, can.max_action_width),
        "{checkpoint} does not support actions of {value} values",
    ),
    Limit(
        _acting,
        "num_actions",
        lambda can, _: can.num_actions,
        "{checkpoint} does not support {value} actions at a time",
    ),
)
"""Sound with transfer and the like are no rows: a request has only the fields that go with its kind."""


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


def refusals(request: Request, capabilities: Capabilities) -> list[Refusal]:
    """Everything about a request that this checkpoint does not do, in the table's order."""
    found = [
        Refusal(path, reason, _options(rule.allowed(capabilities)))
        for rule in RULES
        if rule.rules(request.kind)
        for path, value in _said_of(request, rule.field)
        if (reason := rule.refuses(value, capabilities))
    ]
    if found:
        return found
    for limit in LIMITS:
        if limit.rules(request.kind):
            low, high = limit.range(capabilities, request)
            value = attrgetter(limit.field)(request)
            if value is not None and not low <= value <= high:
                reason = limit.reason.format(checkpoint=capabilities.checkpoint, value=f"{value:g}")
                found.append(Refusal(limit.field, reason, f"It supports {_said(low, high)}."))
    return found


def choices(kind: str, capabilities: Capabilities) -> dict[str, list[Choice]]:
    """The options of every ruled field of a request kind, refused ones with the reason."""
    drawn: dict[str, list[Choice]] = {}
    for rule in RULES:
        if rule.rules(kind):
            annotation = _annotation(KINDS[kind].model, rule.field)
            options = (False, True) if annotation is bool else get_args(annotation)
            drawn[rule.field] = [Choice(value, rule.refuses(value, capabilities)) for value in options]
    return drawn


def _said_of(request: Request, field: str) -> Iterator[tuple[str, Any]]:
    """What a request says of a ruled field, by path: `controls.hint` of two controls is `controls.0.hint` and 1."""
    name, _, inner = field.partition(".")
    if not inner:
        yield name, getattr(request, name)
        return
    for index, entry in enumerate(getattr(request, name)):
        yield f"{name}.{index}.{inner}", getattr(entry, inner)


def _annotation(model: type[BaseModel], field: str) -> Any:
    name, _, inner = field.partition(".")
    annotation = model.model_fields[name].annotation
    return _annotation(get_args(annotation)[0], inner) if inner else annotation


@dataclass(frozen=True)
class Span:
    """How far a number may go, and why no further."""

    low: float
    high: float
    reason: str


@dataclass(frozen=True)
class _Tier:
    resolution: str


def spans(kind: str, capabilities: Capabilities) -> dict[str, dict[str, Span]]:
    """The bounds of every ruled number of a request kind, by field and tier; the tier "" stands for all of them.

    Infinite bounds, which a request's own ones undercut, are left out.
    """
    drawn: dict[str, dict[str, Span]] = {}
    for limit in LIMITS:
        if limit.rules(kind):
            found = {tier: limit.range(capabilities, _Tier(tier)) for tier in CANVASES}
            tiers = {"": next(iter(found.values()))} if len(set(found.values())) == 1 else found
            finite = {tier: (low, high) for tier, (low, high) in tiers.items() if low <= high < math.inf}
            if finite:
                drawn[limit.field] = {
                    tier: Span(low, high, f"{capabilities.checkpoint} supports {_said(low, high)}")
                    for tier, (low, high) in finite.items()
                }
    return drawn


def _said(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def legal_sizes(capabilities: Capabilities) -> list[tuple[int, int]]:
    """Every (width, height) of pictures that a checkpoint draws, smallest tier first."""
    return [
        CANVASES[resolution][shape] for resolution in capabilities.resolutions for shape in capabilities.aspect_ratios
    ]


def _options(allowed: Collection[Any]) -> str:
    return f"It supports {', '.join(str(value) for value in allowed)}." if allowed else ""


def nearest_value(request: Request, field: str, capabilities: Capabilities) -> Any:
    """The nearest value of a ruled field that would not be refused; None where another one would be another request.

    Sizes, shapes and numbers have a nearest; a kind, a body and a control have none.
    """
    for limit in LIMITS:
        if limit.field == field and limit.rules(request.kind):
            low, high = limit.range(capabilities, request)
            said = attrgetter(field)(request)
            return type(said)(min(max(said, low), high)) if low <= high else None
    options = next(
        (tuple(rule.allowed(capabilities)) for rule in RULES if rule.field == field and rule.rules(request.kind)), ()
    )
    said = getattr(request, field, None)
    if field == "resolution" and options:
        return max((option for option in options if int(option) <= int(str(said))), key=int, default=min(options))
    if field == "aspect_ratio" and options:
        return _nearest_shape(str(said), options)
    return False if field == "sound" else None


def _nearest_shape(said: str, options: Sequence[str]) -> str:
    def ratio(shape: str) -> float:
        width, height = next(size for name, size in CANVASES["720"].items() if name == shape)
        return math.log(width / height)

    return min(options, key=lambda option: abs(ratio(option) - ratio(said)))

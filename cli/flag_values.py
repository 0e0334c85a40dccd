"""Flags that stand for more than a word: `--control edge@high:0.5`, `--adapter style:0.8`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cli.attachments import Attachments
from studio.errors import BadInput
from studio.requests import shown

CONTROL_FORMS = "edge=clip.mp4, edge=clip.mp4:0.5, edge (from the source clip) or edge@high"


def parse_controls(words: Sequence[str], attachments: Attachments) -> list[dict[str, Any]]:
    """Controls: a hint with its clip, or one that is computed at a strength; a number behind a colon is its weight.

    `edge=clip.mp4:0.5` is `{"hint": "edge", "video": <the clip's id>, "weight": 0.5}`, and `blur@high:2` is
    `{"hint": "blur", "strength": "high", "weight": 2.0}`.

    Raises:
        BadInput: there is no such file, or nothing is said.
    """
    return [_control(word, attachments) for word in words]


def parse_adapter(word: str) -> dict[str, Any]:
    """`style:0.8` is `{"name": "style", "scale": 0.8}`; without a number the request's default holds."""
    name, scale = _number_behind(word)
    return {"name": name, **({} if scale is None else {"scale": scale})}


def _control(word: str, attachments: Attachments) -> dict[str, Any]:
    hint, equals, clip = word.partition("=")
    control: dict[str, Any] = {}
    if equals:
        clip, weight = _number_behind(clip)
        control["hint"], control["video"] = hint, attachments.name(clip, "controls")
    else:
        hint, weight = _number_behind(word)
        control["hint"], at, strength = hint.partition("@")
        if at:
            control["strength"] = strength
    if not control["hint"]:
        raise BadInput(f"--control is {shown(word)}; expected {CONTROL_FORMS}.", param="controls")
    return {**control, **({} if weight is None else {"weight": weight})}


def _number_behind(word: str) -> tuple[str, float | None]:
    """A word and the number behind its last colon, if that is one: `C:clip.mp4` is a word."""
    head, colon, tail = word.rpartition(":")
    try:
        return (head, float(tail)) if colon else (word, None)
    except ValueError:
        return word, None

"""Fields that are said once for all samples: `--set num_frames=9 --set edge.weight=0.5`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from studio.errors import BadInput
from studio.requests import shown


def parse_overrides(words: Sequence[str]) -> dict[str, Any]:
    """Fields by name, nested at dots. A value is JSON where it can be read as JSON, else the text as it stands.

    `["num_frames=9", "edge.weight=0.5", "aspect_ratio=16:9"]` gives
    `{"num_frames": 9, "edge": {"weight": 0.5}, "aspect_ratio": "16:9"}`; the last of two wins.

    Raises:
        BadInput: a word is no `field=value`.
    """
    said: dict[str, Any] = {}
    for word in words:
        path, equals, value = word.partition("=")
        names = path.split(".")
        if not equals or not all(name.isidentifier() for name in names):
            raise BadInput(
                f"--set got {shown(word)}; expected field=value, as in num_frames=9.",
                param="set",
                hint="A field inside another is written with a dot: edge.weight=0.5.",
            )
        node = said
        for name in names[:-1]:
            inner = node.get(name)
            inner = cast(dict[str, Any], inner) if isinstance(inner, dict) else dict[str, Any]()
            node[name] = inner
            node = inner
        node[names[-1]] = _value(value)
    return said


def merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """One over the other; objects in both are merged field by field, and null takes a field away."""
    merged = dict(under)
    for name, value in over.items():
        below = merged.get(name)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            merged[name] = merge(cast(Mapping[str, Any], below), cast(Mapping[str, Any], value))
        elif value is None:
            merged.pop(name, None)
        else:
            merged[name] = value
    return merged


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text

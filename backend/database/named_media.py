"""Which media a request names, from its JSON: what it is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

FIELDS = ("start_image", "source_video")


def named_media(request: Mapping[str, Any]) -> tuple[str, ...]:
    """Names in the store, each once; `{"start_image": "u0f…", "controls": [{"video": "u1a…"}]}` gives both."""
    named: list[Any] = [request.get(field) for field in FIELDS]
    controls = request.get("controls")
    if isinstance(controls, list | tuple):
        given = cast("Sequence[object]", controls)
        named += [cast("Mapping[str, Any]", each).get("video") for each in given if isinstance(each, Mapping)]
    return tuple(dict.fromkeys(name for name in named if isinstance(name, str)))

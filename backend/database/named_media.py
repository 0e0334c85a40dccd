"""Which media a request names, from its JSON: what it is made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from studio.requests import KINDS


def named_media(request: Mapping[str, Any]) -> tuple[str, ...]:
    """Names in the store, each once.

    Of a transfer `{"source_video": "u0f…", "controls": [{"video": "u1a…"}]}` both.
    """
    kind = KINDS.get(str(request.get("kind")))
    paths = [] if kind is None else [path for path, taken in kind.takes.items() if taken.type != "actions"]
    named = (name for path in paths for name in _values(request, path))
    return tuple(dict.fromkeys(name for name in named if isinstance(name, str)))


def _values(request: Mapping[str, Any], path: str) -> Iterator[object]:
    field, _, inner = path.partition(".")
    value = request.get(field)
    if not inner:
        yield value
    elif isinstance(value, list | tuple):
        entries = cast("Sequence[object]", value)
        yield from (cast("Mapping[str, Any]", each).get(inner) for each in entries if isinstance(each, Mapping))

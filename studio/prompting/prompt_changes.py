"""What differs between two prompts, text by text where both are JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from studio.refinements import PromptChange

MAX_CHANGES = 200


def prompt_changes(before: str, after: str) -> tuple[PromptChange, ...]:
    """The texts that differ, in the order of the new prompt; what is gone comes last.

    `{"a": "x", "b": "y"}` to `{"a": "z"}` gives a from x to z, and b from y to nothing.
    """
    old, new = _leaves(before), _leaves(after)
    changed = [
        PromptChange(path=path, before=old.get(path), after=text) for path, text in new.items() if old.get(path) != text
    ]
    gone = [PromptChange(path=path, before=text, after=None) for path, text in old.items() if path not in new]
    return tuple(changed + gone)[:MAX_CHANGES]


def _leaves(prompt: str) -> dict[str, str]:
    try:
        value: Any = json.loads(prompt)
    except (ValueError, RecursionError):
        value = None
    return dict(_texts(value, "")) if isinstance(value, dict) else {"": prompt}


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, child in cast(dict[str, Any], value).items():
            yield from _texts(child, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for number, child in enumerate(cast(list[Any], value)):
            yield from _texts(child, f"{path}.{number}")
    elif value not in (None, ""):
        yield path, value if isinstance(value, str) else json.dumps(value)

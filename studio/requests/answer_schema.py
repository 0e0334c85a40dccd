"""How large a JSON schema of an answer may be: what costs much to hold an answer to is refused before anybody tries."""

from __future__ import annotations

import json
from typing import Any, cast

MAX_SCHEMA_BYTES = 262_144
"""The caption schemas of the technical report (sections A.2 and A.3) take a tenth of it."""

MAX_SCHEMA_DEPTH = 64
"""Objects and lists within one another; the caption schemas have 10. The grammar engine's own JSON reader takes 127."""

MAX_SCHEMA_COUNTS = {
    "minLength": 8_192,
    "minItems": 8_192,
    "minProperties": 8_192,
    "multipleOf": 100_000,
}
"""The most that a schema may require. A longer answer has more than the 32 KiB to whose end the engine looks
(engine.reasoner.closing). Multiples are counted out by the grammar, in time with their size: 0.4 s of this one."""


def checked_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema. Raises ValueError: it is larger, deeper or wants more than an answer can have."""
    layer: list[Any] = [schema]
    for _ in range(MAX_SCHEMA_DEPTH):
        layer = [part for node in layer for part in _parts(node)]
        if not layer:
            break
    else:
        raise ValueError(f"the schema is nested more than {MAX_SCHEMA_DEPTH} deep")
    size_bytes = len(json.dumps(schema))
    if size_bytes > MAX_SCHEMA_BYTES:
        raise ValueError(f"the schema has {size_bytes:,} bytes; at most {MAX_SCHEMA_BYTES:,} are accepted")
    return schema


def _parts(node: Any) -> list[Any]:
    """Objects and lists directly inside of one, whose own counts are looked at."""
    if isinstance(node, list):
        values = cast(list[Any], node)
    else:
        for word, most in MAX_SCHEMA_COUNTS.items():
            said = node.get(word)
            if isinstance(said, int | float) and said > most:
                raise ValueError(f"{word} is {said:g} somewhere in the schema; at most {most:,} is accepted")
        values = cast(dict[str, Any], node).values()
    return [cast(Any, value) for value in values if isinstance(value, dict | list)]

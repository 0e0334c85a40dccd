"""Whether a schema can be shown to have no answer that ends."""

from __future__ import annotations

from typing import Any

MAX_LOOKS = 10_000
"""Parts of the schema that are looked at; beyond that nothing is claimed."""


def never_ends(schema: dict[str, Any]) -> bool:
    """Whether each answer of a schema would hold another one of the same. False where that cannot be shown."""
    return _Proof(schema).fails(schema, frozenset())


class _Proof:
    """Follows what is required. What stands within itself has no end on that way; on another one it may."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._num_looks = 0

    def fails(self, part: Any, within: frozenset[int]) -> bool:
        """Whether a part of the schema, inside of others, has no answer that ends."""
        self._num_looks += 1
        if not isinstance(part, dict) or self._num_looks > MAX_LOOKS:
            return False
        if id(part) in within:
            return True
        inner = within | {id(part)}
        if (name := part.get("$ref")) is not None and self.fails(self._target(name), inner):
            return True
        for key in ("anyOf", "oneOf"):
            if (ways := part.get(key)) and all(self.fails(way, inner) for way in ways):
                return True
        if any(self.fails(each, inner) for each in part.get("allOf", ())):
            return True
        if part.get("type") == "object":
            fields = part.get("properties", {})
            return any(name in fields and self.fails(fields[name], inner) for name in part.get("required", ()))
        return part.get("type") == "array" and part.get("minItems", 0) > 0 and self.fails(part.get("items"), inner)

    def _target(self, name: str) -> Any:
        """What a reference within the schema names; none where it cannot be followed."""
        found: Any = self._root
        if not name.startswith("#"):
            return None
        for step in name[1:].split("/")[1:]:
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        return found

"""The body of `POST /v1/jobs` as the API's documentation shows it: any of the kinds, with the example of its class.

The route itself takes any object, because what is left out comes from the checkpoint's preset first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from studio.requests import KINDS


def request_body() -> dict[str, Any]:
    """OpenAPI's `requestBody`."""
    schemas = {name: inlined(kind.model.model_json_schema()) for name, kind in KINDS.items()}
    examples = {
        name: {"summary": name, "value": {"kind": name, **example}}
        for name, schema in schemas.items()
        for example in schema.pop("examples", ())
    }
    content = {"schema": {"oneOf": list(schemas.values())}, "examples": examples}
    return {"required": True, "content": {"application/json": content}}


def inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with its own definitions put where they are referred to; none of ours refers to itself."""
    definitions = schema.get("$defs", {})

    def resolved(node: object) -> object:
        if isinstance(node, dict):
            entries = cast(dict[str, object], node)
            reference = entries.get("$ref")
            if isinstance(reference, str):
                beside = {name: value for name, value in entries.items() if name != "$ref"}
                return {**cast(dict[str, object], resolved(definitions[reference.rpartition("/")[2]])), **beside}
            return {name: resolved(value) for name, value in entries.items() if name != "$defs"}
        if isinstance(node, list):
            return [resolved(value) for value in cast(list[object], node)]
        return node

    return cast(dict[str, Any], resolved(dict(schema)))

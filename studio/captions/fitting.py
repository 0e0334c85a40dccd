"""A decoded answer fitted to a schema: the slips of type and length that a language model makes are put right."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from studio.captions.answer import Repair, repaired, sendable
from studio.captions.timing import TIMING, respelled

Schema = Mapping[str, Any]

_ANYTHING: Schema = {}


def fitted(value: Any, schema: Schema) -> tuple[Any, list[Repair]]:
    """The value with unknown keys dropped, texts and lists cut to their bounds, and plain types converted.

    What cannot be put right without guessing is left as it is, for validation to name.

    Args:
        value: decoded JSON, at most a few levels deep.
        schema: a JSON schema as pydantic writes it.
    """
    repairs: list[Repair] = []
    return _Fit(schema.get("$defs", {}), repairs).fit(value, schema, ""), repairs


class _Fit:
    """One walk over a value and its schema."""

    def __init__(self, definitions: Mapping[str, Schema], repairs: list[Repair]) -> None:
        self.definitions = definitions
        self.repairs = repairs

    def fit(self, value: Any, schema: Schema, path: str) -> Any:
        schema = self._resolved(schema)
        match schema.get("type"):
            case "object":
                return self._object(value, schema, path)
            case "array":
                return self._array(value, schema, path)
            case "string":
                return self._text(value, schema, path)
            case "integer":
                return self._integer(value, schema, path)
            case _:
                return value

    def _resolved(self, schema: Schema) -> Schema:
        if "$ref" in schema:
            return self.definitions[schema["$ref"].rpartition("/")[2]]
        options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
        return self._resolved(options[0]) if len(options) == 1 else schema

    def _object(self, value: Any, schema: Schema, path: str) -> Any:
        fields: Mapping[str, Schema] = schema.get("properties", {})
        if isinstance(value, str) and fields:
            first = next(iter(fields))
            if value and self._resolved(fields[first]).get("type") == "string":
                self._note("retyped", path, value)
                value = {first: value}
        if not isinstance(value, dict):
            return value
        given = cast(dict[str, Any], value)
        if not fields:
            return self._open_object(given, schema, path)
        kept: dict[str, Any] = {}
        for name, child in given.items():
            if name in fields:
                kept[name] = self.fit(child, fields[name], _joined(path, name))
            else:
                self._note("key_dropped", _joined(path, name), child)
        return kept

    def _open_object(self, given: dict[str, Any], schema: Schema, path: str) -> dict[str, Any]:
        """Of names that the schema does not know: each is made snake_case, as many are kept as may be."""
        rules = list(cast(Mapping[str, Schema], schema.get("patternProperties", _ANYTHING)).values())
        rule = rules[0] if rules else _ANYTHING
        kept: dict[str, Any] = {}
        for name, child in given.items():
            spelled = _snake_case(name)
            if not spelled or len(kept) >= schema.get("maxProperties", math.inf):
                self._note("key_dropped", _joined(path, name), child)
                continue
            if spelled != name:
                self._note("retyped", _joined(path, name))
            kept[spelled] = self.fit(child, rule, _joined(path, spelled))
        return kept

    def _array(self, value: Any, schema: Schema, path: str) -> Any:
        if value is None or value == "":
            self._note("retyped", path, value)
            return []
        if isinstance(value, str | dict):
            alone = cast(object, value)
            self._note("retyped", path, alone)
            value = [alone]
        if not isinstance(value, list):
            return value
        items = cast(list[Any], value)
        most = schema.get("maxItems", len(items))
        if len(items) > most:
            self._note("shortened", path, f"{len(items)} entries")
        return [
            self.fit(item, schema.get("items", _ANYTHING), f"{path}.{index}") for index, item in enumerate(items[:most])
        ]

    def _text(self, value: Any, schema: Schema, path: str) -> Any:
        text = _as_text(value)
        if text is None:
            return value
        if not isinstance(value, str):
            self._note("retyped", path, value)
        if schema.get("pattern") == TIMING:
            spelled = respelled(text)
            if spelled is not None and spelled != text:
                self._note("timing_respelled", path, text)
                text = spelled
        most = schema.get("maxLength", len(text))
        if len(text) > most and "pattern" not in schema:
            self._note("shortened", path, f"{len(text)} characters")
            text = shortened(text, most)
        return text

    def _integer(self, value: Any, schema: Schema, path: str) -> Any:
        least, most = schema.get("minimum", 0), schema.get("maximum", math.inf)
        number = _as_number(value)
        if number is None:
            return value
        bounded = int(min(max(number, least), most))
        if bounded != value or isinstance(value, bool):
            self._note("retyped", path, value)
        return bounded

    def _note(self, kind: Any, path: str, was: object = None) -> None:
        self.repairs.append(repaired(kind, path, was))


def shortened(text: str, most: int) -> str:
    """The beginning of a text up to its last whole sentence, or word, that fits."""
    head = text[:most]
    for mark in (". ", "! ", "? ", "; ", " "):
        stem, found, _ = head.rpartition(mark)
        if found and len(stem) >= most // 2:
            return (stem + mark).strip()
    return head


def _as_text(value: Any) -> str | None:
    if isinstance(value, str):
        return sendable(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value) if abs(value) < 1e15 else None
    if isinstance(value, list) and all(isinstance(item, str) for item in cast(list[Any], value)):
        return _as_text("; ".join(cast(list[str], value)))
    return None


def _as_number(value: Any) -> float | None:
    """A count: "2", "two"… anything that names no number counts as none, which is 0."""
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None:
        return 0
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return 0 if value.strip().lower() in ("", "n/a", "na", "none", "unknown", "null") else None
        return number if math.isfinite(number) else None
    return None


def _snake_case(name: str) -> str:
    spelled = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name.lower())
    return spelled.strip("_0123456789")[:40].rstrip("_")


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name

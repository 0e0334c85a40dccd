"""Reading the fields of somebody else's JSON, each with an error that names it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from studio.errors import BadInput
from studio.requests import cut, nearest, shown


def check_names(fields: Mapping[str, Any], known: Collection[str], path: str) -> None:
    """Raises BadInput for a field that is not known; `path` stands before its name, as in "response_format."."""
    for name in fields:
        if name not in known:
            full = cut(f"{path}{name}")
            raise BadInput(f"{full} is not a field here.", param=full, hint=nearest(name, known))


def object_of(fields: Mapping[str, Any], name: str, known: Collection[str], path: str = "") -> dict[str, Any]:
    """An object without its nulls, of known fields alone; an empty one where there is none. Raises BadInput."""
    value = fields.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadInput(f"{path}{name} is {shown(value)}; an object is expected.", param=f"{path}{name}")
    entries = cast(dict[str, Any], value)
    found = {key: entry for key, entry in entries.items() if entry is not None}
    check_names(found, known, f"{path}{name}.")
    return found


def flag_of(fields: Mapping[str, Any], name: str, path: str = "") -> bool:
    """A switch; off where there is none. Raises BadInput."""
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise BadInput(f"{path}{name} is {shown(value)}; true or false is expected.", param=f"{path}{name}")
    return value


def number_of(fields: Mapping[str, Any], name: str, path: str = "") -> float | int | None:
    """A number, or none. Raises BadInput."""
    value = fields.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise BadInput(f"{path}{name} is {shown(value)}; a number is expected.", param=f"{path}{name}")
    return value

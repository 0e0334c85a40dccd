"""Reading the fields of somebody else's JSON or form, each with an error that names it.

In a form brackets are nesting, and some texts are JSON: OpenAI's client writes
`{"extra_params": {"edge": {"control_path": "x"}}}` as `extra_params[edge][control_path]=x`, and a list as `name[]=…`
once an entry; NVIDIA's curl forms write `extra_params={"edge": …}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, cast

from studio.errors import BadInput, NotAllowed
from studio.requests import cut, nearest, shown


def check_names(fields: Mapping[str, Any], known: Collection[str], path: str) -> None:
    """Raises BadInput for a field that is not known; `path` stands before its name, as in "response_format."."""
    for name in fields:
        if name not in known:
            full = cut(f"{path}{name}")
            raise BadInput(f"{full} is not a known field.", param=full, hint=nearest(name, known))


def object_of(fields: Mapping[str, Any], name: str, known: Collection[str], path: str = "") -> dict[str, Any]:
    """An object without its nulls, of known fields alone; an empty one where there is none. Raises BadInput."""
    value = fields.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadInput(f"{path}{name} is {shown(value)}; expected an object.", param=f"{path}{name}")
    entries = cast(dict[str, Any], value)
    found = {key: entry for key, entry in entries.items() if entry is not None}
    check_names(found, known, f"{path}{name}.")
    return found


def flag_of(fields: Mapping[str, Any], name: str, path: str = "") -> bool:
    """A switch; off where there is none. Raises BadInput."""
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise BadInput(f"{path}{name} is {shown(value)}; expected true or false.", param=f"{path}{name}")
    return value


def number_of(fields: Mapping[str, Any], name: str, path: str = "") -> float | int | None:
    """A number, or none. Raises BadInput."""
    value = fields.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise BadInput(f"{path}{name} is {shown(value)}; expected a number.", param=f"{path}{name}")
    return value


LORA = {"name": "name", "lora_name": "name", "scale": "scale", "lora_scale": "scale"}
"""Of a LoRA adapter, what vLLM-Omni and SGLang call our two fields."""


def adapter_of(lora: object) -> dict[str, Any]:
    """Our `adapter` for their `lora`; nothing where there is none. Raises NotAllowed: it names one in another way."""
    if lora is None:
        return {}
    entries = cast(dict[str, Any], lora) if isinstance(lora, dict) else {}
    if not entries or not entries.keys() <= LORA.keys():
        raise NotAllowed(
            f"lora is {shown(cast(object, lora))}; expected an object with name and scale.",
            param="lora",
            hint="GET /v1/adapters lists them.",
        )
    return {"adapter": {LORA[name]: value for name, value in entries.items() if value is not None}}


MAX_DEPTH = 6
"""Brackets of one name; ours need three."""

EXTRAS = ("extra_params", "extra_args", "extra_body", "extra_json")
"""Objects whose fields are as good as those beside them: vLLM-Omni's name, NVIDIA's notebook's and SGLang's two."""

_NAME = re.compile(r"[^\[\]]+(\[[^\[\]]*\])*")


def object_of_form(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The object that a form's texts mean; of a name that comes twice the last counts, in brackets both.

    `[("b[c]", "2"), ("b[d][]", "3"), ("b[d][]", "4")]` gives `{"b": {"c": "2", "d": ["3", "4"]}}`.

    Raises:
        BadInput: a name is no such name, is nested too deeply, or means two things.
    """
    found: dict[str, Any] = {}
    for name, value in pairs:
        if len(name) > 400 or not _NAME.fullmatch(name) or name.count("[") > MAX_DEPTH:
            raise BadInput(
                f"{shown(name)} is not a valid field name.", param=cut(name), hint="Use the form extra_params[seed]."
            )
        first, *rest = name.replace("]", "").split("[")
        # `a[][]` is a list of lists, whose rows a form does not tell apart: one flat list.
        path = [first, *(part for part in rest if part)]
        _put(found, path, value, as_list=len(rest) >= len(path), name=name)
    return found


def _put(found: dict[str, Any], path: list[str], value: str, *, as_list: bool, name: str) -> None:
    node = found
    for part in path[:-1]:
        inner = node.setdefault(part, {})
        if isinstance(inner, str):
            inner = node[part] = _json_object(inner, part)
        if not isinstance(inner, dict):
            raise BadInput(
                f"{cut(name)} conflicts with another {cut(part)}.", param=cut(name), hint="Send one of them."
            )
        node = cast(dict[str, Any], inner)
    last = path[-1]
    if not as_list:
        node[last] = value
        return
    several = node.setdefault(last, [])
    if not isinstance(several, list):
        raise BadInput(f"{cut(name)} conflicts with another {cut(last)}.", param=cut(name), hint="Send one of them.")
    cast(list[Any], several).append(value)


def with_extras(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with those of `extra_params` and its like laid under them, without nulls.

    Raises:
        BadInput: one of them is no object, and no JSON text of one.
    """
    merged: dict[str, Any] = {}
    for name in EXTRAS:
        value = fields.get(name)
        if value is not None and value != "":
            merged |= _json_object(value, name)
    merged |= {name: value for name, value in fields.items() if name not in EXTRAS and value is not None}
    return {name: value for name, value in merged.items() if value is not None}


def _json_object(value: object, name: str) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, dict):
        raise BadInput(f"{cut(name)} is not a JSON object.", param=cut(name))
    return {str(key): entry for key, entry in cast(dict[Any, Any], value).items()}

"""What two requests differ in. Two results are compared where it is one thing alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

SEED = "sampling.seed"

_OF_NO_MATTER = frozenset({"count", "save_latents", "decode_video"})
"""Fields that change nothing of a result's pixels and sound."""

_GIVEN = frozenset(
    {"kind", "type", "prompt", SEED, "start_image", "source_video", "embodiment", "action_width", "actions", "state"}
)
"""What the work is. Results of other work are no better or worse, and of two seeds neither is a choice."""


def fields_of(request: Mapping[str, Any], checkpoint: str, seed: int | None) -> dict[str, str]:
    """A request as its single fields: dotted path to JSON.

    `{"sampling": {"guidance_scale": 4}}` gives `{"sampling.guidance_scale": "4", …}`. A prompt that was upsampled
    counts as the words that it was written from with `upsample` true, and the sentences that this switches off are left
    out. An adapter is one field with its scale.

    Args:
        request: its JSON.
        checkpoint: that ran it.
        seed: the result's own.
    """
    said = {**request, "checkpoint": checkpoint}
    written_from = said.pop("written_from", None)
    if written_from is not None:
        said |= {"prompt": written_from, "upsample": True}
    if said.get("upsample"):
        said.pop("use_resolution_template", None)
        said.pop("use_duration_template", None)
    adapter = said.pop("adapter", None)
    if isinstance(adapter, Mapping):
        worn = cast("Mapping[str, Any]", adapter)
        said["adapter"] = f"{worn.get('name')} × {worn.get('scale', 1)}"
    else:
        said["adapter"] = None
    found: dict[str, str] = {}
    _flatten("", said, found)
    found[SEED] = json.dumps(seed)
    return {name: value for name, value in found.items() if name not in _OF_NO_MATTER}


def is_compared(field: str) -> bool:
    """Whether results that differ in this field alone are a pair."""
    return field not in _GIVEN and not field.endswith(".video") and not field.startswith(("actions.", "state."))


def shown_value(value: str | None) -> str:
    """A field's JSON as people read it: text without quotes; none where there is nothing.

    `'"cosmos3-nano"'` is cosmos3-nano, `'4.0'` is 4 as `'4'` is, `'true'` is on.
    """
    if value is None:
        return "none"
    said: Any = json.loads(value)
    match said:
        case None | "":
            return "none"
        case True:
            return "on"
        case False:
            return "off"
        case str():
            return said
        case int() | float():
            return f"{said:g}"
        case _:
            return json.dumps(said, ensure_ascii=False)


def _flatten(path: str, value: Any, found: dict[str, str]) -> None:
    if isinstance(value, Mapping):
        for name, inner in cast("Mapping[str, Any]", value).items():
            _flatten(f"{path}.{name}" if path else name, inner, found)
    elif isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in cast("list[Any]", value)):
        for index, inner in enumerate(cast("list[Any]", value)):
            _flatten(f"{path}.{index}", inner, found)
    else:
        # 4 and 4.0 are one value.
        found[path] = json.dumps(_plain(cast("object", value)), ensure_ascii=False)


def _plain(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value

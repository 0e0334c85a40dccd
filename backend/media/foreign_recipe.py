"""The settings that other programs write into a PNG's `parameters` text, in the form of AUTOMATIC1111's web UI.

    a red cube on a table
    Negative prompt: blurry
    Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 42, Size: 512x768, Model: sd15, Lora hashes: "a: 1, b: 2"

The prompt may have several lines and so may the negative one; the last line is a list of settings, of which a value
with a comma stands in quotes. What has a place in our request is taken, the rest is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from studio.requests import MAX_SEED
from studio.rules.canvas import nearest_canvas, tier_of

_NEGATIVE = "Negative prompt:"
_SETTING = re.compile(r'([^:,"]{1,60}):\s*("(?:[^"\\]|\\.)*"|[^,]*)(?:,\s*|$)')

MAX_SHOWN_SETTINGS = 50


def read_parameters(text: str) -> tuple[dict[str, Any], tuple[str, ...]] | None:
    """A picture's request as JSON, and the names of settings that have no place in it; none where it is no such text.

    A size that is no canvas of ours becomes the nearest one, and is named too.
    """
    *lines, last = text.strip().splitlines() or [""]
    settings = {name.strip(): value.strip().strip('"') for name, value in _SETTING.findall(last)}
    if "Steps" not in settings:
        return None
    prompt, _, negative = "\n".join(lines).partition(_NEGATIVE)
    if not prompt.strip():
        return None
    sampling: dict[str, Any] = {}
    request: dict[str, Any] = {
        "kind": "generate_image",
        "prompt": prompt.strip(),
        "negative_prompt": negative.strip(),
        "sampling": sampling,
    }
    unread: list[str] = []
    for name, value in settings.items():
        field = _FIELDS.get(name)
        number = None if field is None else field[1](value)
        if field is not None and number is not None:
            sampling[field[0]] = number
        elif name != "Size" or not _take_size(request, value):
            unread.append(name)
    return request, tuple(unread[:MAX_SHOWN_SETTINGS])


def _take_size(request: dict[str, Any], value: str) -> bool:
    """Take the nearest canvas, if it is a size; whether it is exactly that."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", value)
    if match is None or "0" in (match[1], match[2]):
        return False
    size = int(match[1]), int(match[2])
    near = nearest_canvas(*size)
    request["resolution"], request["aspect_ratio"] = tier_of(*near)
    return near == size


def _whole(least: int, most: int) -> Callable[[str], int | None]:
    def read(value: str) -> int | None:
        number = int(value) if re.fullmatch(r"\d{1,16}", value) else -1
        return number if least <= number <= most else None

    return read


def _decimal(least: float, most: float) -> Callable[[str], float | None]:
    def read(value: str) -> float | None:
        number = float(value) if re.fullmatch(r"\d{1,6}(\.\d{1,12})?", value) else -1.0
        return number if least <= number <= most else None

    return read


_FIELDS: dict[str, tuple[str, Callable[[str], float | None]]] = {
    "Steps": ("num_inference_steps", _whole(1, 200)),
    "CFG scale": ("guidance_scale", _decimal(0, 20)),
    "Seed": ("seed", _whole(0, MAX_SEED)),
    "Flow shift": ("flow_shift", _decimal(0.1, 20)),
}

"""The canvases that Cosmos 3 was trained on (technical report, section 4; the same table in every serving stack)."""

from __future__ import annotations

import math
from typing import Any, cast

from studio.errors import BadInput
from studio.requests import AspectRatio, Generation, Resolution

CANVASES: dict[Resolution, dict[AspectRatio, tuple[int, int]]] = {
    "256": {"16:9": (320, 192), "4:3": (320, 256), "1:1": (256, 256), "3:4": (256, 320), "9:16": (192, 320)},
    "480": {"16:9": (832, 480), "4:3": (736, 544), "1:1": (640, 640), "3:4": (544, 736), "9:16": (480, 832)},
    "720": {"16:9": (1280, 720), "4:3": (1104, 832), "1:1": (960, 960), "3:4": (832, 1104), "9:16": (720, 1280)},
    "768": {"16:9": (1360, 768), "4:3": (1184, 880), "1:1": (1024, 1024), "3:4": (880, 1184), "9:16": (768, 1360)},
}
"""(width, height) in pixels by tier and shape. The 768 tier is for images only."""


def canvas(resolution: Resolution, aspect_ratio: AspectRatio) -> tuple[int, int]:
    """(width, height) in pixels."""
    return CANVASES[resolution][aspect_ratio]


def canvas_of(request: Generation) -> tuple[int, int] | None:
    """(width, height) of what a request makes; none where frames keep their own shape and are fitted into a tier."""
    said = cast("Any", request)
    return canvas(said.resolution, said.aspect_ratio) if "aspect_ratio" in type(request).model_fields else None


def tier_of(width: int, height: int) -> tuple[Resolution, AspectRatio]:
    """The tier and shape of an exact canvas.

    Raises:
        BadInput: the table has no such canvas; the hint names the nearest one.
    """
    for resolution, shapes in CANVASES.items():
        for aspect_ratio, size in shapes.items():
            if size == (width, height):
                return resolution, aspect_ratio
    near = nearest_canvas(width, height)
    raise BadInput(
        f"{width}x{height} is not a size that Cosmos 3 supports.",
        param="size",
        hint=f"The nearest is {near[0]}x{near[1]}.",
    )


def nearest_canvas(width: int, height: int) -> tuple[int, int]:
    """The canvas whose shape and area differ least, on a logarithmic scale: 1000x1000 is nearest to 1024x1024."""

    def distance(size: tuple[int, int]) -> float:
        across, down = math.log(size[0] / max(width, 1)), math.log(size[1] / max(height, 1))
        return abs(across - down) + abs(across + down)

    return min((size for shapes in CANVASES.values() for size in shapes.values()), key=distance)


def parse_size(text: str) -> tuple[Resolution, AspectRatio]:
    """The tier and shape that "WIDTHxHEIGHT" names.

    Raises:
        BadInput: it is not two whole numbers, or the table has no such canvas.
    """
    width, _, height = text.lower().replace("×", "x").partition("x")
    if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit() and len(text) <= 16):
        raise BadInput(f"size is {text[:80]!r}; expected WIDTHxHEIGHT, as in 1024x1024.", param="size")
    return tier_of(int(width), int(height))

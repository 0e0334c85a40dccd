"""The recipe of a result, inside the result: a PNG, an MP4 or actions that can be dropped back on the page.

A PNG's text chunk `orrery` holds the request as JSON; `parameters` says the same in the form that other programs read.
An MP4 holds the JSON in its `comment` tag: tags of our own are dropped by the next program that remuxes the file.
Actions are JSON themselves, and the recipe is their `recipe`.

Of other programs' PNGs the `parameters` text is read, in the form of AUTOMATIC1111's web UI:

    a red cube on a table
    Negative prompt: blurry
    Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 42, Size: 512x768, Model: sd15, Lora hashes: "a: 1, b: 2"

The prompt may have several lines and so may the negative one; the last line is a list of settings, of which a value
with a comma stands in quotes. What has a place in our request is taken, the rest is named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import av
from av.error import FFmpegError
from PIL import Image, PngImagePlugin, UnidentifiedImageError

from backend.media.apart import look_apart
from backend.media.bounds import MAX_TEXT_BYTES
from studio.catalogue import Recipe
from studio.errors import BadInput
from studio.requests import MAX_SEED, Request, parse_request
from studio.rules.canvas import nearest_canvas, tier_of

RECIPE_KEY = "orrery"
PARAMETERS_KEY = "parameters"
FORMATS = ("PNG",)

MAX_ACTIONS_BYTES = 16 * 2**20
"""Of a file of actions: 396 rows of 1024 numbers are 8 MB."""

_PNG = b"\x89PNG"
_HINT = "Drop an image, a video or actions that Orrery made, or a PNG with its settings in it."


def recipe_of(request: Request, checkpoint: str) -> dict[str, Any]:
    """One result's request as JSON has it.

    Args:
        request: of this result alone: `count` 1 and its own seed.
        checkpoint: what made it, also where the request named none.
    """
    return request.model_copy(update={"checkpoint": checkpoint}).model_dump(mode="json")


def recipe_text(request: Request, checkpoint: str) -> str:
    """The same as text in ASCII: a NUL or a lone surrogate in a prompt would break a tag."""
    return json.dumps(recipe_of(request, checkpoint))


def write_recipe(request: Request, checkpoint: str, size: tuple[int, int]) -> PngImagePlugin.PngInfo:
    """The text chunks of one picture's request; `size` is (width, height), the rest as in `recipe_text`."""
    sampling = request.sampling
    width, height = size
    summary = (
        f"{request.prompt}\nNegative prompt: {request.negative_prompt}\n"
        f"Steps: {sampling.num_inference_steps}, Sampler: UniPC, CFG scale: {sampling.guidance_scale:g}, "
        f"Seed: {sampling.seed}, Size: {width}x{height}, Model: {checkpoint}, Flow shift: {sampling.flow_shift:g}"
    )
    chunks = PngImagePlugin.PngInfo()
    chunks.add_itxt(RECIPE_KEY, recipe_text(request, checkpoint))
    chunks.add_itxt(PARAMETERS_KEY, summary.replace("\0", " "))
    return chunks


@look_apart
def read_recipe(path: Path) -> Recipe:
    """The request inside a PNG, an MP4 or a JSON of actions that Orrery wrote, or in the `parameters` of another's PNG.

    Raises:
        BadInput: it is none of them, it carries no recipe, or the recipe is no longer a legal request.
    """
    with path.open("rb") as file:
        head = file.read(len(_PNG))
    if head == _PNG:
        text, parameters = _png_texts(path)
        recipe = _parsed(text)
        foreign = read_parameters(parameters)
        if not isinstance(recipe, dict) and foreign is not None:
            return Recipe(request=parse_request(foreign[0]), unread=foreign[1])
    elif head[:1] == b"{":
        with path.open("rb") as file:
            actions = _parsed(file.read(MAX_ACTIONS_BYTES))
        recipe = cast(dict[str, Any], actions).get("recipe") if isinstance(actions, dict) else None
    else:
        recipe = _parsed(_mp4_comment(path)[: MAX_TEXT_BYTES + 1])
    if not isinstance(recipe, dict) or "kind" not in recipe:
        raise BadInput("The file has no recipe.", param="file", hint=_HINT)
    return Recipe(request=parse_request(cast(dict[str, Any], recipe)))


def _parsed(text: str | bytes) -> object:
    """What JSON says; nothing where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _png_texts(path: Path) -> tuple[str, str]:
    """What stands under our key, and under `parameters`; nothing where there is none."""
    try:
        with Image.open(path, formats=FORMATS) as image:
            texts = [image.info.get(key) for key in (RECIPE_KEY, PARAMETERS_KEY)]
    except (
        UnidentifiedImageError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
        OSError,
        ValueError,
        SyntaxError,
    ):
        raise _neither() from None
    ours, parameters = (text if isinstance(text, str) else "" for text in texts)
    return ours, parameters


def _mp4_comment(path: Path) -> str:
    try:
        with av.open(
            str(path), "r", format="mp4", options={"protocol_whitelist": "file"}, metadata_errors="replace"
        ) as container:
            return container.metadata.get("comment", "")
    except FFmpegError:
        raise _neither() from None


def _neither() -> BadInput:
    return BadInput("The file is neither a PNG, an MP4 nor actions in JSON.", param="file", hint=_HINT)


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

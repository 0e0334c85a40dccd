"""The recipe of a picture, inside the picture: a PNG that can be dropped back on the page.

The text chunk `orrery` holds the request as JSON; `parameters` says the same in the form that other programs read.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO, cast

from PIL import Image, PngImagePlugin, UnidentifiedImageError

from studio.errors import BadInput
from studio.requests import Request, parse_request
from studio.rules import canvas

RECIPE_KEY = "orrery"
FORMATS = ("PNG",)


def write_recipe(request: Request, checkpoint: str) -> PngImagePlugin.PngInfo:
    """The text chunks of one picture's request.

    Args:
        request: of this picture alone: `count` 1 and its own seed.
        checkpoint: what drew it, also where the request named none.
    """
    recipe = request.model_copy(update={"checkpoint": checkpoint}).model_dump(mode="json")
    sampling = request.sampling
    width, height = canvas(request.resolution, request.aspect_ratio)
    summary = (
        f"{request.prompt}\nNegative prompt: {request.negative_prompt}\n"
        f"Steps: {sampling.num_inference_steps}, Sampler: UniPC, CFG scale: {sampling.guidance_scale:g}, "
        f"Seed: {sampling.seed}, Size: {width}x{height}, Model: {checkpoint}, Flow shift: {sampling.flow_shift:g}"
    )
    chunks = PngImagePlugin.PngInfo()
    # ASCII JSON: a NUL or a lone surrogate in a prompt would break the chunk.
    chunks.add_itxt(RECIPE_KEY, json.dumps(recipe))
    chunks.add_itxt("parameters", summary.replace("\0", " "))
    return chunks


def read_recipe(file: BinaryIO) -> Request:
    """The request inside a PNG that Orrery wrote.

    Raises:
        BadInput: it is no PNG, it carries no recipe, or the recipe is no longer a legal request.
    """
    try:
        with Image.open(file, formats=FORMATS) as image:
            text = image.info.get(RECIPE_KEY)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        raise BadInput("The file is no PNG.", param="file", hint="Drop a picture that Orrery made.") from None
    if not isinstance(text, str):
        raise BadInput("The picture carries no recipe.", param="file", hint="Drop a picture that Orrery made.")
    try:
        recipe = json.loads(text)
    except ValueError:
        recipe = None
    if not isinstance(recipe, dict):
        raise BadInput("The picture's recipe is not one.", param="file")
    return parse_request(cast(dict[str, Any], recipe))

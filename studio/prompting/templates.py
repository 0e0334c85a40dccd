"""Prompt texts as data: read once from `presets/templates`, filled in without trusting what is filled in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, cast

from pydantic import BaseModel

from studio.requests import Frozen
from studio.toml_files import read_toml, shipped

TAGS = ("instructions", "image_description", "video_description", "task_constraints", "output_json_template")


class ModeTexts(Frozen):
    """What differs between the upsampler's modes."""

    tag: str
    instructions: str
    constraints: tuple[str, ...]


class UpsampleTexts(Frozen):
    """`presets/templates/upsample.toml`."""

    message: str
    retry: str
    modes: dict[str, ModeTexts]
    attached: dict[str, str]


class CaptionTexts(Frozen):
    """`presets/templates/caption.toml`, or a file of the same shape that somebody wrote."""

    analysis: str
    narrative: str
    retry: str


@cache
def upsample_texts() -> UpsampleTexts:
    """The upsampler's prompts."""
    return shipped(UpsampleTexts, "templates", "upsample.toml")


@cache
def caption_texts() -> CaptionTexts:
    """The captioner's prompts."""
    return shipped(CaptionTexts, "templates", "caption.toml")


def fill(text: str, **values: str) -> str:
    """A template with its `$names` replaced, once: a `$` or a brace in a value stays what it is."""
    return Template(text.strip()).safe_substitute(values)


def without_tags(words: str) -> str:
    """A person's words with our own tags made harmless, so that they cannot close the block they stand in."""
    for tag in TAGS:
        words = words.replace(f"<{tag}>", f"‹{tag}›").replace(f"</{tag}>", f"‹/{tag}›")
    return words


def output_template(model: type[BaseModel], names: list[str], given: Mapping[str, str]) -> str:
    """The JSON that an answer is to fill in: each text says what belongs there, each list shows one entry.

    Args:
        model: of the caption.
        names: top-level keys in the order in which they are written.
        given: keys that the model does not have, or that are not for the answer to decide, and what stands there.
    """
    schema = model.model_json_schema()
    fields: Mapping[str, Any] = schema["properties"]
    shown = {name: given[name] if name in given else _shown(fields[name], schema["$defs"]) for name in names}
    return json.dumps(shown, indent=1, ensure_ascii=False)


def _shown(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    says = field.get("description", "…")
    if "$ref" in field:
        named = definitions[field["$ref"].rpartition("/")[2]]
        properties = cast(Mapping[str, Mapping[str, Any]], named["properties"])
        return {name: _shown(child, definitions) for name, child in properties.items()}
    match field.get("type"):
        case "array":
            return [_shown(field["items"], definitions)]
        case "object":
            return {"attribute_name": says}
        case "integer":
            return f"integer: {says}"
        case _:
            return says


FILE = "refine.toml"


class ImageTexts(Frozen):
    """What is said of pictures."""

    critic: str
    rewriter: str
    narrative: str


class VideoTexts(ImageTexts):
    """What is said of clips."""

    opening: str
    default_negative: str


class RefiningTexts(Frozen):
    """`presets/templates/refine.toml`."""

    image: ImageTexts
    video: VideoTexts


def load_refining_texts(folder: Path | None = None) -> RefiningTexts:
    """The loop's prompts.

    Args:
        folder: where the user's own file may lie.

    Raises:
        BadInput: there is one, and it cannot be read or has not the shipped one's shape.
    """
    own = folder / FILE if folder is not None else None
    if own is None or not own.is_file():
        return shipped(RefiningTexts, "templates", FILE)
    return read_toml(RefiningTexts, own, f"The refinement prompt file {own}")

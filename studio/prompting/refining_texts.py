"""The words of the refinement loop, from their file: the shipped one, or the user's own."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic import ValidationError

from studio.errors import BadInput
from studio.prompting.templates import template_table
from studio.requests import Frozen, explain

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
        return RefiningTexts.model_validate(template_table(FILE))
    try:
        return RefiningTexts.model_validate(tomllib.loads(own.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"The templates {own} cannot be read: {error}.") from None
    except ValidationError as error:
        why = explain(error, RefiningTexts)
        raise BadInput(
            f"The templates {own} are not whole: {why.message}", hint="Begin from the shipped file."
        ) from None

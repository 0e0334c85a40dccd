"""Where a computed control came from, written into its file: its frames were cropped to a canvas, its source was not.

A control of 832x480 pixels that was computed from a source of 1920x1080 lies over that source when both are brought
onto 832x480, although their shapes differ.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from backend.media.apart import look_apart
from backend.media.clip_file import open_clip
from studio.errors import BadInput
from studio.requests import AspectRatio, Resolution
from studio.requests.transfer_video import ComputedHint, Strength


class ControlOrigin(BaseModel):
    """The `comment` tag of a computed control.

    Attributes:
        source_video: name of the clip in the store.
        source_size: (width, height) of it, as it is shown.
    """

    model_config = ConfigDict(frozen=True)

    hint: ComputedHint
    strength: Strength
    source_video: str
    source_size: tuple[int, int]
    resolution: Resolution
    aspect_ratio: AspectRatio


def origin_text(origin: ControlOrigin) -> str:
    """The tag."""
    return origin.model_dump_json()


@look_apart
def origin_of(path: Path) -> ControlOrigin | None:
    """What a clip says about where it was computed from; none where it was not computed here."""
    try:
        with open_clip(path) as (container, _):
            comment = container.metadata.get("comment", "")
        return ControlOrigin.model_validate_json(comment)
    except (BadInput, ValidationError):
        return None

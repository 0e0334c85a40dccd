"""Sizes as the serving stacks say them: `size`, `width` and `height`, a tier and a shape, or only what was sent."""

from __future__ import annotations

from typing import Literal, cast, get_args

from backend.dialects.video_fields import VideoFields
from studio.errors import BadInput
from studio.media import MediaReference
from studio.requests import shown
from studio.requests.actions import ActionTier
from studio.requests.fields import AspectRatio
from studio.rules import CANVASES, nearest_canvas, parse_size, tier_of
from studio.specs.draft import RequestDraft


def put_canvas(draft: RequestDraft, fields: VideoFields, source: MediaReference | None) -> None:
    """The tier and shape of a picture or clip; without a word about its shape, that of what it is made from.

    Raises:
        BadInput: there is no such canvas, or two are named.
    """
    if fields.size is not None and fields.size != "auto":
        resolution, aspect_ratio = parse_size(fields.size)
        draft.put("resolution", resolution, "size")
        draft.put("aspect_ratio", aspect_ratio, "size")
        return
    if (fields.width is None) != (fields.height is None):
        missing = "width" if fields.width is None else "height"
        raise BadInput(f"{missing} is missing; send both, or size.", param=missing)
    if fields.width is not None and fields.height is not None:
        resolution, aspect_ratio = tier_of(fields.width, fields.height)
        draft.put("resolution", resolution, "width")
        draft.put("aspect_ratio", aspect_ratio, "width")
        return
    said: Literal["resolution", "short_edge"] = "resolution" if fields.resolution is not None else "short_edge"
    draft.put("resolution", fields.resolution or fields.short_edge, said)
    if fields.aspect_ratio is not None:
        draft.put("aspect_ratio", fields.aspect_ratio, "aspect_ratio")
    elif source is not None and source.width and source.height:
        draft.put("aspect_ratio", nearest_shape(source.width, source.height), "aspect_ratio")


def put_bucket(draft: RequestDraft, fields: VideoFields, shaped: MediaReference | None) -> None:
    """The canvas of a transfer, as `put_canvas`; but with a tier beside it a `size` that is no canvas says the shape.

    Source: NVIDIA's transfer notebooks make `size` of the tier and the shape of their specs, 960x720 of "720" and
    "4,3"; vLLM-Omni goes by the tier.

    Raises:
        BadInput: there is no such canvas.
    """
    if fields.size is not None and fields.resolution is not None and fields.aspect_ratio is None:
        width, height = _numbers(fields.size)
        if nearest_canvas(width, height) != (width, height):
            fields = fields.model_copy(update={"size": None, "aspect_ratio": nearest_shape(width, height)})
    put_canvas(draft, fields, shaped)


def _numbers(size: str) -> tuple[int, int]:
    width, _, height = size.lower().partition("x")
    if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit() and len(size) <= 16):
        raise BadInput(f"size is {shown(size)}; expected WIDTHxHEIGHT, as in 832x480.", param="size")
    return int(width), int(height)


def nearest_shape(width: int, height: int) -> AspectRatio:
    """The shape that is nearest to a size: 640x360 is 16:9."""
    canvas = nearest_canvas(width, height)
    return next(shape for shapes in CANVASES.values() for shape, size in shapes.items() if size == canvas)


def tier_of_frames(fields: VideoFields) -> ActionTier | None:
    """The tier that frames with actions are fitted into: `image_size` or `resolution`, else the nearest to `size`.

    NVIDIA's notebooks fill `size` with the size of the picture that they send.

    Raises:
        BadInput: `size` is no size, or there is no such tier.
    """
    said = fields.image_size or fields.resolution or fields.short_edge
    if said is None:
        if fields.size is None:
            return None
        said = tier_of(*nearest_canvas(*_numbers(fields.size)))[0].replace("768", "720")
    if said not in get_args(ActionTier):
        raise BadInput(
            f"image_size is {shown(said)}; expected one of {', '.join(get_args(ActionTier))}.", param="image_size"
        )
    return cast(ActionTier, said)

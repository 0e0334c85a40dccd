"""The frames that a policy foresees with a chunk, as one msgpack message:

label      as it came
frames     JPEGs of canvases, 640 x 540: the frame that was asked about, and one for each row after it
views      [left, top, width, height] in these canvases of the wrist's view, exterior 1's and exterior 2's; outside
           of them nothing is foreseen
"""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.panda.cameras import EXTERIOR_SIZE, WRIST_SIZE
from studio.rules.view_layout import Rectangle, View, ViewLayout
from studio.wire.arrays import pack_message

JPEG_QUALITY = 90

CANVAS_SIZE = (WRIST_SIZE[0], WRIST_SIZE[1] + EXTERIOR_SIZE[1])
"""(width, height)."""

CANVAS_VIEWS = (
    Rectangle(left=0, top=0, width=WRIST_SIZE[0], height=WRIST_SIZE[1]),
    Rectangle(left=0, top=WRIST_SIZE[1], width=EXTERIOR_SIZE[0], height=EXTERIOR_SIZE[1]),
    Rectangle(left=EXTERIOR_SIZE[0], top=WRIST_SIZE[1], width=EXTERIOR_SIZE[0], height=EXTERIOR_SIZE[1]),
)
"""The wrist's view, exterior 1's and exterior 2's."""


def pack_clip(label: str, video: NDArray[np.uint8], layout: ViewLayout | None) -> bytes:
    """The message of a clip.

    Args:
        video: uint8 [T, height, width, 3], as the checkpoint foresees it.
        layout: of the checkpoint's own; without one, frames show the canvas from its upper left corner on, shrunk.
    """
    height, width = video.shape[1:3]
    views = _views(layout, width, height)
    frames = [_jpeg(_canvas(picture, views)) for picture in video]
    places = [_place(views, whole) for whole in CANVAS_VIEWS]
    return pack_message({"label": label, "frames": frames, "views": places})


def shown_places(layout: ViewLayout | None, width: int, height: int) -> list[Rectangle]:
    """Where the wrist's view, exterior 1's and exterior 2's are in frames of a checkpoint; see `pack_clip`."""
    views = _views(layout, width, height)
    return [view.shown for whole in CANVAS_VIEWS if (view := _view_of(views, whole)) is not None]


def _views(layout: ViewLayout | None, width: int, height: int) -> tuple[View, ...]:
    return layout.views if layout is not None else _shrunk_views(width, height)


def _shrunk_views(width: int, height: int) -> tuple[View, ...]:
    """Where frames without a layout of their own show the views; less than a latent cell is cut off at their ends.

    640 x 528 show the canvas at its own size without its last twelve rows.
    """
    scale = max(width / CANVAS_SIZE[0], height / CANVAS_SIZE[1])
    views: list[View] = []
    for whole in CANVAS_VIEWS:
        left, top = round(whole.left * scale), round(whole.top * scale)
        shown = Rectangle(
            left=left,
            top=top,
            width=min(round(whole.width * scale), width - left),
            height=min(round(whole.height * scale), height - top),
        )
        cut = Rectangle(
            left=whole.left,
            top=whole.top,
            width=min(whole.width, round(shown.width / scale)),
            height=min(whole.height, round(shown.height / scale)),
        )
        views.append(View(cut=cut, shown=shown))
    return tuple(views)


def _canvas(picture: NDArray[np.uint8], views: tuple[View, ...]) -> Image.Image:
    canvas, seen = Image.new("RGB", CANVAS_SIZE), Image.fromarray(picture)
    for view in views:
        cut, shown = view.cut, view.shown
        box = (shown.left, shown.top, shown.left + shown.width, shown.top + shown.height)
        # Cut out first: what `resize` is told of a box does not keep it from mixing in the views beside it.
        part = seen.crop(box).resize((cut.width, cut.height), Image.Resampling.BILINEAR)
        canvas.paste(part, (cut.left, cut.top))
    return canvas


def _jpeg(canvas: Image.Image) -> bytes:
    coded = io.BytesIO()
    canvas.save(coded, "JPEG", quality=JPEG_QUALITY)
    return coded.getvalue()


def _place(views: tuple[View, ...], whole: Rectangle) -> list[int]:
    """Of the part of a view that is foreseen."""
    view = _view_of(views, whole)
    cut = view.cut if view is not None else whole
    return [cut.left, cut.top, cut.width, cut.height]


def _view_of(views: tuple[View, ...], whole: Rectangle) -> View | None:
    """The one that is cut out of a part of the canvas."""
    for view in views:
        cut = view.cut
        across = whole.left <= cut.left and cut.left + cut.width <= whole.left + whole.width
        if across and whole.top <= cut.top and cut.top + cut.height <= whole.top + whole.height:
            return view
    return None

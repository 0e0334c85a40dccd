"""Reading a still picture: PNG, JPEG or WebP, upright, opaque and 8 bits a channel; and fitting one to a canvas.

Cover and centre crop is the smallest enlargement or reduction that fills a canvas, and its middle. The sizes, the crop
and the filter are those of diffusers' `_preprocess_conditioning_image` (pipeline_cosmos3_omni.py): triangle filter as
wide as the reduction (antialiased bilinear), pixel centres at +0.5, weights in float32, one rounding at the end. Worked
example: 1920x1080 onto 736x544 has scale max(736/1920, 544/1080) = 0.5037, is resized to 968x544, and columns 116 to
851 are kept.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from backend.media.apart import draw_apart
from backend.media.bounds import MAX_PIXELS, check_depth, check_size
from backend.media.facts import MediaFacts
from studio.errors import BadInput

Taps = tuple[NDArray[np.intp], NDArray[np.float32]]
"""Source index and weight of each output pixel along one axis: two arrays [num_taps, num_outputs]."""


class Cover:
    """Fills a canvas from pictures of one size. Only the pixels that stay in the crop are computed."""

    def __init__(self, source_width: int, source_height: int, width: int, height: int) -> None:
        scale = max(width / source_width, height / source_height)
        self._size = (height, width)
        self._source_size = (source_height, source_width)
        self._rows = _taps(source_height, math.ceil(scale * source_height), height)
        columns, weights = _taps(source_width, math.ceil(scale * source_width), width)
        self._first, self._last = int(columns.min()), int(columns.max())
        # Rows of pixels are taken for rows of numbers, three a pixel: the inner loops are then as long as a row.
        flat = ((columns - self._first)[:, :, None] * 3 + np.arange(3)).reshape(len(columns), -1)
        self._columns: Taps = flat, np.repeat(weights, 3, axis=1)

    def __call__(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """uint8 [source_height, source_width, 3] to uint8 [height, width, 3]."""
        assert pixels.shape == (*self._source_size, 3), pixels.shape
        if self._size == self._source_size:
            return pixels
        flat = pixels[:, self._first : self._last + 1].reshape(len(pixels), -1)
        tall = _weighted(flat, self._rows, axis=0)  # first, for the gather of columns is the dearer one
        filled = _weighted(tall, self._columns, axis=1)
        return np.clip(np.rint(filled, out=filled), 0, 255).astype(np.uint8).reshape(*self._size, 3)


def _taps(source: int, resized: int, kept: int) -> Taps:
    """The filter along one axis for the middle `kept` of `resized` pixels."""
    crop = round((resized - kept) / 2)
    scale = source / resized
    support = max(scale, 1.0)
    centres = (np.arange(crop, crop + kept) + 0.5) * scale
    first = np.maximum((centres - support + 0.5).astype(np.intp), 0)
    last = np.minimum((centres + support + 0.5).astype(np.intp), source)
    index = first + np.arange(2 * math.ceil(support) + 1)[:, None]
    weights = np.maximum(1 - np.abs(index + 0.5 - centres) / support, 0) * (index < last)
    weights /= weights.sum(axis=0)
    used = weights.any(axis=1)
    return np.minimum(index, source - 1)[used], weights[used].astype(np.float32)


def _weighted(numbers: NDArray[np.uint8] | NDArray[np.float32], taps: Taps, axis: Literal[0, 1]) -> NDArray[np.float32]:
    """The weighted sum of rows (axis 0) or columns (axis 1) of a matrix, for each output row or column."""
    index, weights = taps
    scaled = weights[:, :, None] if axis == 0 else weights[:, None, :]
    total: NDArray[np.float32] = np.take(numbers, index[0], axis=axis) * scaled[0]
    for tap in range(1, len(index)):
        total += np.take(numbers, index[tap], axis=axis) * scaled[tap]
    return total


FORMATS = ("PNG", "JPEG", "WEBP")

_MIME = {"PNG": "image/png", "JPEG": "image/jpeg", "MPO": "image/jpeg", "WEBP": "image/webp"}
"""MPO is a JPEG with further views behind the first, as telephones write it."""

_PNG = b"\x89PNG\r\n\x1a\n"

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""By a PNG's colour type: grey, colour, palette, and the first two with alpha."""

_STRIP_ROWS = 256
"""Converted at a time: of 64 megapixels a whole copy would be 256 MB."""

_CLOCKWISE = {3: 180, 4: 180, 5: 90, 6: 90, 7: 270, 8: 270}
"""Degrees by EXIF orientation; 2, 4, 5 and 7 are mirrored too."""


@draw_apart
def read_picture(path: Path, width: int, height: int) -> NDArray[np.uint8]:
    """A picture on a canvas: cover and centre crop.

    Returns:
        uint8 [height, width, 3].

    Raises:
        BadInput: it is no picture, too large, or breaks off.
    """
    pixels, _ = decode_picture(path)
    return Cover(pixels.shape[1], pixels.shape[0], width, height)(pixels)


@draw_apart
def decode_picture(path: Path) -> tuple[NDArray[np.uint8], MediaFacts]:
    """A picture as it is shown, uint8 [height, width, 3], and what it is. Raises BadInput as `read_picture`."""
    with _decoding(), Image.open(path, formats=FORMATS) as image:
        check_size(*image.size)
        check_depth(*image.size, _bits_per_pixel(path))
        kind = image.format or ""
        if kind != "MPO" and getattr(image, "is_animated", False):
            raise BadInput(
                f"The file is an animated {kind}; expected an image.",
                param="file",
                hint="Send a video as MP4, WebM, MOV or GIF.",
            )
        rotation = _CLOCKWISE.get(image.getexif().get(ExifTags.Base.Orientation, 1), 0)
        ImageOps.exif_transpose(image, in_place=True)
        pixels = _rgb(image)
    height, width = pixels.shape[:2]
    return pixels, MediaFacts("image", _MIME[kind], width, height, rotation=rotation)


def is_picture(path: Path) -> bool:
    """Whether the file begins as a still picture does, whatever its name says.

    An animated PNG is a clip: it says so in an `acTL` chunk before its first pixels.
    """
    with path.open("rb") as file:
        head = file.read(4096)
    if head.startswith(_PNG):
        return b"acTL" not in head.partition(b"IDAT")[0]
    return head.startswith(b"\xff\xd8\xff") or (head[:4] == b"RIFF" and head[8:12] == b"WEBP")


@contextmanager
def _decoding() -> Generator[None]:
    try:
        yield
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise BadInput(
            f"The image has more than {MAX_PIXELS // 10**6} megapixels.", param="file", hint="Scale it down."
        ) from None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, struct.error) as error:
        raise BadInput(
            f"The image cannot be decoded to its end: {error}.", param="file", hint="Send the whole file again."
        ) from None


def _rgb(image: Image.Image) -> NDArray[np.uint8]:
    if image.mode.startswith("I"):  # 16-bit grey: Pillow would clip it at 255
        grey = (np.asarray(image).astype(np.uint32) >> 8).clip(0, 255).astype(np.uint8)
        return np.repeat(grey[..., None], 3, axis=2)
    pixels = np.empty((image.height, image.width, 3), np.uint8)
    for top in range(0, image.height, _STRIP_ROWS):
        strip = image.crop((0, top, image.width, min(top + _STRIP_ROWS, image.height)))
        if image.has_transparency_data:
            strip_pixels = over_black(np.asarray(strip.convert("RGBA")))
        else:
            strip_pixels = np.asarray(strip.convert("RGB"))
        pixels[top : top + strip.height] = strip_pixels
    return pixels


def _bits_per_pixel(path: Path) -> int:
    """Of a PNG as its header says; of the others 24, as they are decoded to."""
    with path.open("rb") as file:
        head = file.read(26)
    if not head.startswith(_PNG):
        return 24
    depth, colours = head[24:26]
    return depth * _CHANNELS.get(colours, 4)


def over_black(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """uint8 [height, width, 4] with straight alpha to uint8 [height, width, 3]."""
    # Black is what most editors store under it, and what `convert("RGB")` shows.
    alpha = pixels[..., 3:].astype(np.uint16)
    return ((pixels[..., :3] * alpha + 127) // 255).astype(np.uint8)


THUMBNAIL_SIDE = 320
"""Pixels of a thumbnail's longer side."""


def write_thumbnail(path: Path, pixels: NDArray[np.uint8]) -> None:
    """WebP from uint8 [height, width, 3]."""
    small = Image.fromarray(pixels)
    small.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE), Image.Resampling.LANCZOS)
    small.save(path, "WEBP", quality=82)

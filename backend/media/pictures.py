"""Reading a still picture: PNG, JPEG or WebP, upright, opaque and 8 bits a channel."""

from __future__ import annotations

import struct
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from backend.media.apart import draw_apart
from backend.media.bounds import MAX_PIXELS, check_depth, check_size
from backend.media.cover import Cover
from backend.media.facts import MediaFacts
from studio.errors import BadInput

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
                f"The file is a {kind} that moves; a still picture is expected.",
                param="file",
                hint="Send a clip as MP4, WebM, MOV or GIF.",
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
            f"The picture has more than {MAX_PIXELS // 10**6} megapixels.", param="file", hint="Scale it down."
        ) from None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, struct.error) as error:
        raise BadInput(
            f"The picture cannot be decoded to its end: {error}.", param="file", hint="Send the whole file again."
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

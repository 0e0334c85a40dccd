"""The small picture that stands for a file in a list."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

THUMBNAIL_SIDE = 320
"""Pixels of a thumbnail's longer side."""


def write_thumbnail(path: Path, pixels: NDArray[np.uint8]) -> None:
    """WebP from uint8 [height, width, 3]."""
    small = Image.fromarray(pixels)
    small.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE), Image.Resampling.LANCZOS)
    small.save(path, "WEBP", quality=82)

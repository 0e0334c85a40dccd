"""Frames side by side in one file, for people to look at what the trainer sees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tuning.state import typed_writing

MOST_FRAMES = 8
HEIGHT = 192
"""Pixels of a frame on the sheet, at most."""


def write_sheet(frames: NDArray[np.uint8], path: Path) -> None:
    """Up to eight frames from the first to the last, of uint8 [T, height, width, 3], as WebP.

    Raises:
        DiskFull, StorageError: it could not be written.
    """
    places = np.linspace(0, len(frames) - 1, min(len(frames), MOST_FRAMES)).round().astype(int)
    sheet = Image.fromarray(np.concatenate([*frames[places]], axis=1))
    if sheet.height > HEIGHT:
        sheet = sheet.resize((round(sheet.width * HEIGHT / sheet.height), HEIGHT), Image.Resampling.LANCZOS)
    with typed_writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        sheet.save(path, "WEBP", quality=85)

"""Frames of one view that are stored in the table of an episode, each as the bytes of a PNG or JPEG file.

LIBERO's data sets have them so (huggingface.co/datasets/physical-intelligence/libero).
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from robot.faults import BrokenEpisode
from robot.recording.parquet import read_bytes
from studio.errors import BadInput
from tuning.sources import Sources

_read = lru_cache(maxsize=4)(read_bytes)


@dataclass(frozen=True)
class TablePictures:
    """Frames of one view, one for each row.

    Attributes:
        path: of the table.
        column: of it.
        first: row of the table that they begin at.
        count: rows.
    """

    path: Path
    column: str
    first: int
    count: int

    def cut(self, first: int, count: int) -> TablePictures:
        """So many rows of them."""
        return replace(self, first=self.first + first, count=count)

    def identity(self, sources: Sources) -> tuple[object, ...]:
        """What decides over their pixels."""
        return sources.hash(self.path), self.column, self.first, self.count

    def check(self) -> None:
        """Raises BadInput where the table has no frames there."""
        next(self.cut(0, 1).frames())

    def frames(self) -> Iterator[NDArray[np.uint8]]:
        """uint8 [height, width, 3] of each row. Raises BadInput."""
        try:
            found = _read(self.path, self.column)[self.first : self.first + self.count]
            for data in found:
                with Image.open(io.BytesIO(data)) as opened:
                    yield np.asarray(opened.convert("RGB"))
        except (BrokenEpisode, OSError, Image.DecompressionBombError) as error:
            raise BadInput(f"{self.column} of {self.path.name} cannot be read: {error}", param="data") from None

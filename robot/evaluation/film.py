"""What the cameras saw of an episode, as a video: kept in memory while the arm moves, written when it rests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robot.observation import Views
from robot.recording.episode_writer import VideoWriter


class Film:
    """The pictures of one episode, one for each tick: a hundred megabytes for its eight seconds.

    Args:
        path: of the MP4 that becomes of them; one that is there is replaced.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pictures: list[NDArray[np.uint8]] = []

    def add(self, views: Views) -> None:
        """The next tick: the wrist on top, both exteriors below it."""
        self._pictures.append(views.canvas())

    def save(self) -> None:
        """Write the file; none without a picture."""
        if not self._pictures:
            return
        height, width = self._pictures[0].shape[:2]
        self._path.unlink(missing_ok=True)
        writer = VideoWriter(self._path, (width, height))
        for picture in self._pictures:
            writer.add(picture)
        writer.close()

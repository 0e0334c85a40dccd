"""Putting the frames of a clip together, without filling memory and without turning a deaf ear meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from backend.media import MediaStore
from backend.media.frame_array import MAX_IN_MEMORY_BYTES, let_go

LET_GO_EVERY = 64
"""Frames between two times that what was written to disk is let go of: 180 MB of 1280x720."""


@dataclass(frozen=True)
class Gather:
    """How one request's frames are gathered.

    Attributes:
        store: where frames go that are too many for memory.
        heed: called between frames; what it raises ends the gathering.
        on_disk: the arrays that lie there.
    """

    store: MediaStore
    heed: Callable[[], None]
    on_disk: list[NDArray[np.uint8]] = field(default_factory=list[NDArray[np.uint8]])

    def rooms(self, count: int, shape: tuple[int, ...]) -> list[NDArray[np.uint8]]:
        """Arrays for so many clips of one shape [frames, height, width, 3]. Raises DiskFull, StorageError."""
        on_disk = count * math.prod(shape) > MAX_IN_MEMORY_BYTES
        rooms = [self.store.frame_array(shape, on_disk=on_disk) for _ in range(count)]
        self.on_disk.extend(rooms if on_disk else [])
        return rooms

    def fill(self, room: NDArray[np.uint8], frames: Iterator[NDArray[np.uint8]]) -> NDArray[np.uint8]:
        """The room, with a frame in each place."""
        for place, frame in zip(room, self.heeding(frames), strict=True):
            place[:] = frame
        return room

    def heeding(self, frames: Iterator[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
        """The same frames."""
        for index, frame in enumerate(frames):
            self.heed()
            yield frame
            if index % LET_GO_EVERY == LET_GO_EVERY - 1:
                for room in self.on_disk:
                    let_go(room)

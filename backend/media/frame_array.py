"""Room for the frames of a clip: in memory, or, where that would be too much, in a file without a name."""

from __future__ import annotations

import math
import mmap
import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from backend.media.scratch import typed_disk_errors

MAX_IN_MEMORY_BYTES = 10**9
"""Of all frames of one request. 5000 frames of 1280x720 are 13.8 GB, and a transfer may have five controls."""


def frame_array(shape: tuple[int, ...], folder: Path, *, on_disk: bool) -> NDArray[np.uint8]:
    """An array to be filled; its place on disk is taken at once, and is free again when nobody holds the array.

    Args:
        shape: [num_frames, height, width, 3].
        folder: where the file is made.

    Raises:
        DiskFull, StorageError: the disk has no place for it.
    """
    if not on_disk:
        return np.empty(shape, np.uint8)
    size_bytes = math.prod(shape)
    with typed_disk_errors(folder, num_bytes=size_bytes):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            # A page that finds the disk full when it is written would end the process, not the request.
            os.posix_fallocate(file.fileno(), 0, size_bytes)
            return np.memmap(file, np.uint8, "r+", shape=shape)


def let_go(frames: NDArray[np.uint8]) -> None:
    """Let the kernel have the memory of frames that lie on disk; they stay, and are read again when looked at."""
    if isinstance(frames.base, mmap.mmap):
        frames.base.madvise(mmap.MADV_DONTNEED)

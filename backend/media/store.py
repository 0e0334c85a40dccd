"""Where pictures lie: one file an artefact and one thumbnail beside it, named by the job that made them."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.media.recipe import write_recipe
from studio.errors import DiskFull, MediaNotFound, StorageError
from studio.media import MediaReference
from studio.requests import Request

THUMBNAIL_SIDE = 320
"""Pixels of a thumbnail's longer side."""

_NAME = re.compile(r"[0-9a-f]{12}-\d{1,3}")
_PART = ".part"


class MediaStore:
    """Artefacts below one folder. The worker writes, the server reads; neither sees a file that is not whole."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put_image(
        self, job_id: str, index: int, pixels: NDArray[np.uint8], request: Request, checkpoint: str
    ) -> MediaReference:
        """Write a picture as PNG with its recipe, and its thumbnail.

        Args:
            pixels: uint8 [height, width, 3].
            request: of this picture alone.

        Raises:
            DiskFull: there is no room; nothing is left behind.
            StorageError: it could not be written otherwise.
        """
        name = f"{job_id}-{index}"
        image = Image.fromarray(pixels)
        encoded = _encode(image, "PNG", pnginfo=write_recipe(request, checkpoint), compress_level=4)
        small = image.copy()
        small.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE), Image.Resampling.LANCZOS)
        self._write(self._thumbnail(name), _encode(small, "WEBP", quality=82))
        self._write(self._file(name), encoded)
        return MediaReference(
            id=name,
            type="image",
            mime="image/png",
            width=image.width,
            height=image.height,
            size_bytes=len(encoded),
            sha256=hashlib.sha256(encoded).hexdigest(),
            seed=request.sampling.seed,
            url=f"/v1/media/{name}",
            thumbnail_url=f"/v1/media/{name}/thumbnail",
        )

    def file(self, name: str) -> Path:
        """The file of an artefact. Raises MediaNotFound."""
        return self._existing(name, self._file)

    def thumbnail(self, name: str) -> Path:
        """The thumbnail of an artefact. Raises MediaNotFound."""
        return self._existing(name, self._thumbnail)

    def sweep(self) -> int:
        """Remove what a killed process left half-written; returns how many files that were."""
        leftovers = list(self._root.glob(f"*/*{_PART}"))
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)
        return len(leftovers)

    def _existing(self, name: str, place: Any) -> Path:
        if _NAME.fullmatch(name):
            path: Path = place(name)
            if path.is_file():
                return path
        raise MediaNotFound(
            f"There is no media {name[:80]!r} in the store.", hint="Its file was removed, or it never was."
        )

    def _file(self, name: str) -> Path:
        return self._root / name[:2] / f"{name}.png"

    def _thumbnail(self, name: str) -> Path:
        return self._root / name[:2] / f"{name}.webp"

    def _write(self, path: Path, data: bytes) -> None:
        """Temporary file, fsync, rename, fsync of the folder: after a crash the file is whole or absent."""
        part = path.with_name(f"{path.name}.{os.getpid()}{_PART}")
        try:
            path.parent.mkdir(exist_ok=True)
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
            _sync_folder(path.parent)
        except OSError as error:
            part.unlink(missing_ok=True)
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull(
                    f"The disk is full: {len(data):,} bytes did not fit into {self._root}.",
                    hint="Free some room, then retry the job.",
                ) from None
            raise StorageError(
                f"{path.name} could not be written into {self._root}: {error.strerror}.",
                hint="Look at the data folder's permissions.",
            ) from None


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _encode(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()

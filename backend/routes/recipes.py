"""`/v1/recipes`: from a picture, a clip or actions back to the request that made it."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from fastapi import APIRouter, UploadFile

from backend.errors import documented
from backend.media import DECODERS, read_recipe
from studio.catalogue import Recipe
from studio.errors import BadInput, TooLarge

router = APIRouter(prefix="/v1/recipes", tags=["media"])


@router.post("/read", responses=documented(BadInput, TooLarge))
async def read(file: UploadFile) -> Recipe:
    """The request inside a PNG, an MP4 or a JSON of actions that Orrery wrote; nothing is kept.

    Of a PNG of another program the `parameters` text is read; `unread` names what has no place in a request.
    """
    return await DECODERS.beside(lambda: _read(file.file))


def _read(stream: BinaryIO) -> Recipe:
    with NamedTemporaryFile() as whole:
        shutil.copyfileobj(stream, whole)
        whole.flush()
        return read_recipe(Path(whole.name))

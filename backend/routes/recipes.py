"""`/v1/recipes`: from a picture, a clip or actions back to the request that made it."""

from __future__ import annotations

from fastapi import APIRouter, UploadFile

from backend.errors import documented
from backend.media import read_recipe
from studio.catalogue import Recipe
from studio.errors import BadInput, TooLarge

router = APIRouter(prefix="/v1/recipes", tags=["media"])


@router.post("/read", responses=documented(BadInput, TooLarge))
def read(file: UploadFile) -> Recipe:
    """The request inside a PNG, an MP4 or a JSON of actions that Orrery wrote; nothing is kept.

    Of a PNG of another program the `parameters` text is read; `unread` names what has no place in a request.
    """
    return read_recipe(file.file)

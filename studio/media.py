"""A reference to something that was made: enough to show it, fetch it and check it, never its bytes."""

from __future__ import annotations

from typing import Literal

from studio.requests import Frozen


class MediaReference(Frozen):
    """One artefact in the media store.

    Attributes:
        id: its name in the store, ``{job id}-{index}``.
        type: what it is.
        mime: its content type.
        width, height: pixels.
        size_bytes: length of the file.
        sha256: of the file, hexadecimal; its ETag.
        seed: the seed that made it.
        url, thumbnail_url: paths on the server that holds it.
    """

    id: str
    type: Literal["image"]
    mime: str
    width: int
    height: int
    size_bytes: int
    sha256: str
    seed: int
    url: str
    thumbnail_url: str

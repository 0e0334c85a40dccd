"""What an upload carries inside: of a file that a studio made, or that another program wrote its settings into."""

from __future__ import annotations

from backend.media import MediaStore, read_recipe
from studio.errors import StudioError
from studio.requests import Request


def carried_request(store: MediaStore, media_id: str) -> Request | None:
    """The request that made it elsewhere; none where the file says nothing, or nothing that is a request here."""
    try:
        return read_recipe(store.file(media_id)).request
    except (StudioError, OSError):
        return None

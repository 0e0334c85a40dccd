"""Files that a request starts from: sent to the server first, named by their ids then."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from studio.client import StudioClient
from studio.errors import BadInput
from studio.requests import Request

_MEDIA_ID = re.compile(r"u[0-9a-f]{16}|[0-9a-f]{12}-\d{1,3}")
_NOT_SENT_YET = "u0000000000000000"


def placeholder(name: str, given: str) -> str:
    """What stands in the request until the file has been sent: an id of the right form, or the id that was given.

    Raises:
        BadInput: there is no such file.
    """
    if _MEDIA_ID.fullmatch(given):
        return given
    if not Path(given).expanduser().is_file():
        raise BadInput(f"There is no file {given!r}.", param=name, hint="Give a file, or the id of something made.")
    return _NOT_SENT_YET


async def attach(client: StudioClient, request: Request, attached: Mapping[str, str | None]) -> Request:
    """Send the files of a request and put their ids into it.

    Raises:
        BadInput: the server cannot read one of them.
    """
    for name, given in attached.items():
        if given is not None and getattr(request, name) == _NOT_SENT_YET:
            reference = await client.upload(Path(given).expanduser())
            request = request.model_copy(update={name: reference.id})
    return request

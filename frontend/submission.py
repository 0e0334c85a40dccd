"""From a form's values to a job, and what the page is told about it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from frontend import element_ids
from frontend.fields import nest
from frontend.places import Place
from studio.client import StudioClient
from studio.errors import StudioError
from studio.requests import parse_request


async def submit(client: StudioClient, place: Place, values: Mapping[str, Any]) -> dict[str, Any]:
    """Post a form as a job.

    Args:
        client: of the server, with the caller's credential; closed afterwards.
        place: the page, which names the request kind.
        values: by dotted path.

    Returns:
        For `<o-errors>`: `job` is the accepted job's id, or `message`, `hint` and the `field` they belong to.
    """
    try:
        async with client:
            job = await client.submit(parse_request({"kind": place.kind, **nest(values)}))
    except StudioError as error:
        field = element_ids.field(place.name, error.param) if error.param else ""
        return _told(message=error.message, hint=error.hint, field=field)
    return _told(job=job.id)


def _told(**what: str) -> dict[str, Any]:
    # The time makes two equal answers two: Gradio passes a value on only when it differs.
    return {**what, "at": time.time()}

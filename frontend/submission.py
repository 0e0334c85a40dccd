"""From a form's values to a job, and what the page is told about it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from frontend import element_ids
from frontend.fields import nest
from frontend.panel import Panel, spread
from studio.client import StudioClient
from studio.errors import StudioError
from studio.jobs import Priority
from studio.requests import parse_request


async def submit(
    client: StudioClient, panel: Panel, values: Mapping[str, Any], priority: Priority = "normal"
) -> dict[str, Any]:
    """Post a form as a job.

    Args:
        client: of the server, with the caller's credential; closed afterwards.
        panel: the page, which names the request kind.
        values: by name among the form's components.
        priority: before which jobs it runs.

    Returns:
        For `<o-errors>`: `job` is the accepted job's id, or `code`, `param`, `message`, `hint` and the `field` that
        they belong to.
    """
    try:
        async with client:
            request = parse_request({"kind": panel.place.kind, **nest(spread(values))})
            job = await client.submit(request, priority=priority)
    except StudioError as error:
        return _told(
            message=error.message,
            hint=error.hint,
            code=error.code,
            param=error.param or "",
            field=field_id(panel, error.param) if error.param else "",
        )
    return _told(job=job.id)


def field_id(panel: Panel, path: str) -> str:
    """The id of the element that stands for a request field: its own, or that of the part that holds it."""
    names = {path, path.partition(".")[0]}
    holder = next((part.name for part in panel.every_part if names.intersection(part.paths)), path)
    return element_ids.field(panel.place.name, holder)


def _told(**what: str) -> dict[str, Any]:
    # The time makes two equal answers two: Gradio passes a value on only when it differs.
    return {**what, "at": time.time()}

"""Server-sent events that stay open while nothing happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

KEEP_ALIVE_S = 15.0
"""Proxies close what is silent for a minute, some after half of one (nginx: proxy_read_timeout, 60 s)."""

COMMENT = ": still here\n\n"
"""A line that starts with a colon says nothing to the reader (WHATWG HTML, 9.2.6)."""


async def kept_alive(events: AsyncIterator[str], every_s: float = KEEP_ALIVE_S) -> AsyncIterator[str]:
    """The same events, with a comment whenever none came for so long."""
    coming = asyncio.ensure_future(_next(events))
    try:
        while True:
            await asyncio.wait({coming}, timeout=every_s)
            if not coming.done():
                yield COMMENT
                continue
            event = coming.result()
            if event is None:
                return
            yield event
            coming = asyncio.ensure_future(_next(events))
    finally:
        coming.cancel()


async def _next(events: AsyncIterator[str]) -> str | None:
    return await anext(events, None)

"""Work for one caller, given up when that caller leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import structlog
from fastapi import Request

from studio.errors import Conflict

T = TypeVar("T")

log = structlog.get_logger("orrery.http")


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """What the work comes to; it is cancelled when the caller hangs up. The body has been read.

    Raises:
        Conflict: the caller has left; nobody reads that.
    """
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(hung_up(request))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        log.info("caller_left", path=request.url.path)
        raise Conflict("Whoever asked has left.", hint="Ask again.")
    finally:
        gone.cancel()
        if not working.done():
            working.cancel()
            await asyncio.wait({working})


async def hung_up(request: Request) -> None:
    """Returns when the caller has left. The body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass

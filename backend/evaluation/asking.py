"""Asking a reasoner many things: some at a time, until something stands against all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from studio.errors import (
    Busy,
    CheckpointNotFound,
    Conflict,
    EngineLost,
    ServerUnreachable,
    StorageError,
    StudioError,
    Unauthorized,
)

T = TypeVar("T")

AT_ONCE = 4
"""Things that are asked at a time: the resident reasoner decodes them in one pass."""

OF_ALL = (Busy, CheckpointNotFound, Conflict, EngineLost, ServerUnreachable, StorageError, Unauthorized)
"""What every other question would meet too: nothing more is asked, where another error is the question's own."""


async def ask_each(things: Sequence[T], ask: Callable[[T], Awaitable[None]]) -> None:
    """Ask about each of these, at most `AT_ONCE` at a time. Raises the first StudioError that `ask` does."""
    waiting = iter(things)

    async def worker() -> None:
        for thing in waiting:
            await ask(thing)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(AT_ONCE, len(things))):
                group.create_task(worker())
    except* StudioError as errors:
        raise _first(errors) from None


def _first(errors: ExceptionGroup[StudioError]) -> StudioError:
    found = errors.exceptions[0]
    return _first(found) if isinstance(found, ExceptionGroup) else found

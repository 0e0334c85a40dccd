"""Answers while they are written: for one caller, or with an `Idempotency-Key` for whoever sends the same call again.

One without a key ends when its caller leaves, as OpenAI's does. One with a key goes on and is kept in memory: a page
that was left is sent it from its beginning. A restart forgets them, and then the same call is answered anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from backend.jobs.idempotency import check_key, check_same, fingerprint_of
from studio.errors import Conflict

MAX_KEPT = 200
"""Answers of some kilobytes each; of those that are whole, the oldest go first."""

Write = Callable[[Callable[[str], None]], Coroutine[Any, Any, None]]
"""Writes an answer, piece by piece, with the function that it is given."""


class AnswerStream:
    """A text while a task of its own writes it, for any number of readers. Lives on the event loop's thread."""

    def __init__(self, write: Write, *, kept: bool, fingerprint: str = "") -> None:
        self.fingerprint = fingerprint
        self._kept = kept
        self._pieces: list[str] = []
        self._news = asyncio.Event()
        self._task = asyncio.create_task(write(self._add))
        self._task.add_done_callback(lambda _: self._tell())

    @property
    def is_open(self) -> bool:
        """Whether it is being written."""
        return not self._task.done()

    @property
    def is_refused(self) -> bool:
        """Whether it ended before its first piece."""
        return self._task.done() and not self._pieces

    def leave(self) -> None:
        """A reader has left; nobody reads one that is not kept."""
        if not self._kept:
            self.stop()

    def stop(self) -> None:
        """Write no more of it; what is there stays."""
        self._task.cancel()

    async def begun(self) -> None:
        """Wait for its first piece. Raises Conflict where it was stopped before, and what its writing raises."""
        while not self._pieces and self.is_open:
            await self._news.wait()
        if not self._pieces:
            self._end()
            raise Conflict("The answer was stopped.", hint="Send the request again.")

    async def whole(self) -> str:
        """All of it, once it is written. Raises as `begun`."""
        await self.begun()
        return "".join([piece async for piece in self.read()])

    async def read(self) -> AsyncGenerator[str]:
        """Every piece from the first on, as soon as it is there. Raises what its writing raises."""
        at = 0
        while True:
            news, is_open = self._news, self.is_open
            while at < len(self._pieces):
                yield self._pieces[at]
                at += 1
            if not is_open:
                self._end()
                return
            await news.wait()

    def _end(self) -> None:
        if not self._task.cancelled():
            self._task.result()

    def _add(self, piece: str) -> None:
        self._pieces.append(piece)
        self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class AnswerStreams:
    """Those with a key, by it."""

    def __init__(self) -> None:
        self._kept: dict[str, AnswerStream] = {}

    def begin(self, key: str | None, body: bytes, write: Write) -> AnswerStream:
        """The answer to a call: a new one, or with a key the one that an earlier call has begun.

        Args:
            key: of the caller; none for a call that is answered every time.
            body: what is asked; the same key must ask the same.
            write: writes it.

        Raises:
            BadInput: the key cannot be one.
            Conflict: it was given with another body.
        """
        if key is None:
            return AnswerStream(write, kept=False)
        check_key(key)
        fingerprint = fingerprint_of(body)
        found = self._kept.get(key)
        if found is not None:
            check_same(found.fingerprint, fingerprint)
        if found is None or found.is_refused:
            self._kept.pop(key, None)
            self._make_room()
            found = self._kept[key] = AnswerStream(write, kept=True, fingerprint=fingerprint)
        return found

    def stop(self, key: str) -> None:
        """End the answer of a key, if there is one."""
        if key in self._kept:
            self._kept[key].stop()

    def close(self) -> None:
        """End all of them."""
        for answer in self._kept.values():
            answer.stop()

    def _make_room(self) -> None:
        whole = [key for key, answer in self._kept.items() if not answer.is_open]
        for key in whole[: max(len(self._kept) + 1 - MAX_KEPT, 0)]:
            del self._kept[key]

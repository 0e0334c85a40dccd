"""Events over a connection that proxies leave open."""

import asyncio
from collections.abc import AsyncIterator

from backend.routes.connections import COMMENT, kept_alive


class Source:
    """Two events, the second one only when it is let go."""

    def __init__(self) -> None:
        self.more = asyncio.Event()
        self.closed = False

    async def events(self) -> AsyncIterator[str]:
        try:
            yield "one"
            await self.more.wait()
            yield "two"
        finally:
            self.closed = True


def test_silence_is_filled_with_comments_and_no_event_is_lost():
    async def listen() -> list[str]:
        source, heard = Source(), list[str]()
        async with asyncio.timeout(60):
            async for event in kept_alive(source.events(), every_s=0.001):
                heard.append(event)
                if heard.count(COMMENT) == 3:
                    source.more.set()
        assert source.closed
        return heard

    heard = asyncio.run(listen())

    assert heard[0] == "one"
    assert heard[-1] == "two"
    assert set(heard[1:-1]) == {COMMENT}


def test_who_leaves_ends_the_events():
    async def leave() -> Source:
        source = Source()
        stream = kept_alive(source.events(), every_s=0.001)
        async with asyncio.timeout(60):
            assert [await anext(stream), await anext(stream)] == ["one", COMMENT]
            await stream.aclose()  # type: ignore[attr-defined]
        return source

    assert asyncio.run(leave()).closed

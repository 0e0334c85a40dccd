"""What the client sends to the library, and what it makes of the answers."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from studio.client import StudioClient
from studio.errors import JobNotFound, MediaNotFound
from studio.library import ItemsChange, LibraryQuery

pytestmark = pytest.mark.anyio

USAGE = {"num_items": 0, "size_bytes": 0, "num_trashed": 0, "trash_bytes": 0, "quota_bytes": None, "free_bytes": 1}
PAGE = {"items": [], "total": 0, "next_cursor": None, "usage": USAGE, "facets": {}}


class Wire(httpx.AsyncBaseTransport):
    """Answers everything with one body, and keeps what it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str, bytes]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        target = request.url.raw_path.decode()
        self.asked.append((request.method, target, await request.aread()))
        return httpx.Response(200, content=self.answer if isinstance(self.answer, bytes) else json.dumps(self.answer))


def client_of(wire: Wire) -> StudioClient:
    return StudioClient("http://x", transport=wire)


async def test_a_query_says_what_was_given_and_lists_say_their_name_each_time():
    wire = Wire(PAGE)
    async with client_of(wire) as client:
        await client.library.search()
        await client.library.search(
            LibraryQuery(q="a b&c", type=("image", "video"), starred=True, tag=("x", "y"), batch="0f3c")
        )

    assert [target for _, target, _ in wire.asked] == [
        "/v1/library",
        "/v1/library?q=a+b%26c&type=image&type=video&starred=true&tag=x&tag=y&batch=0f3c",
    ]


async def test_changes_say_only_what_changes():
    wire = Wire({"ids": ["a"]})
    async with client_of(wire) as client:
        assert await client.library.change_many(ItemsChange(ids=("a",), starred=False)) == ("a",)
        assert await client.library.trash(["a"]) == ("a",)
        assert await client.library.restore(["a"]) == ("a",)

    assert [(method, target, json.loads(body)) for method, target, body in wire.asked] == [
        ("POST", "/v1/library/change", {"ids": ["a"], "starred": False}),
        ("POST", "/v1/library/trash", {"ids": ["a"]}),
        ("POST", "/v1/library/restore", {"ids": ["a"]}),
    ]


async def test_archives_and_exports_are_streamed(tmp_path: Path):
    wire = Wire(b"PK zip")
    async with client_of(wire) as client:
        await client.library.save_archive(["a"], tmp_path / "a.zip")
        await client.library.save_export(tmp_path / "b.zip")
        assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes() == b"PK zip"

    assert [target for _, target, _ in wire.asked] == ["/v1/library/archive", "/v1/library/export"]


async def test_names_that_are_none_are_not_sent():
    wire = Wire({})
    async with client_of(wire) as client:
        for call in (client.library.item, client.library.spritesheet):
            with pytest.raises(MediaNotFound):
                await call("../x")
        with pytest.raises(JobNotFound):
            await client.batch("?")
    assert wire.asked == []

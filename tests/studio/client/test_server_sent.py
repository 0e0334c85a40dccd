from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.client.connection import read_events

pytestmark = pytest.mark.anyio


async def _read(chunks: list[bytes]) -> list[tuple[str, bytes]]:
    async def feed():
        for chunk in chunks:
            yield chunk

    return [event async for event in read_events(feed())]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"event: job\ndata: {}\n\n", [("job", b"{}")]),
        (b"data:{}\r\n\r\n", [("message", b"{}")]),
        (b": a comment\n\nretry: 3\nid: 1\n\n", []),
        (b"data: a\ndata: b\n\n", [("message", b"a\nb")]),
        (b"event: job\ndata: whole\n\nevent: job\ndata: cut", [("job", b"whole")]),
        (b"", []),
    ],
)
async def test_events_are_read_as_the_standard_says(raw, expected):
    assert await _read([raw]) == expected


@given(
    lines=st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), min_size=1),
    size=st.integers(1, 9),
)
async def test_where_the_bytes_are_cut_makes_no_difference(lines, size):
    raw = b"".join(f"event: job\ndata: {line}\n\n".encode() for line in lines)
    chunks = [raw[start : start + size] for start in range(0, len(raw), size)]
    assert await _read(chunks) == [("job", line.encode()) for line in lines]

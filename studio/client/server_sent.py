"""Server-sent events, as far as a job's stream needs them (html.spec.whatwg.org, section 9.2).

Lines end at LF alone (with CR before it or not): text inside the JSON may hold U+2028 or U+0085, which a general line
splitter would take for an end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator


async def read_events(chunks: AsyncIterator[bytes]) -> AsyncIterator[tuple[str, bytes]]:
    """(event name, data) of every event that is complete when the bytes end.

    `b"event: job\\ndata: {}\\n\\n"` gives `("job", b"{}")`. Comments and other fields are skipped.
    """
    name, data, rest = "message", list[bytes](), b""
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            field, _, value = line.rstrip(b"\r").partition(b":")
            value = value.removeprefix(b" ")
            if field == b"event":
                name = value.decode("utf-8", "replace")
            elif field == b"data":
                data.append(value)
            elif not field and not value and data:
                yield name, b"\n".join(data)
                name, data = "message", []

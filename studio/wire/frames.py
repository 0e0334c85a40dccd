"""A binary websocket frame that says which topic it belongs to.

Layout: length of the topic as a big-endian unsigned 16-bit number, the topic in UTF-8, the payload.
`pack_frame("a", b"xy")` is `00 01 61 78 79`.
"""

from __future__ import annotations

import struct

from studio.errors import BadInput

_LENGTH = struct.Struct(">H")


def pack_frame(topic: str, payload: bytes) -> bytes:
    """The frame of one payload."""
    name = topic.encode()
    return _LENGTH.pack(len(name)) + name + payload


def unpack_frame(frame: bytes) -> tuple[str, bytes]:
    """(topic, payload) of a frame.

    Raises:
        BadInput: it is shorter than it says, or its topic is not UTF-8.
    """
    if len(frame) < _LENGTH.size or len(frame) < _LENGTH.size + _LENGTH.unpack_from(frame)[0]:
        raise BadInput(f"The frame has {len(frame)} bytes, fewer than its header says.")
    end = _LENGTH.size + _LENGTH.unpack_from(frame)[0]
    try:
        return frame[_LENGTH.size : end].decode(), frame[end:]
    except UnicodeDecodeError:
        raise BadInput("The frame's topic is not UTF-8.") from None

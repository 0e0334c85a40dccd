"""Bytes on a socket: preview frames for pages here, arrays for robots in `studio.wire.arrays` (which loads numpy)."""

from studio.wire.frames import pack_frame, unpack_frame

__all__ = ["pack_frame", "unpack_frame"]

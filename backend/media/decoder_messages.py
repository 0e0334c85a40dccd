"""What a decoder and the process that started it say to each other; arrays go beside the pickle, and are not copied."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

MORE, ENOUGH = b"more", b"enough"
"""What a decoder is told about a series: go one item further, or go no further. Every series is told `ENOUGH` once."""


@dataclass(frozen=True)
class Order:
    """Call a function.

    Attributes:
        module, name: where it is found.
        is_series: it returns an iterator, whose items are wanted one by one.
        cpu_s: processor seconds that the call may take, or each item of the series.
    """

    module: str
    name: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    is_series: bool
    cpu_s: float


@dataclass(frozen=True)
class Value:
    """What the function returned, or the next item of a series."""

    content: Any


@dataclass(frozen=True)
class Same:
    """The next item of a series is the same object as the last one."""


@dataclass(frozen=True)
class End:
    """A series is over."""


@dataclass(frozen=True)
class Failed:
    """What the function raised: it ends a series too. MemoryError says that the decoder's memory did not suffice."""

    error: Exception


Reply = Value | Same | End | Failed


def send(pipe: Connection, content: Order | Reply) -> None:
    """Say something. Raises OSError when nobody is there."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(content, protocol=5, buffer_callback=buffers.append)
    raw = [buffer.raw() for buffer in buffers]
    pipe.send((head, [piece.nbytes for piece in raw]))
    for piece in raw:
        pipe.send_bytes(piece)


def receive(pipe: Connection) -> Any:
    """Hear what was said. Raises EOFError or OSError when nobody is there."""
    head, sizes = pipe.recv()
    buffers = [bytearray(size) for size in sizes]
    for buffer in buffers:
        pipe.recv_bytes_into(buffer)
    return pickle.loads(head, buffers=buffers)

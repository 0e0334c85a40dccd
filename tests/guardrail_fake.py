"""The guardrail program with a reader that needs no models: the real server, its real loopback contract."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from guardrail.__main__ import Guardrail, make_server
from guardrail.reader import Seen

UNSAFE, BROKEN, FACE, BLUR = 251, 252, 253, 99
"""Levels of a pixel."""


class WordReader:
    """Stops texts that hold a word, and frames of a level; those of another level are faces."""

    def __init__(self, bad: str = "forbidden", fault: Exception | None = None) -> None:
        self.bad = bad
        self.fault = fault
        self.read_texts: list[str] = []
        self.looks: list[tuple[int, int, float]] = []

    def load(self) -> str:
        if self.fault:
            raise self.fault
        return "a list of one word"

    def look(self, frames: NDArray[np.uint8], first: int, fps: float) -> Seen:
        self.looks.append((first, len(frames), fps))
        if (frames == UNSAFE).all():
            return Seen(False, f"frame {first} shows it")
        if (frames == BROKEN).all():
            raise RuntimeError("the model broke")
        # Of all pixels: a picture of noise has some of every level.
        return Seen(True, frames=np.full_like(frames, BLUR)) if (frames == FACE).all() else Seen(True)

    def read(self, text: str) -> tuple[bool, str]:
        self.read_texts.append(text)
        if text == "break":
            raise RuntimeError("the model broke")
        return self.bad not in text, f"it says {self.bad}" if self.bad in text else ""


@contextmanager
def guarding(reader: WordReader, *, loaded: bool = True) -> Iterator[str]:
    """Its address, while it answers."""
    guardrail = Guardrail(reader)
    if loaded:
        guardrail.load()
    server = make_server(guardrail, 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(60)

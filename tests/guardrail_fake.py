"""The guardrail program with a reader that needs no models: the real server, its real loopback contract."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from guardrail.__main__ import Guardrail, make_server


class WordReader:
    """Stops texts that hold a word."""

    def __init__(self, bad: str = "forbidden", fault: Exception | None = None) -> None:
        self.bad = bad
        self.fault = fault
        self.read_texts: list[str] = []

    def load(self) -> str:
        if self.fault:
            raise self.fault
        return "a list of one word"

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
        thread.join(5)

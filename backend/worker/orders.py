"""A follower's end of the pipe to its leader."""

from __future__ import annotations

import os
import queue
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import NoReturn

from engine.parallel.orders import Order, receive
from studio.errors import StudioError


class OrderQueue:
    """Orders in, at most one failure out. A thread reads, so that the leader's end is noticed within a step."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="orders", daemon=True).start()

    def next(self) -> Order:
        """The next order, as soon as there is one."""
        return self._orders.get()

    def give_up(self, error: StudioError) -> NoReturn:
        """Tell the leader why this rank is of no use any more, and wait to be ended by it.

        Until then the others find nobody gone: the leader may come to the same error by itself.
        """
        with suppress(OSError):
            self._pipe.send_bytes(str(error).encode())
        while True:
            self._orders.get()

    def _read(self) -> None:
        try:
            while True:
                self._orders.put(receive(self._pipe))
        except (EOFError, OSError):
            os._exit(0)

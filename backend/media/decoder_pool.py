"""The decoders of this process: a few that wait for work, and more for as long as somebody draws."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from backend.media.decoder_process import DecoderProcess
from backend.media.decoder_words import Order
from studio.errors import BadInput, Busy

T = TypeVar("T")

NUM_LOOKS = 2
"""Files that are looked at a time, and decoders that are kept: each takes a core."""

NUM_WAITING = 8
"""Threads that wait for decoders. What comes meanwhile waits in line, and holds no thread that others want."""


class DecoderPool:
    """Lends decoders, which are started when they are needed and replaced when one was lost."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._kept: list[DecoderProcess] = []
        self._lent: set[DecoderProcess] = set()
        self._num_looks = 0
        self._is_open = True
        self._threads = ThreadPoolExecutor(NUM_WAITING, thread_name_prefix="media")

    async def beside(self, act: Callable[[], T]) -> T:
        """Run what waits for decoders on threads of its own: the event loop's own are for what writes."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, act)

    def look(self, order: Order) -> Any:
        """Carry out an order in its turn: `NUM_LOOKS` of them at a time. Raises as `DecoderProcess.call`, and Busy."""
        with self._turn:
            self._turn.wait_for(lambda: self._num_looks < NUM_LOOKS or not self._is_open)
            self._num_looks += 1
        try:
            return self.draw(order)
        finally:
            with self._turn:
                self._num_looks -= 1
                self._turn.notify()

    def draw(self, order: Order) -> Any:
        """Carry out an order at once. Raises as `DecoderProcess.call`, and Busy."""
        with self._decoder() as decoder:
            return decoder.call(order)

    def series(self, order: Order) -> Generator[Any]:
        """Begin an order that returns an iterator, at the first item. Raises as `DecoderProcess.call`, and Busy."""
        with self._decoder() as decoder:
            yield from decoder.series(order)

    def start(self) -> None:
        """Have a decoder ready before the first order comes."""
        with self._turn:
            if not self._kept:
                self._kept.append(DecoderProcess())

    def close(self) -> None:
        """End every decoder, whatever it does: who waits for one hears Busy."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._turn:
            self._is_open = False
            for decoder in self._lent:
                decoder.end()
            for decoder in self._kept:
                decoder.close()
            self._kept.clear()
            self._turn.notify_all()

    @contextmanager
    def _decoder(self) -> Generator[DecoderProcess]:
        with self._turn:
            self._check_open()
            decoder = self._kept.pop() if self._kept else DecoderProcess()
            if not decoder.is_alive:  # something else has ended it while it waited
                decoder.close()
                decoder = DecoderProcess()
            self._lent.add(decoder)
        try:
            yield decoder
        except BadInput:  # it was lost, or the file is no good
            self._check_open()
            raise
        finally:
            with self._turn:
                self._lent.remove(decoder)
                is_kept = decoder.is_idle and self._is_open and len(self._kept) < NUM_LOOKS
                if is_kept:
                    self._kept.append(decoder)
            if not is_kept:
                decoder.close()

    def _check_open(self) -> None:
        if not self._is_open:
            raise Busy("The server stops, and looks at no more files.", hint="Send it again once it runs.")

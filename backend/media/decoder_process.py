"""The decoders of this process: a few that wait for work, and more for as long as somebody draws.

To whoever started it a decoder is something to give an order to, and to end when it takes too long.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import structlog

from backend.media.bounds import MAX_MEMORY_BYTES, WALL_FACTOR, WALL_S
from backend.media.decoder_messages import ENOUGH, MORE, End, Failed, Order, Reply, Value, receive, send
from studio.errors import BadInput, Busy

log = structlog.get_logger("orrery.decoder")

NUM_AHEAD = 3
"""Items of a series that are asked for before they are wanted, so that both sides have something to do."""

DRAIN_S = 1.0
"""How long a series that nobody wants the rest of may take to notice."""

_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Nothing is multiplied here, and the rooms that such libraries take for each thread count as memory."""


class DecoderProcess:
    """A decoder, from its start until it is ended, or ends itself. One order at a time.

    Raises:
        OSError: no process could be started.
    """

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            # -P: the folder that the server was started in is nobody's source of modules.
            command = [sys.executable, "-P", "-m", "backend.media.decoder", f"--pipe={theirs.fileno()}"]
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr,
                env={**os.environ, **_ONE_THREAD},
            )
            self._pipe = Connection(ours.detach())
        self.is_idle = True

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """It has not ended."""
        return self._process.poll() is None

    def call(self, order: Order) -> Any:
        """What a function returns.

        Raises:
            BadInput: it took more processor time or memory than it may.
            StudioError, OSError: what the function raised.
        """
        self._order(order)
        word = self._hear(order)
        self.is_idle = True
        if isinstance(word, Failed):
            try:
                raise _told(word.error)
            finally:
                del word  # an error that its own traceback holds keeps what every caller has in hand
        assert isinstance(word, Value)
        return word.content

    def series(self, order: Order) -> Generator[Any]:
        """The items of the iterator that a function returns; closing it ends the work. Raises as `call`."""
        self._order(order)
        last: Any = None
        is_over = False
        try:
            for _ in range(NUM_AHEAD):
                self._say(MORE, order)
            while True:
                word = self._hear(order)
                if isinstance(word, Failed):
                    is_over = True
                    try:
                        raise _told(word.error)
                    finally:
                        del word  # as above
                if isinstance(word, End):
                    is_over = True
                    return
                self._say(MORE, order)
                last = word.content if isinstance(word, Value) else last
                yield last
        finally:
            self.is_idle = self._is_done(is_over=is_over)

    def end(self) -> None:
        """End it, whatever it does; who waits for it hears BadInput."""
        self._process.kill()

    def close(self) -> None:
        """End it and free what it held. Nobody waits for it any more."""
        self._process.kill()
        self._process.wait()
        self._pipe.close()

    def _order(self, order: Order) -> None:
        assert self.is_idle
        self.is_idle = False
        try:
            send(self._pipe, order)
        except OSError:
            raise self._lost(order) from None

    def _say(self, what: bytes, order: Order) -> None:
        try:
            self._pipe.send_bytes(what)
        except OSError:
            raise self._lost(order) from None

    def _hear(self, order: Order) -> Reply:
        try:
            if self._pipe.poll(WALL_S + WALL_FACTOR * order.cpu_s):
                return receive(self._pipe)
        except (EOFError, OSError):
            pass
        raise self._lost(order)

    def _is_done(self, *, is_over: bool) -> bool:
        """Whether it can be given another order: it has heard that the series is over."""
        try:
            self._pipe.send_bytes(ENOUGH)
            while not is_over and self._pipe.poll(DRAIN_S):
                is_over = isinstance(receive(self._pipe), End | Failed)
        except (EOFError, OSError):
            return False
        return is_over

    def _lost(self, order: Order) -> BadInput:
        """Why there is no answer: it was ended, by the kernel or for taking too long, or it broke."""
        self._process.kill()
        code = self._process.wait()
        log.warning("decoder_lost", exit_code=code, act=order.name, cpu_s=order.cpu_s)
        if code == -signal.SIGXCPU:
            return BadInput(
                f"Decoding the file took more than the {order.cpu_s:.0f} s of processor time that are allowed.",
                param="file",
                hint="Encode it again, smaller or in a common format: PNG, JPEG, or H.264 in MP4.",
            )
        return BadInput(
            "The file cannot be decoded: the decoder crashed.",
            param="file",
            hint="Encode it again in a common format: PNG, JPEG, or H.264 in MP4.",
        )


def _told(error: Exception) -> Exception:
    if isinstance(error, MemoryError):
        return BadInput(
            f"Decoding the file takes more than the {MAX_MEMORY_BYTES / 1e9:.1f} GB of memory that are allowed.",
            param="file",
            hint="Scale it down, or encode it again.",
        )
    return error


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
            raise Busy(
                "The server is shutting down and accepts no more files.",
                hint="Send it again when the server is running.",
            )

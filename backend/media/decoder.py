"""`python -m backend.media.decoder`: the process in which files from outside are decoded. Started by `DecoderProcess`.

It does what it is told, one call after the other, and has so much memory and, for each call, so much processor time:
the kernel ends it when it takes more.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from backend.media.apart import decode_here
from backend.media.bounds import MAX_MEMORY_BYTES
from backend.media.decoder_messages import ENOUGH, End, Failed, Order, Same, Value, receive, send
from studio.errors import StudioError

NICENESS = 5
"""How far decoding stands back where all cores are busy: what others ask of the server is answered meanwhile."""


def main() -> None:
    """Take orders until nobody gives any."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pipe", type=int, required=True, help="file descriptor of the pipe")
    descriptor: int = parser.parse_args().pipe
    os.set_inheritable(descriptor, False)
    os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C goes to the server, which ends this process
    _lower(resource.RLIMIT_CORE, 0)
    # Of private memory that can be written: libraries and what they reserve do not count. Not known outside Linux.
    _lower(resource.RLIMIT_DATA, MAX_MEMORY_BYTES)
    decode_here()
    with Connection(descriptor) as pipe, suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            _obey(receive(pipe), pipe)


def _obey(order: Order, pipe: Connection) -> None:
    is_told = False
    try:
        _grant(order.cpu_s)
        made = getattr(import_module(order.module), order.name)(*order.arguments, **order.options)
        if order.is_series:
            is_told = _tell(made, pipe, order.cpu_s)
        send(pipe, End() if order.is_series else Value(made))
    except (StudioError, OSError, MemoryError) as error:
        send(pipe, Failed(error))
    while order.is_series and not is_told:
        is_told = pipe.recv_bytes() == ENOUGH


def _tell(series: Iterator[Any], pipe: Connection, cpu_s: float) -> bool:
    """Send items as they are asked for; whether that was `ENOUGH` before there were no more."""
    last: Any = None
    for item in series:
        if pipe.recv_bytes() == ENOUGH:
            return True
        send(pipe, Same() if item is last else Value(item))
        last = item
        _grant(cpu_s)
    return False


def _grant(cpu_s: float) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, math.ceil(used.ru_utime + used.ru_stime + cpu_s))


def _lower(limit: int, most: int) -> None:
    """Set the limit that counts; where whoever started the server has set a lower one, that stays."""
    _, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main()

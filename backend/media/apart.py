"""Functions that decode files from outside run in a process of their own, wherever they are called.

Their decorators are the one way there: in the server and in the worker such a function is an order to a decoder, and
inside the decoder it is itself.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from backend.media.bounds import CPU_S_PER_MB, DRAW_CPU_S, LOOK_CPU_S
from backend.media.decoder_messages import Order
from backend.media.decoder_process import DecoderPool

P = ParamSpec("P")
T = TypeVar("T")

DECODERS = DecoderPool()
"""Of this process."""
atexit.register(DECODERS.close)

_here = False


def decode_here() -> None:
    """This process is a decoder: from now on such functions run where they are called."""
    global _here
    _here = True


def look_apart(act: Callable[P, T]) -> Callable[P, T]:
    """For what an upload costs: carried out in its turn, within `LOOK_CPU_S`.

    The function is one of a module, what it takes and returns can be pickled, and its file is its first argument.
    """

    @wraps(act)
    def look(*arguments: P.args, **options: P.kwargs) -> T:
        if _here:
            return act(*arguments, **options)
        return DECODERS.look(_order(act, arguments, options, LOOK_CPU_S))

    return look


def draw_apart(act: Callable[P, T]) -> Callable[P, T]:
    """For what somebody asked of an accepted file: carried out at once, within `DRAW_CPU_S`. Otherwise `look_apart`."""

    @wraps(act)
    def draw(*arguments: P.args, **options: P.kwargs) -> T:
        if _here:
            return act(*arguments, **options)
        return DECODERS.draw(_order(act, arguments, options, DRAW_CPU_S))

    return draw


def stream_apart(act: Callable[P, Iterator[T]]) -> Callable[P, Iterator[T]]:
    """For a function that returns an iterator, each item within `DRAW_CPU_S`; it is closed to end it."""

    @wraps(act)
    def stream(*arguments: P.args, **options: P.kwargs) -> Iterator[T]:
        if _here:
            return act(*arguments, **options)
        return DECODERS.series(_order(act, arguments, options, DRAW_CPU_S, is_series=True))

    return stream


def run_apart(act: Callable[P, T], /, *arguments: P.args, **options: P.kwargs) -> T:
    """Call another room's function, of which the same holds, as `draw_apart` would; for files it opens beside its first
    argument it has no more time."""
    return draw_apart(act)(*arguments, **options)


def _order(
    act: Callable[..., object],
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    cpu_s: float,
    *,
    is_series: bool = False,
) -> Order:
    path = arguments[0]
    assert isinstance(path, Path)
    size_mb = path.stat().st_size / 1e6
    return Order(act.__module__, act.__name__, arguments, options, is_series, cpu_s + CPU_S_PER_MB * size_mb)

"""What the leader tells the other ranks, over a pipe of its own to each."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal, NoReturn

from torch import Tensor

from engine.parallel.spread import Layout
from engine.planning import Plan

Tower = Literal["reasoner", "generator"]


@dataclass(frozen=True)
class UseAdapter:
    """See `LoraAdapters.use`."""

    path: Path | None
    scale: float


@dataclass(frozen=True)
class ForgetPrompts:
    """Give up all prompts that were read."""


@dataclass(frozen=True)
class Begin:
    """Prepare a plan, which is known by this number from now on."""

    number: int
    plan: Plan


@dataclass(frozen=True)
class GoOn:
    """The next chunk of a long clip."""

    number: int
    plan: Plan


@dataclass(frozen=True)
class Move:
    """One step of each of them, packed together.

    Attributes:
        kept: which of them take it with the velocity that they computed last; the layout is of the others' pass.
    """

    numbers: tuple[int, ...]
    kept: tuple[bool, ...]
    layout: Layout


@dataclass(frozen=True)
class Measure:
    """Tell one another how much memory is left.

    Attributes:
        num_ranks: the first ones, which do.
    """

    num_ranks: int


@dataclass(frozen=True)
class Decode:
    """The next piece of a clip, which is known by this number from its first one on.

    Attributes:
        is_first: nothing is remembered of the clip.
        latents: [C, n, rows, columns] float32, on the host.
        num_ranks: the first ones, which divide its frames.
    """

    number: int
    is_first: bool
    latents: Tensor
    num_ranks: int


@dataclass(frozen=True)
class Drop:
    """Forget them, trajectories and clips."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Lend:
    """Go through the blocks of a tower without computing: the leader computes alone, with weights that are divided."""

    tower: Tower


Order = UseAdapter | ForgetPrompts | Lend | Begin | GoOn | Move | Measure | Decode | Drop


def send(pipe: Connection, order: Order) -> None:
    """Write an order. Pickled by hand: a connection's own way would pass tensors through shared memory.

    Raises:
        OSError: nobody listens any more.
    """
    pipe.send_bytes(pickle.dumps(order))


def receive(pipe: Connection) -> Order:
    """The next order.

    Raises:
        EOFError, OSError: the leader is gone.
    """
    return pickle.loads(pipe.recv_bytes())


def portable(plan: Plan) -> Plan:
    """A plan as it goes to another process: what is given on the host, and the making of its next chunk left behind."""
    segments = tuple(
        segment
        if segment.given is None
        else replace(segment, given=replace(segment.given, values=segment.given.values.cpu()))
        for segment in plan.segments
    )
    continuation = plan.continuation
    if continuation is not None:
        continuation = replace(continuation, plan=_planned_by_the_leader)
    return replace(plan, segments=segments, continuation=continuation)


def _planned_by_the_leader(tail: Tensor) -> NoReturn:
    raise AssertionError("only the leader decodes a chunk and plans the next one")

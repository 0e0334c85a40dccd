"""Two ranks in processes of their own that decode a clip; how much memory each has left is made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from engine import Engine
from engine.bench.stage import NANO
from engine.memory import Budget
from engine.parallel import Follower, Leader, RankGroup
from engine.parallel.orders import Decode, Measure, receive
from engine.sampling import Chunk
from engine.vae import ClipCoder

CPU = torch.device("cpu")

CANVAS = (1280, 720)
"""What memory is reckoned for; the clip itself has a few cells."""

NUM_LATENT_FRAMES = 6

Rooms = Sequence[tuple[int, int]]
"""Bytes left on the first rank and on the second, for each decode."""


@dataclass(frozen=True)
class Decoded:
    """What came of one decode.

    Attributes:
        num_frames: of each piece.
        worst: by how much a pixel differs from those that one rank decodes.
        told: to the second rank: "measure", or the latent frames of a piece to decode.
    """

    num_frames: tuple[int, ...]
    worst: float
    told: tuple[str | int, ...]


def decode_on_two(folder: Path, meeting: Path, rooms: Rooms) -> list[Decoded]:
    """Decode one clip as often as there are rooms, on two ranks that have these."""
    context = get_context("spawn")
    (led, leads), (followed, follows), (first, second) = context.Pipe(), context.Pipe(), context.Pipe()
    meeting.touch()
    shared = (str(meeting), folder, rooms)
    processes = [
        context.Process(target=_lead, args=(leads, first, *shared), daemon=True),
        context.Process(target=_follow, args=(follows, second, *shared), daemon=True),
    ]
    try:
        for process in processes:
            process.start()
        for end in (leads, follows, first, second):
            end.close()  # the processes have their own; with theirs gone, whoever waits for them is told
        made: list[tuple[tuple[int, ...], float]] = led.recv()
        told: list[tuple[str | int, ...]] = followed.recv()
    finally:
        for process in processes:
            process.kill()
            process.join()
        led.close()
        followed.close()
    return [Decoded(*one, orders) for one, orders in zip(made, told, strict=True)]


@torch.inference_mode()
def _lead(results: Connection, pipe: Connection, meeting: str, folder: Path, rooms: Rooms) -> None:
    group = RankGroup.join(0, 2, meeting, CPU)
    engine = Engine.load(folder, device="cpu")
    coder: Any = engine.coder
    coder.piece_lengths = _lengths_as_on_a_gpu
    both: Any = lambda *_: 2  # noqa: E731 - of whatever plan and shape
    leader = Leader(engine.model, coder, group, [pipe], count=both, count_decoding=both)
    latents = torch.randn((48, NUM_LATENT_FRAMES, 4, 6), generator=torch.Generator().manual_seed(0))
    alone = torch.cat(list(coder.decode(latents, 1)), 1)
    as_nano: Any = SimpleNamespace(device=torch.device("cuda"), dtype=torch.bfloat16, config=NANO)
    plan: Any = None
    made: list[tuple[tuple[int, ...], float]] = []
    for own, _ in rooms:
        codecs = replace(engine.codecs, budget=Budget(as_nano, 256, free=lambda _, own=own: own))
        pieces = list(codecs.pieces(plan, Chunk(latents, CANVAS, None), leader))
        worst = float((torch.cat(pieces, 1) - alone).abs().max())
        made.append((tuple(piece.shape[1] for piece in pieces), worst))
        assert leader.is_whole
    pipe.close()
    results.send(made)
    results.recv()  # its end of the group stays until it is ended


def _follow(results: Connection, pipe: Connection, meeting: str, folder: Path, rooms: Rooms) -> None:
    group = RankGroup.join(1, 2, meeting, CPU)
    engine = Engine.load(folder, device="cpu")
    left = iter(rooms)
    told: list[list[str | int]] = []
    follower = Follower(engine.model, engine.coder, group, free=lambda _: next(left)[1])
    try:
        while True:
            match order := receive(pipe):
                case Measure():
                    told.append(["measure"])
                case Decode():
                    told[-1].append(order.latents.shape[1])
                case _:
                    pass
            follower.obey(order)
    except EOFError:
        results.send([tuple(orders) for orders in told])
        results.recv()


def _lengths_as_on_a_gpu(latents: Tensor, at_once: int | None = None, num_ranks: int = 1) -> list[int]:
    on_gpu: Any = SimpleNamespace(shape=latents.shape, is_cuda=True)
    nobody: Any = None
    return ClipCoder.piece_lengths(nobody, on_gpu, at_once, num_ranks)

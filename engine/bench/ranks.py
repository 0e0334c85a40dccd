"""The other ranks of a bench: processes that build the same random model as the first one, and do as it tells them."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import torch

from engine.bench.stage import SHAPES, Stage
from engine.parallel import Follower, RankGroup, rank_device
from engine.parallel.orders import receive
from engine.towers import Precision


@dataclass(frozen=True)
class Quantise:
    """See `Stage.quantise`."""

    precision: Precision


@dataclass(frozen=True)
class BenchRanks:
    """This process and those that follow it.

    Attributes:
        pipes: to ranks 1, 2 …
    """

    group: RankGroup
    pipes: list[Connection]
    shape: str
    shards_weights: bool

    def stage(self) -> Stage:
        """This rank's; every rank builds its own at the same time."""
        peers = self.group.another_ring() if self.shards_weights else None
        return Stage.build(self.group.device, with_library=False, config=SHAPES[self.shape], peers=peers)

    def quantise(self, precision: Precision) -> None:
        """Let the others go over to FP8."""
        for pipe in self.pipes:
            pipe.send(Quantise(precision))


@contextmanager
def started(num_ranks: int, device: str, shape: str = "nano", *, shards_weights: bool = False) -> Iterator[BenchRanks]:
    """Start the others, and end them. This process ends with the first of them that is lost: exchanges would wait.

    Args:
        shape: of `engine.bench.stage.SHAPES`, on a GPU.
        shards_weights: the ranks divide the weights among them.

    Raises:
        BadInput: there are fewer GPUs.
        EngineLost: the ranks cannot reach each other.
    """
    place = rank_device(device, 0, num_ranks)
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as scratch:
        meeting = Path(scratch) / "meeting"
        meeting.touch()
        pipes: list[Connection] = []
        processes: list[BaseProcess] = []
        for rank in range(1, num_ranks):
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_follow,
                args=(theirs, rank, num_ranks, device, str(meeting), shape, shards_weights),
                name=f"rank-{rank}",
                daemon=True,
            )
            process.start()
            theirs.close()
            pipes.append(ours)
            processes.append(process)
        ending = threading.Event()
        threading.Thread(target=_watch, args=(processes, ending), daemon=True).start()
        try:
            yield BenchRanks(RankGroup.join(0, num_ranks, str(meeting), place), pipes, shape, shards_weights)
        finally:
            ending.set()
            for process, pipe in zip(processes, pipes, strict=True):
                process.kill()
                process.join()
                pipe.close()
            if torch.distributed.is_initialized():
                torch.distributed.destroy_process_group()


def _watch(processes: list[BaseProcess], ending: threading.Event) -> None:
    connection.wait([process.sentinel for process in processes])
    if not ending.is_set():
        sys.stderr.write("A rank was lost; its own lines above say why.\n")
        sys.stderr.flush()
        os._exit(1)


def _follow(
    pipe: Connection, rank: int, num_ranks: int, device: str, meeting: str, shape: str, shards_weights: bool
) -> None:
    group = RankGroup.join(rank, num_ranks, meeting, rank_device(device, rank, num_ranks))
    stage = BenchRanks(group, [], shape, shards_weights).stage()
    follower = Follower(stage.engine.model, stage.engine.coder, group)
    while True:
        try:
            order = receive(pipe)
        except (EOFError, OSError):
            return
        if isinstance(order, Quantise):
            stage.quantise(order.precision)
        else:
            follower.obey(order)

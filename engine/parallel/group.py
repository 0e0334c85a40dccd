"""The ranks of one host, and the exchanges between them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.distributed_c10d import ProcessGroup

from engine.device import pick_device
from studio.errors import BadInput, EngineLost

GROUP_TIMEOUT_S = 300.0
"""How long an exchange waits for the others before they count as lost. A rank that dies is noticed at once by whoever
started it; this is for one that hangs, and longer than the first step takes anywhere, compilation included."""

_gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
"""The same function under its name since PyTorch 2.13, and the one before."""


@dataclass(frozen=True)
class Ring:
    """Some of the ranks, which exchange with one another.

    Attributes:
        size: how many, P.
        place: this rank's number among them.
        lost: told when they do not answer; what comes of it is raised.
    """

    channel: ProcessGroup
    size: int
    place: int
    lost: Callable[[], None]

    def trade(self, sent: Tensor) -> Tensor:
        """sent [P, ...], a part for each rank → [P, ...], the part that each rank had for this one.

        Raises:
            EngineLost: a rank did not answer.
        """
        received = torch.empty_like(sent)
        self._agree(lambda: dist.all_to_all_single(received, sent, group=self.channel))
        return received

    def collect(self, own: Tensor) -> Tensor:
        """own [n, ...] → [P, n, ...], every rank's.

        Raises:
            EngineLost: a rank did not answer.
        """
        collected = own.new_empty((self.size, *own.shape))
        self.gather(collected.view(-1), own.contiguous().view(-1))
        return collected

    def gather(self, into: Tensor, own: Tensor) -> None:
        """Collect own [n] of every rank behind one another into [P * n].

        Raises:
            EngineLost: a rank did not answer.
        """
        self._agree(lambda: _gather(into, own, group=self.channel))

    def least(self, own: int, device: torch.device) -> int:
        """The smallest of a number that every rank has one of; the same on all of them.

        Args:
            device: the group's.

        Raises:
            EngineLost: a rank did not answer.
        """
        return int(self.collect(torch.tensor([own], device=device)).min())

    def _agree(self, exchange: Callable[[], object]) -> None:
        try:
            exchange()
        except torch.OutOfMemoryError:
            raise  # this rank's own fault, and said as such
        except RuntimeError as error:
            # A group is never repaired: whoever owns this process ends it, and starts another group.
            self.lost()
            raise EngineLost(f"Another rank did not answer: {str(error).splitlines()[0]}") from None


class RankGroup:
    """This process's place among the ranks. One a process, as PyTorch has it.

    Attributes:
        rank: this one's number; 0 is the leader.
        lost: called when others do not answer. A worker ends its process there.
    """

    def __init__(self, rank: int, num_ranks: int, device: torch.device) -> None:
        self.rank = rank
        self.num_ranks = num_ranks
        self.device = device
        self.lost: Callable[[], None] = lambda: None
        # Every rank makes every channel, in one order: that is how PyTorch tells them apart.
        sizes = [size for size in range(2, num_ranks + 1) if num_ranks % size == 0]
        self._channels: dict[tuple[int, int], ProcessGroup] = {}
        for size in sizes:
            for first in range(0, num_ranks, size):
                channel = dist.new_group(list(range(first, first + size)))
                if isinstance(channel, ProcessGroup):  # the others' channels are a number
                    self._channels[size, first] = channel

    @classmethod
    def join(
        cls, rank: int, num_ranks: int, meeting: str, device: torch.device, timeout_s: float = GROUP_TIMEOUT_S
    ) -> RankGroup:
        """Wait for all ranks to come, then exchange something with each: what cannot work fails here.

        Args:
            meeting: path of an empty file that all of them can write.

        Raises:
            EngineLost: some did not come, or cannot be reached.
        """
        # One host: loopback is there whatever its name resolves to.
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        os.environ.setdefault("NCCL_SOCKET_IFNAME", "lo")
        on_gpu = device.type == "cuda"
        if on_gpu:
            torch.cuda.set_device(device)
        timeout = timedelta(seconds=timeout_s)
        try:
            dist.init_process_group(
                "nccl" if on_gpu else "gloo",
                store=dist.FileStore(meeting, num_ranks),  # pyright: ignore[reportPrivateImportUsage]
                rank=rank,
                world_size=num_ranks,
                timeout=timeout,
                device_id=device if on_gpu else None,
            )
            group = cls(rank, num_ranks, device)
            for size, _ in group._channels:
                group.ring(size).collect(torch.zeros(1, device=device))
        except RuntimeError as error:
            raise EngineLost(f"The ranks cannot connect to each other: {str(error).splitlines()[0]}") from None
        return group

    def another_ring(self) -> Ring:
        """A ring of all ranks with a channel of its own, for what goes on beside everything else.

        Every rank asks for it at the same place.
        """
        channel = dist.new_group(list(range(self.num_ranks)))
        assert isinstance(channel, ProcessGroup)
        return Ring(channel, self.num_ranks, self.rank, lambda: self.lost())

    def ring(self, size: int) -> Ring:
        """The ranks that share this one's run of so many: of 2, ranks 2 and 3 for rank 3."""
        first = self.rank - self.rank % size
        return Ring(self._channels[size, first], size, self.rank - first, lambda: self.lost())


def rank_device(device: str, rank: int, num_ranks: int) -> torch.device:
    """Where a rank computes: "cuda" and "auto" count from the first GPU, "cuda:2" from that one; on a CPU all share it.

    Raises:
        BadInput: there are fewer GPUs.
    """
    first = pick_device(device)
    if first.type != "cuda":
        return first
    index, count = first.index or 0, torch.cuda.device_count()
    if index + num_ranks > count:
        raise BadInput(
            f"{num_ranks} GPUs are asked for from {device} on; this machine has {count}.",
            param="gpus",
            hint="Start with fewer GPUs.",
        )
    return torch.device("cuda", index + rank)

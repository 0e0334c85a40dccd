"""Several processes that train together, a GPU each: they draw batches of their own and average gradients.

`tuning.together` starts those of a tuning, and `python -m torch.distributed.run --nproc-per-node N -m pocket.train`
those of the pocket. The first of them encodes, writes curves, saves and states, and says when the run is over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

SEED_STRIDE = 1_009
"""Between the draws of two ranks."""

TIMEOUT = timedelta(hours=2)
"""How long an exchange waits for the others: the first of them saves meanwhile, which takes minutes on a slow disk. One
that ends is noticed by who started it."""


@dataclass
class _Together:
    """Those that `joined` has brought together; a group that others made in this process is none of it."""

    count: int = 1
    rank: int = 0


_together = _Together()


@contextmanager
def joined(device: str) -> Iterator[str]:
    """The device of this process among those that were started together, as long as the block runs.

    Args:
        device: what a person said, the same for all; `cuda` becomes this rank's GPU.
    """
    if "WORLD_SIZE" not in os.environ:
        yield device
        return
    if device == "cuda":
        device = f"cuda:{os.environ['LOCAL_RANK']}"
    with _grouped(device):
        yield device


@contextmanager
def met(device: str, rank: int, num_ranks: int, meeting: Path) -> Iterator[None]:
    """This process as one of so many of this host, as long as the block runs.

    Args:
        device: its own, as PyTorch names it.
        meeting: a file that is not there yet, the same for all.
    """
    # One host: loopback is there whatever its name resolves to.
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    os.environ.setdefault("NCCL_SOCKET_IFNAME", "lo")
    store = dist.FileStore(str(meeting), num_ranks)  # pyright: ignore[reportPrivateImportUsage]
    with _grouped(device, store=store, rank=rank, world_size=num_ranks):
        yield


@contextmanager
def _grouped(device: str, **where: Any) -> Iterator[None]:
    on_gpu = "cuda" in device
    if on_gpu:
        torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl" if on_gpu else "gloo", timeout=TIMEOUT, **where)
    _together.count, _together.rank = dist.get_world_size(), dist.get_rank()
    try:
        yield
    finally:
        _together.count, _together.rank = 1, 0
        dist.destroy_process_group()


def count() -> int:
    """How many train together; 1 is a process alone."""
    return _together.count


def is_first() -> bool:
    """Whether this one does what is done once: it renders, writes and tells."""
    return _together.rank == 0


def own_seed(seed: int) -> int:
    """What this rank draws by."""
    return seed + SEED_STRIDE * _together.rank


def share_weights(module: nn.Module) -> None:
    """All begin with those of the first."""
    if count() > 1:
        for value in module.state_dict().values():
            dist.broadcast(value, 0)


def average_gradients(parameters: Sequence[Tensor]) -> None:
    """Over all, in one exchange; what a rank's batch does not ask of is 0 there."""
    if count() == 1:
        return
    gradients = [torch.zeros_like(value) if value.grad is None else value.grad for value in parameters]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    dist.all_reduce(flat)
    flat /= count()
    for value, part in zip(parameters, flat.split([gradient.numel() for gradient in gradients]), strict=True):
        value.grad = part.view_as(value)


def agreed(progress: float) -> float:
    """The first one's, by whose clock a run ends: who stopped a step earlier would leave the others waiting."""
    if count() == 1:
        return progress
    said = torch.tensor(progress, dtype=torch.float64)
    dist.broadcast(said, 0)
    return float(said)


def of_all(names: list[str]) -> list[str]:
    """Every rank's, those of the first before the others'."""
    if count() == 1:
        return names
    told: list[list[str]] = [[]] * count()
    dist.all_gather_object(told, names)
    return [name for part in told for name in part]

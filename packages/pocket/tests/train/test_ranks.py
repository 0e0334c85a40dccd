"""Several processes that train together, on a processor."""

from __future__ import annotations

import os
import random
import socket
from contextlib import suppress
from pathlib import Path

import pytest
import torch
from torch import multiprocessing, nn

from pocket.train.loop import Options, needed_state, train
from tuning.ranks import is_first, joined, own_seed

NUM_RANKS, NUM_STEPS = 2, 20


def free_port() -> int:
    """One that no system hands out by itself: nobody takes it before the ranks do."""
    for port in random.Random().sample(range(20_000, 32_000), 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("a hundred ports are taken")


def options_in(folder: Path, **changes) -> Options:
    return Options(out=folder, data=folder, time_limit_s=3600, learning_rate=0.05, decay_share=0.0, **changes)


def batch_of(rank: int, step: int) -> torch.Tensor:
    return torch.randn(16, 4, generator=torch.Generator().manual_seed(100 * step + rank))


def loss_of(module: nn.ModuleDict, batch: torch.Tensor, *, asks_other: bool) -> torch.Tensor:
    """Every other batch asks nothing of the second part."""
    out = module["first"](batch)
    if asks_other:
        out = out + module["other"](batch)
    return (out - batch.sum(1, keepdim=True)).square().mean()


def fresh(seed: int) -> nn.ModuleDict:
    torch.manual_seed(seed)
    return nn.ModuleDict({"first": nn.Linear(4, 1), "other": nn.Linear(4, 1)})


def train_one(rank: int, port: int, folder: str) -> None:
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2", "RANK": str(rank)}
    torch.set_num_threads(1)
    with joined("cpu") as device:
        assert (device, is_first(), own_seed(0) == 0) == ("cpu", rank == 0, rank == 0)
        module = fresh(rank)  # the second one's beginnings are not what is trained
        # The second would go on for longer: the first one's word counts.
        options = options_in(Path(folder), steps=NUM_STEPS * (rank + 1))
        train(
            "pair",
            module,
            lambda step: (loss_of(module, batch_of(rank, step), asks_other=rank == 0), {}),
            options,
            log=lambda _: None,
        )


@pytest.mark.slow
def test_two_that_train_together_end_where_one_with_both_batches_does(tmp_path: Path):
    multiprocessing.spawn(  # pyright: ignore[reportPrivateImportUsage]
        train_one, (free_port(), str(tmp_path / "two")), nprocs=NUM_RANKS
    )
    both = needed_state(tmp_path / "two", "pair")

    module = fresh(0)

    def loss(step: int):
        parts = [loss_of(module, batch_of(rank, step), asks_other=rank == 0) for rank in range(NUM_RANKS)]
        return sum(parts, torch.zeros(())) / NUM_RANKS, {}

    alone = train("one", module, loss, options_in(tmp_path / "one", steps=NUM_STEPS), log=lambda _: None)
    assert both.step == NUM_STEPS
    for name, value in alone.weights.items():
        torch.testing.assert_close(both.weights[name], value, atol=1e-5, rtol=1e-5)
    assert (tmp_path / "two" / "pair.jsonl").read_text().count("\n") == 1

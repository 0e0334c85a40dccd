"""The ranks of one host, without any other process."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.distributed as dist

from engine.parallel import group, rank_device
from engine.parallel.group import Ring
from studio.errors import BadInput, EngineLost


def test_on_a_processor_all_ranks_share_it():
    assert rank_device("cpu", 3, 4) == torch.device("cpu")


def test_ranks_count_from_the_device_that_was_named(monkeypatch):
    monkeypatch.setattr(group, "pick_device", torch.device)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    assert [str(rank_device("cuda", rank, 4)) for rank in (0, 3)] == ["cuda:0", "cuda:3"]
    assert str(rank_device("cuda:2", 1, 2)) == "cuda:3"


def test_more_gpus_than_there_are_is_refused_with_their_number(monkeypatch):
    monkeypatch.setattr(group, "pick_device", torch.device)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(BadInput, match="this machine has 1") as refused:
        rank_device("cuda", 0, 2)
    assert refused.value.param == "gpus"


def test_the_least_of_all_ranks_is_what_it_was_to_the_byte(monkeypatch):
    numbers = [80 * 2**30 + 1, 80 * 2**30 + 3, 80 * 2**30]

    def gathers(into: torch.Tensor, own: torch.Tensor, **_: Any) -> None:
        assert own.tolist() == numbers[:1]
        into.copy_(torch.tensor(numbers))

    monkeypatch.setattr(group, "_gather", gathers)
    channel: Any = None
    assert Ring(channel, 3, 0, lambda: None).least(numbers[0], torch.device("cpu")) == numbers[2]


@pytest.mark.parametrize("name", ["collect", "trade"])
def test_ranks_that_do_not_answer_are_lost(monkeypatch, name):
    def times_out(*_: Any, **__: Any) -> None:
        raise RuntimeError("Timed out waiting 300000ms for recv operation to complete\nmore of it")

    monkeypatch.setattr(group, "_gather", times_out)
    monkeypatch.setattr(dist, "all_to_all_single", times_out)
    lost: list[bool] = []
    channel: Any = None
    ring = Ring(channel, 2, 0, lambda: lost.append(True))
    with pytest.raises(EngineLost, match=r"recv operation to complete$"):
        getattr(ring, name)(torch.zeros(2, 3))
    assert lost


@pytest.mark.parametrize("name", ["collect", "trade"])
def test_an_exchange_without_memory_is_nobody_else_s_fault(monkeypatch, name):
    def no_memory(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(group, "_gather", no_memory)
    monkeypatch.setattr(dist, "all_to_all_single", no_memory)
    told: list[str] = []
    channel: Any = None
    ring = Ring(channel, 2, 0, lambda: told.append("lost"))
    with pytest.raises(torch.OutOfMemoryError):
        getattr(ring, name)(torch.zeros(2, 3))
    assert not told

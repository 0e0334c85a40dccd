"""Weights that are divided among ranks compute what whole ones compute, to the bit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import torch
from torch import Tensor, nn

from engine import Engine
from engine.bench.stage import build_random
from engine.memory import ShardedBlocks, shard_weights
from engine.memory.streamed_blocks import packed_bytes
from engine.towers import OmniModel
from engine.weights import open_folder
from sharded_ranks import made_alone, made_by_ranks

CLOSE = 2e-5
"""Of the largest value: steps are divided too, and float32 is summed in another order."""


class Threads:
    """Ranks that are threads."""

    def __init__(self, size: int) -> None:
        self.barrier = Barrier(size, timeout=60)
        self.left: dict[int, Tensor] = {}


class FakePeers:
    def __init__(self, threads: Threads, size: int, place: int) -> None:
        self.threads, self.size, self.place = threads, size, place

    def gather(self, into: Tensor, own: Tensor) -> None:
        self.threads.left[self.place] = own
        self.threads.barrier.wait()
        torch.cat([self.threads.left[place] for place in range(self.size)], out=into)
        self.threads.barrier.wait()


@pytest.mark.parametrize("size", [2, 4])
def test_each_rank_keeps_its_part_and_sees_every_block_whole_in_turn(speck: Path, size: int):
    config = open_folder(speck).config
    whole = build_random(config, torch.device("cpu"), torch.float32)
    expected = [[dict(block.named_parameters()) for block in tower.blocks] for tower in towers(whole)]
    threads = Threads(size)

    def one_rank(place: int) -> tuple[int, bool]:
        peers = FakePeers(threads, size, place)
        model = build_random(config, torch.device("cpu"), torch.float32, peers=peers)
        kept = sum(part.nbytes for tower in towers(model) for part in blocks_of(tower)._kept)
        same = True
        for tower, blocks in zip(towers(model), expected, strict=True):
            for block, weights in zip(tower.blocks, blocks, strict=True):
                same &= all(torch.equal(weight, weights[name]) for name, weight in block.named_parameters())
        return kept, same

    with ThreadPoolExecutor(size) as pool:
        kept, same = zip(*pool.map(one_rank, range(size)), strict=True)
    assert all(same)
    num_bytes = sum(packed_bytes(block) for tower in towers(whole) for block in tower.blocks)
    assert sum(kept) == pytest.approx(num_bytes, rel=0.05)
    assert len(set(kept)) == 1


def test_whoever_goes_through_the_blocks_says_so_and_says_when_it_is_done(speck: Path):
    model = build_random(
        open_folder(speck).config, torch.device("cpu"), torch.float32, peers=FakePeers(Threads(1), 1, 0)
    )
    said: list[str] = []

    class Turn:
        def __enter__(self) -> None:
            said.append("begins")

        def __exit__(self, kind: object, *_: object) -> None:
            said.append("ends" if kind is None else "breaks off")

    blocks = blocks_of(model.generator)
    blocks.turn = Turn
    for _ in blocks:
        pass
    blocks.lend()
    for _ in blocks:
        break
    assert said == ["begins", "ends", "begins", "breaks off"]


def test_a_block_that_is_filled_is_divided_before_the_next_one_is(speck: Path):
    with torch.device("meta"):
        model = OmniModel(open_folder(speck).config)
    filled: list[nn.Module] = []

    def fill(name: str, block: nn.Module) -> None:
        del name
        if filled:
            assert len({weight.untyped_storage().data_ptr() for weight in filled[-1].parameters()}) == 1
        block.to_empty(device="cpu")
        filled.append(block)

    shard_weights(model, torch.device("cpu"), FakePeers(Threads(1), 1, 0), fill)
    assert len(filled) == sum(len(tower.blocks) for tower in towers(model))
    assert model.generator.streams
    assert model.reasoner.streams


# Processes that import the engine take most of it.
@pytest.mark.slow
@pytest.mark.parametrize(("num_ranks", "precision"), [(2, "exact"), (4, "exact"), (2, "fp8")])
def test_ranks_of_which_none_has_all_weights_make_what_one_makes(speck: Path, tmp_path: Path, num_ranks, precision):
    alone, ours = made_alone(speck, precision), made_by_ranks(speck, tmp_path / "meeting", num_ranks, precision)
    for name, expected in alone.items():
        if isinstance(expected, str):
            assert ours[name] == expected, name
        else:
            pairs = zip(ours[name], expected, strict=True)
            worst = max(float((one - other).abs().max() / other.abs().max()) for one, other in pairs)
            assert worst < CLOSE, name
    engine = Engine.load(speck, device="cpu", precision=precision)
    num_bytes = sum(packed_bytes(block) for tower in towers(engine.model) for block in tower.blocks)
    assert ours["kept bytes"] == pytest.approx(num_bytes / num_ranks, rel=0.05)


def towers(model: OmniModel) -> tuple[nn.Module, nn.Module]:
    return model.reasoner, model.generator


def blocks_of(tower: nn.Module) -> ShardedBlocks:
    assert isinstance(tower.blocks, ShardedBlocks)
    return tower.blocks

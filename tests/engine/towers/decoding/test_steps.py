from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
import torch
from torch import Tensor

from engine.towers import Cache
from engine.towers.decoding import LastToken, Steps


@dataclass
class Echo:
    """A step that gives each token's number, always in the same tensor, as a recorded one does."""

    size: int
    ran: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        self._out = torch.zeros(self.size, 1)

    def run(self, rows: Sequence[LastToken]) -> Tensor:
        self.ran.append(len(rows))
        self._out[: len(rows), 0] = torch.tensor([float(row.token) for row in rows])
        return self._out[: len(rows)]


@pytest.fixture
def made() -> list[Echo]:
    return []


@pytest.fixture
def steps(made) -> Steps:
    def record(size: int) -> Echo:
        made.append(Echo(size))
        return made[-1]

    return Steps(record, lambda layer, x: layer(x))


@pytest.fixture
def rows(engine):
    def make(count: int) -> list[LastToken]:
        caches = [Cache(engine.model.config, engine.model.device, engine.model.dtype) for _ in range(count)]
        return [LastToken(index, 0, cache) for index, cache in enumerate(caches)]

    return make


@pytest.mark.parametrize(("count", "size"), [(1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (16, 16)])
def test_a_batch_takes_the_next_larger_step(steps, made, rows, count, size):
    given = rows(count)
    assert steps.read(given, None)[:, 0].tolist() == list(range(count))
    assert [step.size for step in made] == [size]
    assert [row.cache.length for row in given] == [1] * count


def test_a_larger_batch_is_cut_and_no_part_overwrites_another(steps, made, rows):
    assert steps.read(rows(37), None)[:, 0].tolist() == list(range(37))
    assert {step.size: step.ran for step in made} == {16: [16, 16], 8: [5]}


def test_a_step_is_recorded_once_until_another_adapter_is_worn(steps, made, rows):
    for adapter in (None, None, "one", "one", None):
        steps.read(rows(1), adapter)
    assert [step.ran for step in made] == [[1, 1], [1, 1], [1]]


def test_nothing_is_recorded_without_a_gpu(engine):
    assert Steps.of(engine.model.reasoner) is None
    assert engine.chat.steps is None

from __future__ import annotations

from contextlib import closing
from threading import Event

import pytest
import torch

from tuning.ahead import Ahead


def draw(dice: torch.Generator) -> float:
    return float(torch.rand((), generator=dice))


def test_a_step_s_batch_is_a_function_of_seed_and_step_wherever_one_begins():
    with closing(Ahead(draw, 3)) as batches:
        whole = [batches.take(step) for step in range(5)]
    with closing(Ahead(draw, 3)) as batches:
        assert [batches.take(step) for step in (3, 4)] == whole[3:]
    with closing(Ahead(draw, 4)) as batches:
        assert batches.take(0) != whole[0]


def test_what_has_come_since_a_step_is_there_for_the_next_one():
    there = [0]
    with closing(Ahead(lambda dice: list(there), 0, there.append)) as batches:
        assert [batches.take(step) for step in range(3)] == [[0], [0, 0], [0, 0, 1]]


def test_what_goes_wrong_in_the_thread_is_told_at_its_step():
    def fail(dice: torch.Generator) -> None:
        raise OSError("no shard")

    with closing(Ahead(fail, 0)) as batches, pytest.raises(OSError, match="no shard"):
        batches.take(0)


def test_whoever_needs_quiet_waits_until_nothing_is_drawn():
    goes_on, drawn = Event(), list[int]()

    def draw_late(dice: torch.Generator) -> None:
        goes_on.wait(60)
        drawn.append(1)

    with closing(Ahead(draw_late, 0)) as batches:
        batches.settle()
        goes_on.set()
        batches.take(0)
        batches.settle()
        assert len(drawn) == 2

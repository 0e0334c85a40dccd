from __future__ import annotations

from dataclasses import replace

import pytest

from pocket.train.waiting import fill
from studio.errors import BadInput


def test_without_workers_all_that_is_there_is_taken_and_nothing_waited_for(options):
    waiting = [True] * 5
    fill(lambda: bool(waiting and waiting.pop()), options)
    assert not waiting


def test_with_workers_what_is_left_after_the_head_start_waits_for_the_steps(options):
    waiting = [True] * 5
    fill(lambda: bool(waiting and waiting.pop()), replace(options, workers=1))
    assert len(waiting) == 4


def test_nothing_at_all_is_an_error(options):
    with pytest.raises(BadInput, match="holds no episodes"):
        fill(lambda: False, options)


def test_it_waits_for_what_a_batch_can_be_drawn_from(options):
    kinds = ["still", "still", "clip"]
    taken = []
    fill(
        lambda: bool(kinds and (taken.append(kinds.pop(0)) or True)),
        replace(options, workers=1),
        lambda: "clip" in taken,
    )
    assert taken == ["still", "still", "clip"]


def test_shards_that_a_stage_learns_nothing_from_are_named(options):
    waiting = [1, 2]
    with pytest.raises(BadInput, match="holds 2 shards, and none that this stage learns from"):
        fill(lambda: bool(waiting and waiting.pop()), options, lambda: False)

"""Which plans how many ranks share."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from engine.parallel.table import num_ranks
from engine.planning import ActionSegment, VisionSegment

PICTURE, SMALL_CLIP, CLIP = 390, 900, 18_720
POLICY = 3_092


def a_plan(num_tokens: int, branches: int = 2, last: int = 2, *, acts: bool = False, picture: bool = False) -> Any:
    segment: Any = object.__new__(ActionSegment if acts else VisionSegment)
    object.__setattr__(segment, "given", None)
    object.__setattr__(segment, "is_control", False)
    counts = [branches, last]
    return SimpleNamespace(
        is_picture=picture,
        segments=(segment,),
        branches=(SimpleNamespace(num_tokens=num_tokens),) * branches,
        schedule=SimpleNamespace(num_steps=2),
        active=lambda step: tuple(range(counts[step])),
    )


@pytest.mark.parametrize(
    ("num_tokens", "available", "ranks"),
    [(60, 4, 1), (PICTURE, 4, 2), (PICTURE, 2, 2), (SMALL_CLIP, 8, 2), (CLIP, 2, 2), (CLIP, 4, 4), (CLIP, 8, 8)],
)
def test_few_tokens_stay_on_one_more_go_by_branches_and_many_take_all(num_tokens, available, ranks):
    assert num_ranks(a_plan(num_tokens), available) == ranks


def test_in_fp8_sharing_tokens_pays_later():
    assert num_ranks(a_plan(POLICY), 4) == 4
    assert num_ranks(a_plan(POLICY), 4, precision="fp8") == 2
    assert num_ranks(a_plan(CLIP), 4, precision="fp8") == 4


def test_what_is_guided_only_at_times_is_not_shared_by_branches():
    assert num_ranks(a_plan(PICTURE, 2, 1), 4) == 1
    assert num_ranks(a_plan(PICTURE, 1, 1), 4) == 1
    assert num_ranks(a_plan(CLIP, 1, 1), 4) == 4


def test_three_branches_divide_among_no_two():
    assert num_ranks(a_plan(SMALL_CLIP, 3, 3), 4) == 1


def test_actions_take_no_more_than_they_are_given():
    assert num_ranks(a_plan(POLICY, acts=True), 4) == 1
    assert num_ranks(a_plan(POLICY, acts=True), 4, 2) == 2
    assert num_ranks(a_plan(POLICY, acts=True), 2, 4) == 2


def test_on_processors_clips_take_all_and_pictures_none():
    assert num_ranks(a_plan(60, picture=True), 4, on_gpu=False) == 1
    assert num_ranks(a_plan(60), 4, on_gpu=False) == 4


def test_all_share_everything_where_they_share_the_weights():
    assert num_ranks(a_plan(60, picture=True), 4, together=True) == 4

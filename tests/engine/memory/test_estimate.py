"""How much a request takes, and what is offered instead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.bench.stage import NANO
from engine.memory import Shape
from engine.memory.budget import decode_bytes, estimate_bytes, step_bytes, what_fits

GB = 10**9
LONG = Shape((1280, 720), 189)


def test_tokens_are_those_of_the_published_sizes():
    sizes = {(320, 192): 2880, (832, 480): 18720, (1280, 720): 44160}
    assert {size: Shape(size, 189).num_tokens(NANO) for size in sizes} == sizes


def test_a_long_clip_at_720p_stays_below_its_bar_beside_the_weights():
    """60 GB at the peak, of which 34 are weights."""
    assert 4 * GB < estimate_bytes(NANO, LONG) < 26 * GB


@pytest.mark.parametrize(
    "more", [{"canvas": (1280, 768)}, {"num_frames": 193}, {"num_branches": 3}, {"num_controls": 1}]
)
def test_more_of_anything_takes_no_less(more):
    assert step_bytes(NANO, replace(LONG, **more)) > step_bytes(NANO, LONG)


def test_ranks_that_share_the_tokens_take_less_each():
    assert step_bytes(NANO, replace(LONG, num_shards=2)) < step_bytes(NANO, LONG)


def test_a_picture_is_decoded_in_less_than_a_clip():
    assert decode_bytes(Shape((1280, 720), 1)) < decode_bytes(Shape((1280, 720), 5)) == decode_bytes(LONG)


def test_what_would_fit_is_the_longest_clip_of_each_resolution_until_all_frames_do():
    longer = replace(LONG, num_frames=297, num_controls=3)
    said = what_fits(NANO, longer, decode_bytes(LONG, in_strips=True))
    assert said == "It would fit at 720p 33 frames, at 480p 89 frames, at 256p all 297 frames."


def test_what_was_asked_for_is_never_the_advice():
    said = what_fits(NANO, LONG, 10**12)
    assert "720p" not in said


def test_a_picture_is_offered_smaller():
    shape = Shape((1024, 1024), 1)
    assert what_fits(NANO, shape, estimate_bytes(NANO, Shape((640, 640), 1))) == "At 480p it would fit."


def test_where_nothing_fits_that_is_said():
    assert "--offload" in what_fits(NANO, LONG, 10**6)

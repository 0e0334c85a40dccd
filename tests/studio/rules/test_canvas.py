from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import BadInput
from studio.requests import AspectRatio, Resolution
from studio.rules import CANVASES, canvas, nearest_canvas, parse_size, tier_of

EVERY = [(tier, shape) for tier in get_args(Resolution) for shape in get_args(AspectRatio)]


@pytest.mark.parametrize(("tier", "shape"), EVERY)
def test_every_canvas_goes_to_its_size_and_back(tier, shape):
    width, height = canvas(tier, shape)
    assert tier_of(width, height) == (tier, shape)
    assert parse_size(f"{width}x{height}") == (tier, shape)
    assert parse_size(f"{width}×{height}") == (tier, shape)
    assert nearest_canvas(width, height) == (width, height)


@pytest.mark.parametrize(("tier", "shape"), EVERY)
def test_a_canvas_has_its_shape_and_fits_the_latent_grid(tier, shape):
    width, height = CANVASES[tier][shape]
    across, down = map(int, shape.split(":"))
    assert width % 16 == height % 16 == 0
    assert (width > height) == (across > down)
    assert (width == height) == (across == down)
    turned = f"{down}:{across}"
    assert CANVASES[tier][turned] == (height, width)


@pytest.mark.parametrize(
    ("size", "near"),
    [("1000x1000", "1024x1024"), ("1x1", "256x256"), ("1920x1080", "1360x768"), ("0x0", ""), ("640x480", "736x544")],
)
def test_a_size_that_is_not_made_names_the_nearest(size, near):
    with pytest.raises(BadInput, match=f"{size} is not a size") as caught:
        parse_size(size)
    assert near in caught.value.hint
    assert caught.value.param == "size"


@pytest.mark.parametrize(
    "size",
    ["", "x", "256", "256x", "x256", "256x256x256", "-256x256", "2.5x3", "auto", "9" * 5000, "²x²", "１x１", " 1x1"],
)
def test_what_is_no_size_is_told_what_one_looks_like(size):
    with pytest.raises(BadInput, match="expected WIDTHxHEIGHT") as caught:
        parse_size(size)
    assert len(str(caught.value)) < 200


@given(st.text(max_size=20) | st.from_regex(r"\d{1,7}x\d{1,7}", fullmatch=True))
def test_any_text_is_a_canvas_or_bad_input(text):
    try:
        tier, shape = parse_size(text)
    except BadInput:
        return
    assert canvas(tier, shape)

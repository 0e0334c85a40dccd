"""Decoding in strips."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
import torch
from torch import Tensor

from engine.vae import decode_in_strips
from engine.vae.clip import strip_starts


def pieces_of(latents: Tensor, at_once: int = 1) -> Iterator[Tensor]:
    """A decoder that paints each cell with its first three channels, 16 x 16 pixels each."""
    assert at_once == 1
    for index in range(latents.shape[1]):
        frame = latents[:3, index : index + 1].repeat_interleave(16, 2).repeat_interleave(16, 3)
        yield frame.expand(-1, 4 if index else 1, -1, -1)


@pytest.mark.parametrize("size", [(7, 9), (24, 24), (25, 40), (80, 45)])
def test_strips_that_agree_are_the_whole(size):
    latents = torch.rand(4, 3, *size) * 2 - 1
    whole = torch.cat(list(pieces_of(latents)), 1)
    joined = list(decode_in_strips(pieces_of, latents))
    assert [piece.shape[1] for piece in joined] == [1, 4, 4]
    assert float((torch.cat(joined, 1) - whole).abs().max()) < 1e-5


def test_a_decoder_that_makes_several_frames_of_latents_at_once_is_heard_to_its_end():
    def two_at_a_time(latents: Tensor, at_once: int) -> Iterator[Tensor]:
        first, *rest = pieces_of(latents)
        yield first
        yield torch.cat(rest, 1)

    latents = torch.rand(4, 3, 7, 30) * 2 - 1
    joined = list(decode_in_strips(two_at_a_time, latents))
    assert [piece.shape[1] for piece in joined] == [1, 8]


def test_strips_cover_everything_and_overlap():
    for length in range(1, 120):
        starts = strip_starts(length)
        assert starts[0] == 0
        assert starts[-1] + min(24, length) == length
        assert all(later - earlier <= 20 for earlier, later in pairwise(starts))
    assert strip_starts(52) == [0, 14, 28]


def test_the_real_decoder_in_strips_is_close_to_itself(engine, frames, record_property):
    with torch.inference_mode():
        latents = engine.coder.encode(frames(5, 320, 64))
        whole = torch.cat(list(engine.coder.decode(latents)), 1)
        joined = torch.cat(list(decode_in_strips(engine.coder.decode, latents, strip=12)), 1)
    assert joined.shape == whole.shape
    difference = float((joined - whole).abs().mean())
    record_property("mean_difference", difference)
    assert difference < 0.15 * float(whole.std())

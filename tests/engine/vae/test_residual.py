"""A residual block whose biases are added where its results are read is the library's, piece by piece too."""

from __future__ import annotations

import pytest
import torch
from diffusers.models.autoencoders.autoencoder_kl_wan import WanResidualBlock

from engine.vae.kernels import PaddingConvolution
from engine.vae.residual import ResidualBlock


def both(inputs: int, outputs: int) -> tuple[WanResidualBlock, ResidualBlock]:
    theirs, copied = WanResidualBlock(inputs, outputs), WanResidualBlock(inputs, outputs)
    for norm in (theirs.norm1, theirs.norm2):
        norm.gamma.data.normal_(1, 0.2)
    copied.load_state_dict(theirs.state_dict())
    copied.conv1, copied.conv2 = PaddingConvolution(copied.conv1), PaddingConvolution(copied.conv2)
    return theirs.requires_grad_(False), ResidualBlock(copied).requires_grad_(False)


@pytest.mark.parametrize(("inputs", "outputs"), [(6, 6), (6, 10)])
def test_a_whole_clip_comes_out_as_the_library_s(inputs, outputs):
    theirs, ours = both(inputs, outputs)
    x = torch.randn(1, inputs, 5, 7, 9)
    assert float((ours(x) - theirs(x)).abs().max()) < 1e-5


@pytest.mark.parametrize("lengths", [(1, 1, 1), (1, 4, 2), (1, 2, 1, 3)])
def test_pieces_see_what_is_remembered_of_those_before_them(lengths):
    theirs, ours = both(6, 10)
    x = torch.randn(1, 6, sum(lengths), 7, 9)
    memories = [[None, None], [None, None]]
    for piece in x.split(lengths, 2):
        made, expected = (
            block(piece, feat_cache=memory, feat_idx=[0])
            for block, memory in zip((ours, theirs), memories, strict=True)
        )
        assert float((made - expected).abs().max()) < 1e-5
    for kept, expected in zip(*memories, strict=True):
        assert float((kept - expected).abs().max()) < 1e-5


def test_it_holds_every_weight_of_the_library_s_once():
    theirs, ours = both(6, 10)
    assert sum(weight.numel() for weight in ours.parameters()) == sum(weight.numel() for weight in theirs.parameters())

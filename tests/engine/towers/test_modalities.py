from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.towers.modalities import patchify, unpatchify


@settings(max_examples=40, deadline=None, derandomize=True)
@given(shape=st.tuples(st.integers(1, 5), st.integers(1, 3), st.integers(1, 9), st.integers(1, 9)))
def test_what_goes_into_tokens_comes_out_again(shape):
    latents = torch.randn(shape)
    tokens = patchify(latents, 2)
    assert tokens.shape == (shape[1] * -(-shape[2] // 2) * -(-shape[3] // 2), 4 * shape[0])
    assert torch.equal(unpatchify(tokens, shape, 2), latents)


def test_tokens_are_diffusers_tokens(reference):
    latents = torch.randn(48, 2, 5, 7)
    theirs, _ = reference.pipeline.transformer._patchify_and_pack_latents([latents[None]])
    assert torch.equal(patchify(latents, 2), theirs)

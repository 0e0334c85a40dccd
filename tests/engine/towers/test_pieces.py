"""Products that add to the residual stream as they end come to what a sum after them comes to."""

from __future__ import annotations

import pytest
import torch

from engine.towers import Fp8Linear
from engine.towers.block import Block

TOKENS = 12


def filled(engine, dtype: torch.dtype) -> tuple[Block, torch.Tensor, torch.Tensor]:
    block = Block(engine.model.config, normed_heads=True).to(dtype).requires_grad_(False)
    for weight in block.parameters():
        weight.normal_(1 if weight.ndim == 1 else 0, 0.1 if weight.ndim == 1 else weight.shape[-1] ** -0.5)
    x = torch.randn(TOKENS, engine.model.config.hidden_size, dtype=dtype)
    return block, x, torch.randn(TOKENS, block.out.in_features, dtype=dtype)


@pytest.mark.parametrize(("dtype", "error"), [(torch.float32, 1e-5), (torch.bfloat16, 2**-6)])
def test_a_block_that_adds_in_place_comes_to_what_it_came_to(engine, dtype, error):
    block, x, attended = filled(engine, dtype)
    expected, added = block.merge(x, attended), x.clone()
    made = block.add(added, attended, Block.widen)
    assert made is added
    assert float((made - expected).abs().max()) <= error * float(expected.abs().max())


def test_adding_in_place_rounds_no_more_than_before(engine):
    block, x, attended = filled(engine, torch.bfloat16)
    wide = Block(engine.model.config, normed_heads=True).requires_grad_(False)
    wide.load_state_dict(block.state_dict())
    true = wide.merge(x.float(), attended.float())
    before = (block.merge(x, attended).float() - true).norm()
    assert float((block.add(x.clone(), attended, Block.widen).float() - true).norm()) < 1.1 * float(before)


def test_a_block_in_fp8_does_not_add_in_place(engine):
    block = filled(engine, torch.bfloat16)[0]
    assert block.can_add_in_place
    block.feed_forward.down = Fp8Linear.of(block.feed_forward.down)
    assert not block.can_add_in_place

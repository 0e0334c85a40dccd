from __future__ import annotations

import torch

from engine.weights.key_map import key_map
from pocket.train.shape import TOY
from tuning.weights import fresh_model, read_model, released_tensors


def test_what_is_written_is_every_tensor_that_a_checkpoint_has_and_reads_back_the_same(untrained):
    model = read_model(untrained)
    released = released_tensors(model)
    assert {name: tuple(value.shape) for name, value in released.items()} == {
        source.name: source.shape for entry in key_map(model.config) for source in entry.sources
    }
    again = released_tensors(read_model(untrained))
    assert all(torch.equal(again[name], value) for name, value in released.items())


def test_heads_keep_one_norm_among_them_while_they_learn():
    model = fresh_model(TOY.model(), seed=0)
    norm = model.generator.blocks[0].qk_norm
    optimiser = torch.optim.AdamW([norm.weight], lr=0.1)
    for _ in range(3):
        x = torch.randn(4, *norm.weight.shape)
        optimiser.zero_grad()
        (norm(x) * torch.randn(norm.weight.shape)).square().sum().backward()
        optimiser.step()
    queries, keys = norm.weight.detach().tensor_split([TOY.heads])
    assert torch.equal(queries, queries[:1].expand_as(queries))
    assert not torch.allclose(queries[0], torch.ones(TOY.head_width))
    assert torch.equal(keys, keys[:1].expand_as(keys))
    assert not torch.equal(queries[0], keys[0])


def test_one_seed_is_one_beginning():
    one, same, other = (fresh_model(TOY.model(), seed) for seed in (1, 1, 2))
    names = dict(one.named_parameters())
    assert all(torch.equal(names[name], value) for name, value in same.named_parameters())
    assert not all(torch.equal(names[name], value) for name, value in other.named_parameters())

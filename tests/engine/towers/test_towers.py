from __future__ import annotations

import pytest
import torch

from engine.towers import Pack, PromptReader, rope_tables
from engine.towers.rms_norm import RmsNorm


def test_rotary_tables_are_the_reference_s(engine, reference):
    positions = torch.rand(3, 50) * torch.tensor([[20000.0], [64.0], [64.0]])
    cos, sin = reference.pipeline.transformer.rotary_emb(positions[:, None], torch.device("cpu"), torch.float32)
    ours = rope_tables(engine.model.config, positions, torch.float32)
    assert torch.allclose(ours.cos[:, 0], cos[0], atol=1e-6)
    half = sin.shape[-1] // 2
    assert torch.allclose(ours.sin[:, 0, half:], sin[0, :, half:], atol=1e-6)
    assert torch.equal(ours.sin[:, 0, :half], -ours.sin[:, 0, half:])


def test_timestep_embeddings_are_the_reference_s(engine, reference):
    transformer = reference.pipeline.transformer
    timesteps = torch.tensor([0, 1, 624, 833, 999])
    with torch.inference_mode():
        theirs = transformer.time_embedder(transformer.time_proj(timesteps * 0.001))
        assert torch.allclose(engine.model.generator.timesteps(timesteps), theirs, atol=1e-6)


@pytest.mark.parametrize("which", ["engine", "edge_engine"])
def test_sequences_of_any_lengths_pack_without_seeing_one_another(which, request):
    model = request.getfixturevalue(which).model
    with torch.inference_mode():
        prefixes = PromptReader(model.reasoner).read([range(3, 3 + count) for count in (1, 40, 7)])
        lengths = (5, 17, 1)
        tokens = [torch.randn(length, model.config.hidden_size) for length in lengths]
        ropes = [rope_tables(model.config, torch.rand(3, length) * 100, torch.float32) for length in lengths]
        packed = model.generator(torch.cat(tokens), Pack(lengths, tuple(prefixes), tuple(ropes))).split(lengths)
        for own, length, prefix, rope, together in zip(tokens, lengths, prefixes, ropes, packed, strict=True):
            alone = model.generator(own, Pack((length,), (prefix,), (rope,)))
            assert torch.allclose(alone, together, atol=1e-5)


def test_families_round_on_different_sides_of_the_weight():
    x, weight = torch.randn(64, 32).bfloat16(), torch.randn(32).bfloat16()
    outputs = []
    for rounds_before_weight in (True, False):
        norm = RmsNorm((32,), 1e-6, rounds_before_weight=rounds_before_weight)
        norm.weight = torch.nn.Parameter(weight)
        outputs.append(norm(x))
    normal = x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)
    assert torch.equal(outputs[0], weight * normal.bfloat16())
    assert torch.equal(outputs[1], (weight.float() * normal).bfloat16())

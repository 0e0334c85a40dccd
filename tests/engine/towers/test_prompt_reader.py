"""Prompts that are read together come to what each comes to alone."""

from __future__ import annotations

import pytest
import torch

from engine.towers import Prefix, PromptReader, rope_tables

LENGTHS = (9, 1, 23)


def prompts() -> list[list[int]]:
    return [[3 + (index * 7 + length) % 200 for index in range(length)] for length in LENGTHS]


def are_close(one: Prefix, other: Prefix) -> bool:
    return torch.allclose(one.keys, other.keys, atol=1e-5) and torch.allclose(one.values, other.values, atol=1e-5)


@pytest.mark.parametrize("which", ["engine", "edge_engine"])
def test_prompts_read_together_are_those_read_one_by_one(which, request):
    reader = PromptReader(request.getfixturevalue(which).model.reasoner)
    with torch.inference_mode():
        together = reader.read(prompts())
        for tokens, prefix in zip(prompts(), together, strict=True):
            assert prefix.num_tokens == len(tokens)
            assert prefix.keys.is_contiguous()
            assert are_close(prefix, reader.read([tokens])[0])


def test_padding_behind_prompts_changes_nothing_of_them(engine):
    model, (first, *_) = engine.model, prompts()
    sizes = [len(first), 40 - len(first)]
    with torch.inference_mode():
        places = torch.cat([torch.arange(size, dtype=torch.float32) for size in sizes])
        rope = rope_tables(model.config, places.expand(3, -1), model.dtype)
        x = torch.nn.functional.pad(model.reasoner.embed_tokens(torch.tensor(first)), (0, 0, 0, sizes[1]))
        padded = model.reasoner.prefill(x, rope, sizes)[:, :, : sizes[0]]
        assert padded.isfinite().all()
        assert are_close(Prefix(*padded), PromptReader(model.reasoner).read([first])[0])
        assert not x[sizes[0] :].any()

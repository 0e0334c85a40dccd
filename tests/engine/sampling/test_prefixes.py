from __future__ import annotations

import pytest
import torch

from engine.sampling import PrefixStore, sampler


@pytest.fixture
def store(engine) -> PrefixStore:
    return PrefixStore(engine.model)


def test_the_same_tokens_are_read_once(store):
    with torch.inference_mode():
        assert store.prefix((1, 2, 3)) is store.prefix((1, 2, 3))
        assert store.prefix((1, 2, 3)) is not store.prefix((1, 2, 4))


def test_the_least_recently_used_prompt_goes_first(store):
    with torch.inference_mode():
        first = store.prefix((0,))
        second = store.prefix((1,))
        for token in range(2, sampler.MAX_PROMPTS):
            store.prefix((token,))
        assert store.prefix((0,)) is first
        store.prefix((100,))
        assert store.prefix((0,)) is first
        assert store.prefix((1,)) is not second


def test_long_prompts_are_bounded_together(store):
    half = (5,) * (sampler.MAX_TOKENS // 2)
    with torch.inference_mode():
        first = store.prefix(half)
        store.prefix((*half, 6))
        assert store.prefix(half) is not first

from __future__ import annotations

import pytest
import torch

from engine.sampling import PrefixStore, sampler


@pytest.fixture
def store(engine) -> PrefixStore:
    return PrefixStore(engine.model)


def test_the_same_tokens_are_read_once(store):
    with torch.inference_mode():
        assert store.of([(1, 2, 3)])[0] is store.of([(1, 2, 3)])[0]
        assert store.of([(1, 2, 3)])[0] is not store.of([(1, 2, 4)])[0]


def test_the_least_recently_used_prompt_goes_first(store):
    with torch.inference_mode():
        first = store.of([(0,)])[0]
        second = store.of([(1,)])[0]
        for token in range(2, sampler.MAX_PROMPTS):
            store.of([(token,)])[0]
        assert store.of([(0,)])[0] is first
        store.of([(100,)])
        assert store.of([(0,)])[0] is first
        assert store.of([(1,)])[0] is not second


def test_long_prompts_are_bounded_together(store):
    half = (5,) * (sampler.MAX_TOKENS // 2)
    with torch.inference_mode():
        first = store.of([half])[0]
        store.of([(*half, 6)])
        assert store.of([half])[0] is not first

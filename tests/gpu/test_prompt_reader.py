"""A recorded pass over prompts leaves what an unrecorded one does, whatever prompts it is given."""

from __future__ import annotations

import pytest
import torch

from engine.bench.stage import NANO, build_random
from engine.towers import OmniModel, Prefix, PromptReader

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")]

SMALL = {
    "hidden_size": 768,
    "intermediate_size": 1600,
    "num_hidden_layers": 5,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
}

EDGE = {"hidden_act": "relu2", "qk_norm_for_text": False, "use_und_k_norm_for_gen": True}


def model_of(more: dict[str, object], *, compiled: bool) -> OmniModel:
    model = build_random(NANO.model_copy(update=SMALL | more), torch.device("cuda"), torch.bfloat16)
    model.prepare("exact", compiled=compiled)
    return model


def prompt(length: int, seed: int) -> list[int]:
    return [(seed + 31 * index) % 1000 for index in range(length)]


def error(one: Prefix, other: Prefix) -> float:
    pairs = ((one.keys, other.keys), (one.values, other.values))
    return max(float((mine.float() - theirs.float()).norm() / theirs.float().norm()) for mine, theirs in pairs)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("more", [{}, EDGE], ids=["nano", "edge"])
@torch.inference_mode()
def test_recorded_prompts_are_those_read_alone(more, compiled):
    model = model_of(more, compiled=compiled)
    reader = PromptReader(model.reasoner)
    for lengths in ((50, 160), (50, 160), (190, 7), (201,), (256,), (1, 255)):
        prompts = [prompt(length, seed) for seed, length in enumerate(lengths)]
        together = reader.read(prompts)
        for tokens, prefix in zip(prompts, together, strict=True):
            alone = PromptReader(model.reasoner).read([tokens])[0]
            assert prefix.num_tokens == len(tokens)
            assert error(prefix, alone) < 0.02
    assert len(reader._recorded) == 1


@torch.inference_mode()
def test_what_was_read_stays_when_the_recording_runs_again():
    reader = PromptReader(model_of({}, compiled=False).reasoner)
    reader.read([prompt(50, 1)])
    first = reader.read([prompt(50, 1)])[0]
    kept = first.keys.clone()
    reader.read([prompt(50, 2)])
    assert torch.equal(first.keys, kept)

"""What a GPU picks by its kernels is what is picked operation by operation."""

from __future__ import annotations

import pytest
import torch

from engine.reasoner.picking import Chooser, Tally, pick
from studio.requests.reason import TextSampling

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")]

SIZE = 151_936

SAMPLINGS = (
    {"temperature": 0.7, "top_k": 20, "top_p": 0.8, "repetition_penalty": 1.2, "frequency_penalty": 0.3},
    {"temperature": 1.5, "top_k": 50, "top_p": 0.95, "presence_penalty": 1.5},
    {"temperature": 1.0, "top_k": 1},
    {"temperature": 0, "repetition_penalty": 1.1},
)


def choosers(device: str) -> list[Chooser]:
    dice = torch.Generator().manual_seed(0)
    made: list[Chooser] = []
    for index, said in enumerate(SAMPLINGS):
        sampling = TextSampling.model_validate({"seed": 1, **said})
        tally = Tally.of(sampling, [1, 5, 9], SIZE, torch.device(device))
        for token in (3, 3, 7):
            if tally is not None:
                tally.count(token)
        allowed = (torch.rand(SIZE, generator=dice) > 0.3).to(device) if index % 2 else None
        made.append(Chooser(sampling, tally, allowed, float(torch.rand((), generator=dice))))
    return made


@pytest.mark.parametrize("seed", range(8))
def test_the_same_tokens_are_picked(seed):
    logits = 3 * torch.randn(len(SAMPLINGS), SIZE, generator=torch.Generator().manual_seed(seed))
    ours = pick(logits.cuda(), choosers("cuda"))
    assert ours.tolist() == pick(logits.clone(), choosers("cpu")).tolist()

from __future__ import annotations

import pytest
import torch
from transformers import (
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from engine.reasoner.picking import Chooser, Tally, pick
from studio.requests.reason import TextSampling

SIZE = 50


def sampling(**fields: object) -> TextSampling:
    return TextSampling.model_validate({"presence_penalty": 0, "top_k": 0, "top_p": 1, "temperature": 1} | fields)


def frequencies(logits: torch.Tensor, chosen: TextSampling, num_draws: int = 4000) -> torch.Tensor:
    chances = (torch.arange(num_draws) + 0.5) / num_draws
    rows = [Chooser(chosen, None, None, float(chance)) for chance in chances]
    return pick(logits.repeat(num_draws, 1), rows).bincount(minlength=SIZE) / num_draws


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"), [(1, 0, 1), (0.7, 20, 0.8), (1.5, 5, 1), (1, 0, 0.5), (2, 1, 1), (1, 7, 0.01)]
)
def test_tokens_are_drawn_as_often_as_transformers_says(temperature, top_k, top_p):
    torch.manual_seed(0)
    logits = torch.randn(SIZE) * 3
    expected = TemperatureLogitsWarper(float(temperature))(None, logits[None])
    if top_k:
        expected = TopKLogitsWarper(top_k)(None, expected)
    expected = TopPLogitsWarper(top_p)(None, expected).softmax(-1)[0]
    drawn = frequencies(logits, sampling(temperature=temperature, top_k=top_k, top_p=top_p))
    assert torch.allclose(drawn, expected, atol=5e-4)


def test_repetition_is_penalised_as_transformers_does():
    torch.manual_seed(0)
    logits = torch.randn(SIZE)
    tally = Tally([3, 4, 4], SIZE, torch.device("cpu"))
    tally.count(7)
    expected = RepetitionPenaltyLogitsProcessor(1.3)(torch.tensor([[3, 4, 7]]), logits[None].clone())[0]
    tally.penalise(logits, sampling(repetition_penalty=1.3))
    assert torch.allclose(logits, expected)


def test_presence_counts_once_and_frequency_each_time_and_neither_counts_the_prompt():
    logits = torch.zeros(SIZE)
    tally = Tally([3, 3], SIZE, torch.device("cpu"))
    for token in (5, 5, 6):
        tally.count(token)
    tally.penalise(logits, sampling(presence_penalty=0.5, frequency_penalty=0.25))
    assert logits[[3, 5, 6]].tolist() == [0, -1, -0.75]


def test_no_tally_is_kept_where_nothing_is_penalised():
    assert Tally.of(sampling(), [1], SIZE, torch.device("cpu")) is None
    assert Tally.of(sampling(frequency_penalty=0.1), [1], SIZE, torch.device("cpu")) is not None


def test_greedy_and_drawn_rows_go_together():
    torch.manual_seed(1)
    logits = torch.randn(3, SIZE)
    rows = [
        Chooser(sampling(temperature=0), None, None, 0.9),
        Chooser(sampling(top_k=3), None, None, 0.999),
        Chooser(sampling(temperature=0, top_k=5), None, None, 0.5),
    ]
    picked = pick(logits.clone(), rows)
    assert picked[[0, 2]].tolist() == logits[[0, 2]].argmax(-1).tolist()
    assert picked[1] == logits[1].topk(3).indices[-1]


@pytest.mark.parametrize("chance", [0.0, 0.5, 1 - 1e-12])
@pytest.mark.parametrize("temperature", [0, 1e-9, 1])
def test_what_a_grammar_forbids_is_never_picked(chance, temperature):
    torch.manual_seed(2)
    allowed = torch.zeros(SIZE, dtype=torch.bool)
    allowed[[8, 31]] = True
    chosen = sampling(temperature=temperature, top_k=20, top_p=0.9)
    assert allowed[pick(torch.randn(1, SIZE) * 50, [Chooser(chosen, None, allowed, chance)])].all()

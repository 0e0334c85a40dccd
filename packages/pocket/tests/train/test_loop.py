from __future__ import annotations

import json
import weakref
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.autograd.graph import get_gradient_edge

from pocket.train.loop import Options, needed_state, read_state, train
from studio.errors import BadInput, EngineError


def line_loss(module):
    def loss(step):
        x = torch.randn(64, 4)
        return (module(x) - x.sum(1, keepdim=True)).square().mean(), {"seen": float(step)}

    return loss


def options_in(folder: Path, **changes) -> Options:
    return replace(
        Options(
            out=folder, data=folder, time_limit_s=3600, steps=200, learning_rate=0.05, log_every=50, decay_share=0.0
        ),
        **changes,
    )


def run(folder: Path, **changes):
    torch.manual_seed(0)
    module = nn.Linear(4, 1)
    state = train("line", module, line_loss(module), options_in(folder, **changes), log=lambda _: None)
    return module, state


def test_a_run_that_was_cut_in_two_ends_where_an_uncut_one_does(tmp_path):
    """The optimiser begins anew: what is the same to the last bit is what was drawn, what is near are the weights."""
    whole, _ = run(tmp_path / "whole")
    run(tmp_path / "cut", steps=100)
    assert read_state(tmp_path / "cut", "line").step == 100
    second, state = run(tmp_path / "cut")
    assert state.step == 200
    torch.testing.assert_close(second.weight, whole.weight, atol=0.02, rtol=0)
    steps = [json.loads(line)["step"] for line in (tmp_path / "cut" / "line.jsonl").read_text().splitlines()]
    assert steps == [50, 100, 150, 200]


def test_going_on_begins_with_the_weights_that_were_left(tmp_path):
    _, first = run(tmp_path, steps=100)
    module, second = run(tmp_path, steps=100)
    assert second.step == first.step
    assert all(torch.equal(second.weights[name], value) for name, value in first.weights.items())
    assert torch.equal(module.weight.detach(), first.average["weight"])


def test_the_same_seed_gives_the_same_run(tmp_path):
    one, other = run(tmp_path / "one")[0], run(tmp_path / "other")[0]
    assert torch.equal(one.weight, other.weight)
    assert not torch.equal(run(tmp_path / "third", seed=1)[0].weight, one.weight)


def test_a_run_ends_when_its_time_is_over(tmp_path, monkeypatch):
    looks = count()  # a second passes from one look at the clock to the next
    monkeypatch.setattr("pocket.train.loop.time", SimpleNamespace(monotonic=lambda: float(next(looks))))
    _, state = run(tmp_path, steps=None, time_limit_s=20)
    assert 0 < state.step < 20
    assert (tmp_path / "line.pt").is_file()


class Trace:
    """Is there as long as what holds it."""


def test_a_step_leaves_nothing_of_its_graph_to_the_next_one(tmp_path):
    """What is left would tie the next step to the stream of this one, and a GPU could not record it."""
    module = nn.Linear(4, 1)
    traces: list[weakref.ref[Trace]] = []
    left: list[bool] = []

    def loss(step):
        left.extend(trace() is not None for trace in traces)
        value = module(torch.randn(8, 4)).square().mean()
        trace = Trace()
        traces[:] = [weakref.ref(trace)]
        get_gradient_edge(module.weight).node.register_prehook(lambda _, trace=trace: None)
        return value, {"seen": value.detach()}

    train("line", module, loss, options_in(tmp_path, steps=3), log=lambda _: None)
    assert left == [False, False]


def test_a_loss_that_is_not_finite_ends_the_run_and_says_so(tmp_path):
    module = nn.Linear(1, 1)
    with pytest.raises(EngineError, match="line: the loss is nan at step 50"):
        train(
            "line",
            module,
            lambda _: (module(torch.ones(1, 1)).sum() * float("nan"), {}),
            options_in(tmp_path),
            log=lambda _: None,
        )
    assert not (tmp_path / "line.pt").exists()


def test_a_stage_that_has_not_run_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"vae\.pt was not found"):
        needed_state(tmp_path, "vae")


class Stack(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(4, 4, bias=False)])
        self.out = nn.Linear(4, 1)


def stack_loss(module: Stack, step: int) -> tuple[torch.Tensor, dict[str, float | torch.Tensor]]:
    x = torch.randn(64, 4)
    return (module.blocks[0](x) - 9 * x.roll(1, 1)).square().mean() + module.out(x).square().mean(), {}


def test_layers_matrices_go_by_muon_and_all_else_by_adam(tmp_path):
    ends: dict[bool, dict[str, torch.Tensor]] = {}
    for muon in (False, True):
        torch.manual_seed(0)
        module = Stack()
        start = module.blocks[0].weight.detach().clone()
        options = options_in(tmp_path / str(muon), steps=1, learning_rate=0.05)
        train("line", module, partial(stack_loss, module), options, muon=muon, log=lambda _: None)
        state = needed_state(options.out, "line").weights
        ends[muon] = {**state, "moved": state["blocks.0.weight"] - start}
    assert torch.equal(ends[False]["out.weight"], ends[True]["out.weight"])
    # An update of Muon has all directions alike: of Adam's first one all entries.
    spread = torch.linalg.svdvals(ends[True]["moved"])
    assert spread.max() < 2 * spread.min()
    assert torch.linalg.svdvals(ends[False]["moved"]).max() > 2 * torch.linalg.svdvals(ends[False]["moved"]).min()

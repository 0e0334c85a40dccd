"""Matrices that go together move as `torch.optim.Muon` moves them one by one."""

import torch
from torch import nn

from tuning.muon import MOMENTUM, Muon, orthogonal

SHAPES = [(8, 4), (4, 8), (8, 4), (6, 6)]


def matrices() -> list[nn.Parameter]:
    torch.manual_seed(0)
    return [nn.Parameter(torch.randn(shape)) for shape in SHAPES]


def test_it_moves_matrices_as_pytorchs_does():
    own, theirs = matrices(), matrices()
    ours = Muon([{"params": own, "lr": 0.03, "weight_decay": 0.1}])
    reference = torch.optim.Muon(
        theirs, lr=0.03, weight_decay=0.1, momentum=MOMENTUM, nesterov=True, adjust_lr_fn="match_rms_adamw"
    )
    for step in range(4):
        torch.manual_seed(step + 1)
        for mine, other in zip(own, theirs, strict=True):
            mine.grad = torch.randn_like(mine)
            other.grad = mine.grad.clone()
        ours.step()
        reference.step()
    start = matrices()
    for mine, other, before in zip(own, theirs, start, strict=True):
        # Both compute in bfloat16, whose products are summed in another order.
        assert (mine - other).norm() < 0.02 * (other - before).norm()


def test_what_has_no_gradient_stays():
    own = matrices()
    own[0].grad = torch.randn_like(own[0])
    before = [parameter.detach().clone() for parameter in own]
    Muon([{"params": own, "lr": 0.1, "weight_decay": 0.1}]).step()
    moved = [not torch.equal(mine, old) for mine, old in zip(own, before, strict=True)]
    assert moved == [True, False, False, False]


def test_an_update_has_all_directions_alike():
    torch.manual_seed(0)
    for shape in SHAPES:
        values = torch.linalg.svdvals(orthogonal(torch.randn(3, *shape)).float())
        assert values.min() > 0.4
        assert values.max() < 1.6

"""Muon for many small matrices: those of one shape go together, in some hundred kernels a step.

`torch.optim.Muon` takes one matrix after another: for the 32 of the pocket's generator that is a thousand kernels,
which a processor needs a third of a step to launch. What is computed is the same (`tests/train/test_muon.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

MOMENTUM = 0.95

COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the quintic Newton-Schulz step: Keller Jordan's (https://kellerjordan.github.io/posts/muon)."""

NUM_STEPS = 5

LIKE_ADAM = 0.2
"""Root mean square of an update of AdamW's, so that one learning rate will do for both (arXiv 2502.16982, 2.2)."""


class Muon(torch.optim.Optimizer):
    """Momentum whose matrix is replaced by the nearest orthogonal one, with decoupled weight decay and Nesterov's look.

    Args:
        groups: matrices, `params`, with their `lr` and `weight_decay`.
    """

    def __init__(self, groups: Iterable[dict[str, Any]]) -> None:
        super().__init__(groups, {"lr": 1e-3, "weight_decay": 0.0})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[reportIncompatibleMethodOverride]
        """Move what has a gradient; a closure is not asked."""
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[Tensor]] = {}
            for parameter in group["params"]:
                if parameter.grad is not None:
                    by_shape.setdefault(parameter.shape, []).append(parameter)
            for parameters in by_shape.values():
                self._move(parameters, group["lr"], group["weight_decay"])

    def _move(self, parameters: list[Tensor], rate: float, decay: float) -> None:
        """Matrices of one shape."""
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        for parameter in parameters:
            if not self.state[parameter]:
                self.state[parameter]["momentum"] = torch.zeros_like(parameter)
        momenta = torch.stack([self.state[parameter]["momentum"] for parameter in parameters])
        stacked = torch.stack(gradients)
        momenta.lerp_(stacked, 1 - MOMENTUM)
        for parameter, momentum in zip(parameters, momenta, strict=True):
            self.state[parameter]["momentum"] = momentum
        updates = orthogonal(stacked.lerp(momenta, MOMENTUM)).to(stacked.dtype)
        rows, columns = parameters[0].shape
        size = LIKE_ADAM * max(rows, columns) ** 0.5
        torch._foreach_mul_(parameters, 1 - rate * decay)  # type: ignore[reportPrivateImportUsage]
        torch._foreach_add_(parameters, list(updates), alpha=-rate * size)  # type: ignore[reportPrivateImportUsage]


def orthogonal(matrices: Tensor) -> Tensor:
    """Matrices [N, R, C] → nearly the nearest ones with singular values of 1 (0.5 to 1.5), bfloat16."""
    a, b, c = COEFFICIENTS
    is_tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.bfloat16()
    x = x.mT if is_tall else x
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp_min(1e-7)
    for _ in range(NUM_STEPS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if is_tall else x

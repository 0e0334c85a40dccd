"""What moves weights: AdamW, and Muon for layers' matrices where it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from tuning.muon import Muon


@dataclass(frozen=True)
class Moving:
    """How weights are moved.

    Attributes:
        learning_rate: at its highest.
        betas: of AdamW.
        epsilon: of AdamW.
        weight_decay: on matrices.
        max_gradient: norm that the gradients of a step are clipped to.
        faster: (beginning of parameters' names, factor on their learning rate).
        muon: matrices of layers go by Muon.
    """

    learning_rate: float
    betas: tuple[float, float]
    weight_decay: float
    max_gradient: float = 1.0
    epsilon: float = 1e-8
    faster: Sequence[tuple[str, float]] = ()
    muon: bool = False

    def optimisers(self, module: nn.Module) -> list[torch.optim.Optimizer]:
        """Of all parameters that want gradients."""
        names = {id(parameter): name for name, parameter in module.named_parameters()}

        def kind_of(parameter: nn.Parameter) -> tuple[bool, float]:
            """Whether Muon has it, and the factor on its rate."""
            name = names[id(parameter)]
            factor = next((factor for start, factor in self.faster if name.startswith(start)), 1.0)
            return self.muon and parameter.ndim == 2 and "blocks." in name and "norm." not in name, factor

        groups: dict[bool, list[dict[str, Any]]] = {False: [], True: []}
        for parameters, decays in split_decay(module):
            for kind in sorted({kind_of(parameter) for parameter in parameters}):
                own = [parameter for parameter in parameters if kind_of(parameter) == kind]
                by_muon, factor = kind
                rate = self.learning_rate * factor
                groups[by_muon].append(
                    {"params": own, "lr": rate, "weight_decay": self.weight_decay if decays else 0.0}
                )
        on_gpu = any(parameter.is_cuda for parameter in module.parameters())
        adam = torch.optim.AdamW(groups[False], betas=self.betas, eps=self.epsilon, fused=on_gpu)
        return [adam, *([Muon(groups[True])] if groups[True] else [])]


def split_decay(modules: nn.Module) -> Iterator[tuple[list[nn.Parameter], bool]]:
    """Parameters that weight decay is for, matrices, and those that it is not for; frozen ones are left out."""
    trained = [parameter for parameter in modules.parameters() if parameter.requires_grad]
    yield [parameter for parameter in trained if parameter.ndim > 1], True
    yield [parameter for parameter in trained if parameter.ndim <= 1], False

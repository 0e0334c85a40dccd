"""The loop that every training runs in: rate, gradients, clipping, the average of the weights, and going on later.

Whoever runs it iterates over `steps`, and logs and saves between two of them. What a step draws is a function of
(seed, step) alone. With its optimisers' state a run that was cut in two is the uncut one to the bit on one device;
without it, it sees the same, and begins with fresh moments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from tuning import ranks
from tuning.optimisers import Moving
from tuning.state import State

Shown = dict[str, "float | Tensor"]
"""What the curves show of a step."""

Loss = Callable[[int], Iterable[tuple[Tensor, Shown]]]
"""From a step to its parts: what is minimised is their sum. Each part's graph is over before the next one is asked for,
so that a batch whose sequences differ in shape takes the memory of its largest part alone."""

Check = Callable[[int, Tensor], None]
"""Told the step and the norm of its gradients before any weight is moved; raises where they are not to be followed."""


class Learner:
    """What learns: a module, what moves it, and the average of its weights.

    Args:
        module: its parameters that want gradients learn.
        keep: of the average, the share that stays at a step; none keeps no average.
        saves: names of what a state holds; none is all of the module's.

    Attributes:
        step: done so far.
    """

    def __init__(
        self,
        module: nn.Module,
        moving: Moving,
        *,
        keep: Callable[[int], float] | None = None,
        saves: Callable[[str], bool] = lambda name: True,
    ) -> None:
        self.module, self.step = module, 0
        self.parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
        self.optimisers = moving.optimisers(module)
        self._max_gradient, self._keep, self._saves = moving.max_gradient, keep, saves
        self._rates = [group["lr"] for optimiser in self.optimisers for group in optimiser.param_groups]
        self.average: dict[str, Tensor] = {}
        self.start_average()

    def weights(self) -> dict[str, Tensor]:
        """What is saved, by its names in the module."""
        return {name: value for name, value in self.module.state_dict().items() if self._saves(name)}

    def start_average(self) -> None:
        """Begin the average with the weights as they are."""
        if self._keep is not None:
            self.average = {name: value.detach().clone() for name, value in self.weights().items()}

    def load(self, state: State) -> None:
        """Go on from a state; optimisers begin anew where it has none of theirs."""
        self.step = state.step
        if state.weights:
            own = self.weights()
            assert own.keys() == state.weights.keys()
            with torch.no_grad():
                for name, value in own.items():
                    value.copy_(state.weights[name])
        ranks.share_weights(self.module)
        self.start_average()
        if state.average:
            self.average = {name: state.average[name].to(value) for name, value in self.average.items()}
        for optimiser, own in zip(self.optimisers, state.optimisers, strict=False):
            optimiser.load_state_dict(own)

    def save(self, state: State, *, with_optimisers: bool) -> None:
        """Put all of it into a state, on the host."""
        state.step = self.step
        state.weights = {name: value.detach().cpu().clone() for name, value in self.weights().items()}
        state.average = {name: value.cpu().clone() for name, value in self.average.items()}
        state.optimisers = [optimiser.state_dict() for optimiser in self.optimisers] if with_optimisers else []

    def move(self, factor: float, norm_is_fine: Callable[[Tensor], None]) -> Tensor:
        """Follow the gradients that are there, at so much of the highest rate; returns their norm."""
        ranks.average_gradients(self.parameters)
        norm = clip_grad_norm_(self.parameters, self._max_gradient)
        norm_is_fine(norm)
        # Looked up at each step: an optimiser that has loaded its state has other groups.
        groups = [group for optimiser in self.optimisers for group in optimiser.param_groups]
        for group, rate in zip(groups, self._rates, strict=True):
            group["lr"] = rate * factor
        for optimiser in self.optimisers:
            optimiser.step()
        self.step += 1
        if self._keep is not None:
            _follow(self.average, self.weights(), self._keep(self.step))
        return norm


@dataclass(frozen=True)
class Done:
    """A step that was done.

    Attributes:
        shown: its loss, the norm of its gradients, and what its parts show.
    """

    step: int
    factor: float
    shown: Shown


def steps(
    learner: Learner,
    loss: Loss,
    seed: int,
    *,
    progress: Callable[[int], float],
    factor: Callable[[int, float], float],
    autocast: AbstractContextManager[object],
    check: Check = lambda step, norm: None,
) -> Iterator[Done]:
    """Do one step after another until `progress` of those that are done comes to 1.

    Args:
        factor: of the highest rate, at a step and a progress.
        autocast: what losses are computed in; entered at each.
    """
    while (over := ranks.agreed(progress(learner.step))) < 1:
        step = learner.step
        torch.manual_seed(ranks.own_seed(seed) * 1_000_003 + step)
        for optimiser in learner.optimisers:
            optimiser.zero_grad(set_to_none=True)
        total, shown = _backward(loss, step, autocast)
        rate = factor(step, over)
        norm = learner.move(rate, lambda norm, step=step: check(step, norm))
        yield Done(learner.step, rate, {"loss": total, "gradient": norm, **shown})


def _backward(loss: Loss, step: int, autocast: AbstractContextManager[object]) -> tuple[Tensor, Shown]:
    """Gradients of all parts; their sum, and what they show."""
    total: Tensor | None = None
    shown: Shown = {}
    parts = iter(loss(step))
    while True:
        with autocast:
            part = next(parts, None)
        if part is None:
            assert total is not None
            return total, shown
        value, told = part
        value.backward()
        total = value.detach() if total is None else total + value.detach()
        shown |= told
        # What is left of its graph would tie the next one to this one's stream, and no step could be recorded.
        del value, part


@torch.no_grad()
def _follow(average: dict[str, Tensor], own: dict[str, Tensor], keep: float) -> None:
    floats = [name for name, value in own.items() if value.is_floating_point()]
    followed, leading = [average[name] for name in floats], [own[name] for name in floats]
    torch._foreach_lerp_(followed, leading, 1 - keep)  # type: ignore[reportPrivateImportUsage]
    for name in own.keys() - set(floats):
        average[name].copy_(own[name])

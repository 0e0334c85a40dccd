"""The two solvers as pure functions: UniPC, and stochastic Euler for distilled checkpoints.

Of UniPC (Zhao et al. 2023, arXiv 2302.04867) order 2, B(h) = e^h - 1, predicting x0, first order at the last step: what
the released scheduler files ask for. All coefficients are numbers on the host; the state is a value, so any number of
trajectories run beside each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor


class State(NamedTuple):
    """What a step leaves for the next one. All tensors have the shape of the sample, float32.

    Attributes:
        start: the sample that the last prediction started from, corrected.
        x0: the clean sample as last estimated.
        older_x0: the estimate before that.
        order: order of the last prediction; 0 before the first.
    """

    start: Tensor | None = None
    x0: Tensor | None = None
    older_x0: Tensor | None = None
    order: int = 0


def unipc_step(x: Tensor, velocity: Tensor, index: int, sigmas: Sequence[float], state: State) -> tuple[Tensor, State]:
    """One step of UniPC: correct the sample with the fresh velocity, then predict it at the next sigma.

    Args:
        x: the sample at sigmas[index], float32; velocity is noise minus x0 at it.
        sigmas: all of the schedule, falling; the last may be 0, which returns x0 itself.

    Returns:
        The sample at sigmas[index + 1] and the new state.
    """
    x0 = x - sigmas[index] * velocity
    if index > 0:
        x = _correct(x0, index, sigmas, state)
    order = min(2, index + 1, len(sigmas) - 1 - index)
    sigma, target = sigmas[index], sigmas[index + 1]
    h = _log_snr(target) - _log_snr(sigma)
    shrink = math.expm1(-h)
    estimate = x0
    if order == 2:
        assert state.x0 is not None
        ratio = (_log_snr(sigmas[index - 1]) - _log_snr(sigma)) / h
        estimate = x0 + (0.5 / ratio) * (state.x0 - x0)
    following = (target / sigma) * x - ((1 - target) * shrink) * estimate
    return following, State(x, x0, state.x0, order)


def _correct(x0: Tensor, index: int, sigmas: Sequence[float], state: State) -> Tensor:
    """The sample at sigmas[index] again, now that the estimate there is known (UniC)."""
    assert state.start is not None
    assert state.x0 is not None
    before, sigma = sigmas[index - 1], sigmas[index]
    h = _log_snr(sigma) - _log_snr(before)
    shrink = math.expm1(-h)
    change = x0 - state.x0
    if state.order == 1:
        correction = 0.5 * change
    else:
        assert state.older_x0 is not None
        ratio = (_log_snr(sigmas[index - 2]) - _log_snr(before)) / h
        # Right-hand sides of the paper's order conditions; the weights solve [[1, 1], [ratio, 1]] w = b.
        phi_1 = shrink / -h - 1
        phi_2 = phi_1 / -h - 0.5
        b_1, b_2 = phi_1 / shrink, 2 * phi_2 / shrink
        old, new = (b_1 - b_2) / (1 - ratio), (b_2 - ratio * b_1) / (1 - ratio)
        correction = (old / ratio) * (state.older_x0 - state.x0) + new * change
    return (sigma / before) * state.start - ((1 - sigma) * shrink) * (state.x0 + correction)


def _log_snr(sigma: float) -> float:
    """ln((1 - sigma) / sigma): where a sample stands between noise (minus infinity) and picture (infinity)."""
    return math.inf if sigma == 0 else math.log1p(-sigma) - math.log(sigma)


def stochastic_step(
    x: Tensor, velocity: Tensor, index: int, sigmas: Sequence[float], noise: Tensor
) -> tuple[Tensor, State]:
    """One Euler step: estimate the clean sample, then put it back among fresh noise at the next sigma.

    Args:
        x: the sample at sigmas[index], float32; velocity is noise minus x0 at it.
        noise: standard normal, of the same shape; without effect where the next sigma is 0.

    Returns:
        The sample at sigmas[index + 1], and a state that holds its estimate.
    """
    x0 = x - sigmas[index] * velocity
    following = (1 - sigmas[index + 1]) * x0 + sigmas[index + 1] * noise
    return following, State(x0=x0)

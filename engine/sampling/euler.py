"""Stochastic Euler steps, which the distilled checkpoints were trained for."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from engine.sampling.unipc import State


def stochastic_step(
    x: Tensor, velocity: Tensor, index: int, sigmas: Sequence[float], noise: Tensor
) -> tuple[Tensor, State]:
    """One step: estimate the clean sample, then put it back among fresh noise at the next sigma.

    Args:
        x: the sample at sigmas[index], float32; velocity is noise minus x0 at it.
        noise: standard normal, of the same shape; without effect where the next sigma is 0.

    Returns:
        The sample at sigmas[index + 1], and a state that holds its estimate.
    """
    x0 = x - sigmas[index] * velocity
    following = (1 - sigmas[index + 1]) * x0 + sigmas[index + 1] * noise
    return following, State(x0=x0)

"""Guidance as numbers: at each step, how much of each branch's velocity is taken.

Classifier-free guidance, `v = v_negative + g (v_prompt - v_negative)`, takes g of the prompt and 1 - g of the negative.
Every guidance of Cosmos 3 is such a sum, so a plan carries the sum's factors and nobody after it knows the rule. A
branch whose factor is 0 is not evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence

from studio.requests import Sampling
from studio.requests.transfer_video import TransferSampling

Factors = tuple[float, ...]
"""One for each branch of a plan."""

Guidance = tuple[float, tuple[float, float] | None]
"""A scale and the timesteps, both included, between which it holds; none is all of them."""


def guidance(sampling: Sampling, timesteps: Sequence[float]) -> tuple[Factors, ...]:
    """Factors of a request's branches at each step, in the order of `transfer_guidance` or of `prompt_guidance`."""
    text = sampling.guidance_scale, sampling.guidance_interval
    if isinstance(sampling, TransferSampling):
        control = sampling.control_guidance, sampling.control_guidance_interval
        return transfer_guidance(timesteps, text, control)
    return prompt_guidance(timesteps, *text)


def prompt_guidance(
    timesteps: Sequence[float], scale: float, interval: tuple[float, float] | None
) -> tuple[Factors, ...]:
    """Factors of (prompt, negative) at each step.

    Args:
        interval: timesteps, both included, outside which there is no guidance. (960, 1001) over 999, 937, 833, 624
            guides the first step alone.
    """
    return tuple((scale, 1 - scale) if _within(timestep, interval) else (1.0, 0.0) for timestep in timesteps)


def transfer_guidance(timesteps: Sequence[float], text: Guidance, control: Guidance) -> tuple[Factors, ...]:
    """Factors of (prompt with controls, prompt without, negative prompt with controls) at each step.

    Control guidance c leads away from the prompt without controls, text guidance g away from the negative prompt:
    v = v_negative + g (v_without + c (v_with - v_without) - v_negative). Text guidance up to 1 is none (diffusers
    0.42, `Cosmos3TransferLoopDenoiser`).

    Args:
        text: scale and interval; so is `control`.
    """
    factors: list[Factors] = []
    for timestep in timesteps:
        g = max(text[0], 1.0) if _within(timestep, text[1]) else 1.0
        c = control[0] if _within(timestep, control[1]) else 1.0
        factors.append((g * c, g * (1 - c), 1 - g))
    return tuple(factors)


def _within(timestep: float, interval: tuple[float, float] | None) -> bool:
    return interval is None or interval[0] <= timestep <= interval[1]

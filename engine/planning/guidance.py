"""Guidance as numbers: at each step, how much of each branch's velocity is taken.

Classifier-free guidance, `v = v_negative + g (v_prompt - v_negative)`, takes g of the prompt and 1 - g of the negative.
Every guidance of Cosmos 3 is such a sum, so a plan carries the sum's factors and nobody after it knows the rule. A
branch whose factor is 0 is not evaluated.
"""

from __future__ import annotations

from collections.abc import Sequence

Factors = tuple[float, ...]
"""One for each branch of a plan."""


def prompt_guidance(
    timesteps: Sequence[int], scale: float, interval: tuple[float, float] | None
) -> tuple[Factors, ...]:
    """Factors of (prompt, negative) at each step.

    Args:
        interval: timesteps, both included, outside which there is no guidance. (960, 1001) over 999, 937, 833, 624
            guides the first step alone.
    """
    low, high = interval if interval is not None else (-float("inf"), float("inf"))
    return tuple((scale, 1 - scale) if low <= timestep <= high else (1.0, 0.0) for timestep in timesteps)

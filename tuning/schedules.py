"""The learning rate at a step, as a share of its highest."""

from __future__ import annotations

import math
from collections.abc import Callable

from studio.tuning import Optimisation


def rate_factor(how: Optimisation) -> Callable[[int, float], float]:
    """From a step, counted from 0, to a share of the highest rate.

    A linear rise to 1, then the schedule from 1 to `final_rate` over the steps that are left, as transformers'
    `get_linear_schedule_with_warmup` and `get_cosine_schedule_with_warmup` have it.
    """

    def factor(step: int, over: float) -> float:
        del over
        if step < how.warmup_steps:
            return (step + 1) / how.warmup_steps
        done = (step - how.warmup_steps) / (how.steps - how.warmup_steps)
        match how.schedule:
            case "constant":
                return 1.0
            case "linear":
                left = 1 - done
            case "cosine":
                left = (1 + math.cos(math.pi * done)) / 2
        return how.final_rate + (1 - how.final_rate) * left

    return factor


def average_keep(ema: float | None) -> Callable[[int], float] | None:
    """Of an average, the share that stays at a step; less at first, where it would hold on to the fresh weights.

    The rise (1 + step) / (10 + step) is that of diffusers' `EMAModel`.
    """
    if ema is None:
        return None
    return lambda step: min(ema, (1 + step) / (10 + step))

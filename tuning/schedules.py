"""The learning rate at a step, as a share of its highest."""

from __future__ import annotations

import math
from collections.abc import Callable

from studio.tuning import Optimisation


def rate_factor(how: Optimisation) -> Callable[[int, float], float]:
    """From a step, counted from 0, to a share of the highest rate: a linear rise, then the schedule down to 0."""

    def factor(step: int, over: float) -> float:
        del over
        rising = min(1.0, (step + 1) / how.warmup_steps) if how.warmup_steps else 1.0
        done = step / how.steps
        match how.schedule:
            case "constant":
                return rising
            case "linear":
                return rising * (1 - done)
            case "cosine":
                return rising * (1 + math.cos(math.pi * done)) / 2

    return factor


def average_keep(ema: float | None) -> Callable[[int], float] | None:
    """Of an average, the share that stays at a step; less at first, where it would hold on to the fresh weights.

    The rise (1 + step) / (10 + step) is that of diffusers' `EMAModel`.
    """
    if ema is None:
        return None
    return lambda step: min(ema, (1 + step) / (10 + step))

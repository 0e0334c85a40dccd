"""How often it worked, and how sure one can be."""

from __future__ import annotations

import math


def success_interval(num_successes: int, num_trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate; 0 to 1 while nothing was tried.

    7 of 10: 0.40 to 0.89. (E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.)
    """
    if num_trials == 0:
        return 0.0, 1.0
    z = 1.959964
    rate = num_successes / num_trials
    middle = rate + z**2 / (2 * num_trials)
    spread = z * math.sqrt(rate * (1 - rate) / num_trials + z**2 / (4 * num_trials**2))
    scale = 1 + z**2 / num_trials
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)

"""Bradley–Terry: strengths from who beat whom. Each contestant has a strength s, and i beats j with the chance
1 / (1 + exp(s_j - s_i)) (Bradley and Terry, 1952).

Strengths that differ by 1 are 2.7 to 1; only their differences mean anything, so that they are given with the mean 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_STEPS = 200
MOST_STEP = 2.0
"""How far a strength moves at once: Newton's step overshoots where chances are close to 0 or 1."""
CLOSE = 1e-10
"""Of the slope, as a share of the comparisons: what is taken for flat."""


def fit_strengths(wins: Array) -> Array:
    """The most likely strengths, by Newton's method.

    Args:
        wins: [..., n, n]; how often i beat j stands at [i, j], half a win for each side of a tie. Every contestant must
            have been beaten by each other one, if only through others, or the most likely strengths are infinite.

    Returns:
        [..., n], mean 0.
    """
    num = wins.shape[-1]
    games = wins + wins.swapaxes(-1, -2)
    total = np.maximum(games.sum((-1, -2), keepdims=True), 1e-300)
    strengths: Array = np.zeros(wins.shape[:-1])
    for _ in range(MAX_STEPS):
        chance = 1 / (1 + np.exp(strengths[..., None, :] - strengths[..., :, None]))
        slope: Array = (wins - games * chance).sum(-1)
        if float(np.max(np.abs(slope) / total[..., 0], initial=0.0)) < CLOSE:
            break
        weight = games * chance * (1 - chance)
        # The matrix has no inverse along the strength that all share; pinning the mean gives it one.
        curvature = np.eye(num) * weight.sum(-1)[..., None] - weight + total / num**2
        step = _solve(curvature, slope)
        longest: Array = np.max(np.abs(step), axis=-1, keepdims=True)
        shorter: Array = np.minimum(1.0, MOST_STEP / np.maximum(longest, 1e-300))
        strengths = strengths + step * shorter
    return strengths - np.asarray(strengths.mean(-1, keepdims=True))


def _solve(curvature: Array, slope: Array) -> Array:
    return np.asarray(np.linalg.solve(curvature, slope[..., None])[..., 0], dtype=np.float64)


def draw_wins(wins: Array, ties: Array, num_draws: int, generator: np.random.Generator) -> Array:
    """Votes as they might also have come: each weighs as much as an exponential variable says (the Bayesian bootstrap,
    Rubin 1981), so that what w votes weigh together is Gamma(w).

    Resampling ten votes of ten for one side gives the same ten each time, and an interval of no width. Hence the shares
    of `prior_wins` among them: with two contestants the draws are Jeffreys' posterior of a proportion.

    Args:
        wins: [n, n] decided votes.
        ties: [n, n], symmetric.
        num_draws: how many.
        generator: where chance comes from.

    Returns:
        [num_draws, n, n], ties shared out.
    """
    num = wins.shape[-1]
    prior = prior_wins(wins + wins.T + ties)
    decided = generator.standard_gamma(np.broadcast_to(wins + prior, (num_draws, num, num)))
    upper = generator.standard_gamma(np.broadcast_to(np.triu(ties), (num_draws, num, num)))
    return decided + (upper + upper.swapaxes(-1, -2)) / 2


def prior_wins(games: Array) -> Array:
    """[n, n]: a share of a win to each side of every pairing that there was, about one a contestant over all.

    Two contestants get half a win each; of four that all met, each gets a sixth against each.
    """
    met = games > 0
    degree = met.sum(-1)
    shared = np.maximum(degree[:, None] + degree[None, :], 1)
    return np.where(met, 1 / shared, 0.0)


def connected(games: Array) -> list[int]:
    """The largest group of contestants that can be compared, through others if need be: their indices."""
    num = games.shape[-1]
    left, best = set(range(num)), list[int]()
    while left:
        group, waiting = set[int](), [min(left)]
        while waiting:
            one = waiting.pop()
            if one not in group:
                group.add(one)
                waiting += [int(other) for other in np.flatnonzero(games[one]) if int(other) not in group]
        left -= group
        if len(group) > len(best):
            best = sorted(group)
    return best

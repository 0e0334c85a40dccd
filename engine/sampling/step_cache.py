"""Step caching: a pass is left out where the velocity would hardly differ from the one that was computed last.

After EasyCache (Zhou et al. 2025, arXiv 2507.02860), which needs no coefficients fitted to a model. Between two passes
j < i the velocity v has changed with the latents x at the rate

    k = |v_i - v_j| / |x_i - x_j|        (sums of absolute values)

so that at later latents x_t it will have moved from the last one computed by about this part of itself:

    k |x_t - x_i| / |v_i|

As long as that is at most the request's `step_cache`, v_i stands for v_t. A velocity that changed by 4 % while the
latents moved by 2 changes by another 2 % as they move by 1: a threshold of 0.05 leaves out two such steps and computes
the third.

EasyCache adds up what the latents move from step to step, and keeps v - x. Here the way is taken straight from x_i,
which is the same on a path that hardly bends. v is kept, since that is what stays on a straight flow, and changes on by
half of what it changed before for the same change of noise; SeaCache (arXiv 2602.18993) extrapolates too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from engine.sampling.trajectory import Computed, Step, Trajectory

FIRST_SHARE = 0.2
"""Of the steps, at the start, that are always computed, as the paper's warm-up is: they decide the composition. The
last step is computed too."""

DAMPING = 0.5
"""Of the rate at which the velocity changed last. Images of the pocket are 3 to 5 dB nearer to the exact ones than with
nothing added, at as many passes; the whole rate gave -1 to +5 dB (docs/performance.md)."""

MIN_FIRST_STEPS = 2
"""A rate takes two."""


def next_steps(trajectories: Sequence[Trajectory]) -> list[Step]:
    """The next step of each of them: with the velocity that it computed last, or with a new one.

    The device is asked once, and not at all where no request has a step cache.
    """
    changes = {index: _change(trajectory) for index, trajectory in enumerate(trajectories) if _has_velocity(trajectory)}
    found = dict(zip(changes, torch.stack(list(changes.values())).tolist(), strict=True)) if changes else {}
    # No number, as after latents that stood still, is never at most anything: that step is computed.
    return [
        Step(trajectory, is_kept=index in found and found[index] <= (trajectory.plan.step_cache or 0))
        for index, trajectory in enumerate(trajectories)
    ]


def computed(trajectory: Trajectory, velocities: Mapping[int, Tensor]) -> Computed | None:
    """What to remember of a pass at the trajectory's step; nothing where its request has no step cache."""
    if trajectory.plan.step_cache is None:
        return None
    factors = trajectory.factors
    latents = {index: trajectory.latents[index] for index in velocities}
    sigma = trajectory.plan.schedule.sigmas[trajectory.index]
    before, rates, slopes = trajectory.computed, dict[int, Tensor](), dict[int, Tensor]()
    if before is not None and before.factors == factors:
        for index, velocity in velocities.items():
            change = velocity - before.velocities[index]
            way = _size(latents[index] - before.latents[index])
            rates[index] = _size(change) / (way * _size(velocity))
            slopes[index] = change / (sigma - before.sigma)
    return Computed(factors, latents, dict(velocities), rates, sigma, slopes)


def kept(trajectory: Trajectory) -> Mapping[int, Tensor]:
    """The velocity of each denoised segment at a step that has no pass: the last one, and `DAMPING` of its change."""
    last = trajectory.computed
    assert last is not None
    way = trajectory.plan.schedule.sigmas[trajectory.index] - last.sigma
    return {
        index: torch.add(last.velocities[index], slope, alpha=DAMPING * way) for index, slope in last.slopes.items()
    }


def _has_velocity(trajectory: Trajectory) -> bool:
    """Whether there is a velocity that might stand for the next one."""
    plan, last = trajectory.plan, trajectory.computed
    num_steps = plan.schedule.num_steps
    num_first = max(MIN_FIRST_STEPS, math.ceil(FIRST_SHARE * num_steps))
    return (
        plan.step_cache is not None
        and last is not None
        and bool(last.rates)
        and last.factors == trajectory.factors
        and num_first <= trajectory.index < num_steps - 1
    )


def _change(trajectory: Trajectory) -> Tensor:
    """By which part of itself the velocity will have changed: of the segment where that is most."""
    last = trajectory.computed
    assert last is not None
    changes = [rate * _size(trajectory.latents[index] - last.latents[index]) for index, rate in last.rates.items()]
    return torch.stack(changes).amax()


def _size(values: Tensor) -> Tensor:
    return values.abs().sum()

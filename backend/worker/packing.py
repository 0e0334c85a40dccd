"""Which trajectories take their next step together."""

from __future__ import annotations

from collections.abc import Sequence

from engine import Trajectory

TOKENS_PER_STEP = 4096
"""Above about this a step on a large GPU is bound by arithmetic: packing more requests into it gains nothing."""


def pick(trajectories: Sequence[Trajectory], token_budget: int = TOKENS_PER_STEP) -> list[Trajectory]:
    """The longest prefix that fits the budget, and at least one: whoever came first is never overtaken."""
    picked: list[Trajectory] = []
    tokens = 0
    for trajectory in trajectories:
        tokens += trajectory.num_tokens
        if picked and tokens > token_budget:
            break
        picked.append(trajectory)
    return picked

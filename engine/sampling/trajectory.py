"""One run on its way from noise to a picture."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from engine.planning import Plan
from engine.sampling.unipc import State
from engine.towers import Prefix, Rope


@dataclass
class Trajectory:
    """A plan and how far it has come. Made by `Engine.begin`, moved by `Engine.step`, nobody else writes to it.

    Attributes:
        prefixes: for each branch.
        rope: tables of all branches' diffusion tokens behind one another.
        times: embedded timesteps [steps, H].
        latents: for each segment, float32.
        states: the solver's, for each segment.
        step: steps done.
    """

    plan: Plan
    prefixes: tuple[Prefix, ...]
    rope: Rope
    times: Tensor
    latents: list[Tensor]
    states: list[State] = field(default_factory=list)
    step: int = 0

    @property
    def num_steps(self) -> int:
        """Steps of the whole run."""
        return self.plan.schedule.num_steps

    @property
    def done(self) -> bool:
        """Whether every step has been made."""
        return self.step == self.num_steps

    @property
    def num_tokens(self) -> int:
        """Generator tokens of the next step over the branches that it evaluates; 0 when none is left."""
        return 0 if self.done else self.plan.tokens_per_branch * len(self.plan.active(self.step))

    def estimates(self) -> list[Tensor]:
        """Clean latents of each segment as now estimated, float32; before the first step the noise itself."""
        return [
            latents if state.x0 is None else state.x0 for latents, state in zip(self.latents, self.states, strict=True)
        ]

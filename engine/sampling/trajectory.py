"""One run on its way from noise to a picture or a clip."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from engine.planning import ActionSegment, Plan, Segment
from engine.planning.plan import Factors
from engine.sampling.solvers import State
from engine.towers import Prefix, Rope


@dataclass(frozen=True)
class Pins:
    """The given steps of one segment, on the device.

    Attributes:
        axis: the segment's time axis.
        steps: [k] int64, those that are given; none where nothing is.
        values: their latents, float32.
        noisy: [tokens, 1] in the model's dtype: 1 for tokens that are told the timestep, 0 for given ones.
        width: values of an action that are used; all others are 0. None for other segments.
    """

    axis: int
    steps: Tensor | None = None
    values: Tensor | None = None
    noisy: Tensor | None = None
    width: int | None = None

    def latents(self, latents: Tensor) -> Tensor:
        """The same with every given step exactly as it was given."""
        if self.steps is not None and self.values is not None:
            latents = latents.index_copy(self.axis, self.steps, self.values)
        return self._within_width(latents)

    def velocity(self, velocity: Tensor) -> Tensor:
        """The same, at rest where it is given."""
        if self.steps is not None:
            velocity = velocity.index_fill(self.axis, self.steps, 0)
        return self._within_width(velocity)

    def timed(self, tokens: Tensor, time: Tensor) -> Tensor:
        """Tokens [S, H] with a timestep's embedding [H] on those that are denoised."""
        return tokens + time if self.noisy is None else torch.addcmul(tokens, self.noisy, time)

    def _within_width(self, actions: Tensor) -> Tensor:
        if self.width is None:
            return actions
        return pad(actions[:, : self.width], (0, actions.shape[1] - self.width))


def pins(segment: Segment, device: torch.device, dtype: torch.dtype) -> Pins:
    """The pins of a segment."""
    width = segment.width if isinstance(segment, ActionSegment) else None
    given = segment.given
    if given is None:
        return Pins(segment.time_axis, width=width)
    length = segment.shape[segment.time_axis]
    noisy = torch.ones(length, dtype=dtype)
    noisy[list(given.steps)] = 0
    return Pins(
        axis=segment.time_axis,
        steps=torch.tensor(given.steps, device=device),
        values=given.values.to(device),
        noisy=noisy.repeat_interleave(segment.num_tokens // length)[:, None].to(device),
        width=width,
    )


class Noise:
    """Standard normal values in float32, from one generator on the CPU: a seed is one result on every device.

    What is asked for first comes first: a plan asks for its segments in order (vision, then sound, then action), then
    for what its steps add.
    """

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator("cpu").manual_seed(seed)

    def draw(self, shape: tuple[int, ...]) -> Tensor:
        """The next values."""
        return torch.randn(shape, generator=self._generator, dtype=torch.float32)


@dataclass(frozen=True)
class Chunk:
    """A part of a long clip that is done.

    Attributes:
        latents: of its target, float32.
        canvas: (width, height) in pixels.
        shown: see `Plan`.
    """

    latents: Tensor
    canvas: tuple[int, int]
    shown: tuple[int, int] | None


class Computed(NamedTuple):
    """What a pass leaves, for steps that do without one; by the index of each denoised segment.

    Attributes:
        factors: of the guidance; a velocity is no other guidance's.
        latents: that it started from, float32.
        velocities: that it came to, float32.
        rates: by which part of itself the velocity changes as the latents move by 1, on the device; empty where the
            pass before had another guidance, or there was none.
        sigma: the noise level of that step.
        slopes: by how much each velocity changed as the noise level changed by 1 since the pass before; there where
            the rates are.
    """

    factors: Factors
    latents: Mapping[int, Tensor]
    velocities: Mapping[int, Tensor]
    rates: Mapping[int, Tensor]
    sigma: float
    slopes: Mapping[int, Tensor]


@dataclass
class Trajectory:
    """A plan and how far it has come. Made by `Engine.begin`, moved by `Engine.step`, nobody else writes to it.

    Attributes:
        prefixes: for each branch.
        ropes: tables of each branch's diffusion tokens.
        times: embedded timesteps [steps, H].
        pins: what is given, for each segment.
        latents: for each segment, float32.
        states: the solver's, for each segment.
        noise: where more of it comes from.
        adapter: the active one when the prompts were read, which every step needs.
        step: steps done, of all plans.
        finished: the chunks before this plan, in order.
        computed: what its last pass left, where its request has a step cache.
        num_kept: steps done, of all plans, with the velocity of a step before them.
    """

    plan: Plan
    prefixes: tuple[Prefix, ...]
    ropes: tuple[Rope, ...]
    times: Tensor
    pins: tuple[Pins, ...]
    latents: list[Tensor]
    states: list[State]
    noise: Noise
    adapter: Hashable = None
    step: int = 0
    finished: list[Chunk] = field(default_factory=list["Chunk"])
    computed: Computed | None = None
    num_kept: int = 0

    @property
    def index(self) -> int:
        """Steps done, of this plan."""
        # Every chunk has as many steps as the others.
        return self.step - self.plan.schedule.num_steps * len(self.finished)

    @property
    def factors(self) -> Factors:
        """What the next step multiplies each branch's velocity by."""
        return self.plan.factors[self.index]

    @property
    def num_steps(self) -> int:
        """Steps of the whole run."""
        following = self.plan.continuation.num_plans if self.plan.continuation else 0
        return self.plan.schedule.num_steps * (len(self.finished) + 1 + following)

    @property
    def awaits_chunk(self) -> bool:
        """Whether this plan has ended and another one follows."""
        return self.plan.continuation is not None and self.index == self.plan.schedule.num_steps

    @property
    def done(self) -> bool:
        """Whether every step has been made."""
        return self.step == self.num_steps

    @property
    def num_tokens(self) -> int:
        """Generator tokens of the next step over the branches that it evaluates; 0 when none is left."""
        # Between two chunks: every chunk starts as the one before it did.
        return 0 if self.done else self.plan.num_tokens(0 if self.awaits_chunk else self.index)

    def estimates(self) -> list[Tensor]:
        """Clean latents of each segment as now estimated, float32; before the first step the noise itself."""
        return [
            latents if state.x0 is None else state.x0 for latents, state in zip(self.latents, self.states, strict=True)
        ]

    def chunks(self) -> list[Chunk]:
        """All that there is of the clip so far, the last one as now estimated; one that has not begun is left out."""
        if self.finished and self.index == 0:
            return list(self.finished)
        return [*self.finished, Chunk(self.estimates()[self.plan.target], self.plan.canvas, self.plan.shown)]

    def go_on(self, following: Trajectory) -> None:
        """Take over the next chunk's first state."""
        assert self.awaits_chunk
        self.finished.append(self.chunks()[-1])
        for name in ("plan", "prefixes", "ropes", "times", "pins", "latents", "states", "computed"):
            setattr(self, name, getattr(following, name))


@dataclass(frozen=True)
class Step:
    """The next step of a trajectory.

    Attributes:
        is_kept: it takes the velocity that was computed last, and needs no pass through the generator.
    """

    trajectory: Trajectory
    is_kept: bool

    @property
    def branches(self) -> tuple[int, ...]:
        """Those of the plan that it evaluates."""
        return () if self.is_kept else self.trajectory.plan.active(self.trajectory.index)

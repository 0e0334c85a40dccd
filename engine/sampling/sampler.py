"""One denoising step for any number of trajectories, in one pass of the generator."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from engine.planning import ActionSegment, Plan, Segment, SoundSegment, VisionSegment, is_denoised
from engine.sampling.solvers import State, stochastic_step, unipc_step
from engine.sampling.step_cache import computed, kept
from engine.sampling.trajectory import Computed, Noise, Step, Trajectory, pins
from engine.towers import Generator, OmniModel, Pack, Prefix, PromptReader, rope_tables

MAX_PROMPTS = 16

MAX_TOKENS = 8192
"""Of all kept prompts together: 1.2 GB for Nano, whose prefixes take 144 KiB a token."""


class PrefixStore:
    """Prefixes by their tokens, the least recently used given up first. One thread's own.

    Attributes:
        adapter: the active one; a prefix belongs to the adapter that it was read with.
    """

    def __init__(self, model: OmniModel) -> None:
        self.adapter: Hashable = None
        self._reader = PromptReader(model.reasoner)
        self._kept: OrderedDict[tuple[Hashable, tuple[int, ...]], Prefix] = OrderedDict()

    def of(self, prompts: Sequence[tuple[int, ...]]) -> tuple[Prefix, ...]:
        """What the reasoner leaves of each of these prompts; those that are not kept from before are read together."""
        keys = [(self.adapter, tokens) for tokens in prompts]
        missing = [key for key in dict.fromkeys(keys) if key not in self._kept]
        if missing:
            read = self._reader.read([tokens for _, tokens in missing], self.adapter)
            self._kept.update(zip(missing, read, strict=True))
        for key in keys:
            self._kept.move_to_end(key)
        prefixes = tuple(self._kept[key] for key in keys)
        while len(self._kept) > 1 and (len(self._kept) > MAX_PROMPTS or self._num_tokens() > MAX_TOKENS):
            self._kept.popitem(last=False)
        return prefixes

    def _num_tokens(self) -> int:
        return sum(len(tokens) for _, tokens in self._kept)

    def clear(self) -> None:
        """Give all of them up."""
        self._kept.clear()

    def forget(self) -> None:
        """Give up what reads weights where they are now, too."""
        self.clear()
        self._reader.forget()


def prepare(model: OmniModel, prefixes: PrefixStore, plan: Plan, noise: Noise | None = None) -> Trajectory:
    """Everything that a plan needs before its first step: prompts read, timesteps embedded, noise drawn.

    Args:
        noise: of the plan that this one continues; a first plan starts from its seed.
    """
    noise = noise or Noise(plan.seed)
    timesteps = torch.tensor(plan.schedule.timesteps, device=model.device)
    pinned = tuple(pins(segment, model.device, model.dtype) for segment in plan.segments)
    return Trajectory(
        plan=plan,
        prefixes=prefixes.of([branch.tokens for branch in plan.branches]),
        ropes=tuple(
            rope_tables(model.config, branch.positions.to(model.device), model.dtype) for branch in plan.branches
        ),
        times=model.generator.timesteps(timesteps).to(model.dtype),
        pins=pinned,
        latents=[
            pin.latents(latents.to(model.device))
            for pin, latents in zip(pinned, _first_latents(plan, noise), strict=True)
        ],
        states=[State() for _ in plan.segments],
        noise=noise,
        adapter=prefixes.adapter,
    )


def _first_latents(plan: Plan, noise: Noise) -> list[Tensor]:
    """Noise of each segment, also where it is given, so that a seed means the same; a control is only ever given."""
    return [
        torch.empty(segment.shape) if segment.is_control else noise.draw(segment.shape) for segment in plan.segments
    ]


Evaluate = Callable[[Tensor, Pack], Tensor]
"""What `Generator.forward` does: the embedded tokens of a pack [S, H] → [S, H]."""


def denoise(model: OmniModel, steps: Sequence[Step], evaluate: Evaluate | None = None) -> None:
    """Make all these steps. What is packed together changes no result beyond rounding (1e-5).

    All trajectories were begun with the active adapter.

    Args:
        evaluate: the pass through the generator; none is the model's own.
    """
    velocities = _velocities(model, steps, evaluate or model.generator)
    moved = [_move(step, own) for step, own in zip(steps, velocities, strict=True)]
    # All of it or, where memory runs out before, nothing.
    for step, (latents, states, left) in zip(steps, moved, strict=True):
        trajectory = step.trajectory
        trajectory.latents, trajectory.states, trajectory.computed = latents, states, left
        trajectory.num_kept += step.is_kept
        trajectory.step += 1


def _velocities(model: OmniModel, steps: Sequence[Step], evaluate: Evaluate) -> list[Mapping[int, Tensor]]:
    """The velocity of each denoised segment of each of them, float32, in one pass for those that keep none."""
    passing = [step for step in steps if not step.is_kept]
    passed = iter(_pass(model, passing, evaluate) if passing else ())
    return [kept(step.trajectory) if step.is_kept else next(passed) for step in steps]


def _pass(model: OmniModel, steps: Sequence[Step], evaluate: Evaluate) -> list[Mapping[int, Tensor]]:
    """The same of steps that all need the pass."""
    tokens: list[Tensor] = []
    for step in steps:
        embedded = _embed(model, step.trajectory)
        seen = [step.trajectory.plan.branches[branch].segments for branch in step.branches]
        tokens += [embedded[segment] for segments in seen for segment in segments]
    sequences = [(step.trajectory, branch) for step in steps for branch in step.branches]
    averages = tuple(trajectory.plan.branches[branch].average for trajectory, branch in sequences)
    pack = Pack(
        lengths=tuple(trajectory.plan.branches[branch].num_tokens for trajectory, branch in sequences),
        prefixes=tuple(trajectory.prefixes[branch] for trajectory, branch in sequences),
        ropes=tuple(trajectory.ropes[branch] for trajectory, branch in sequences),
        averages=averages if any(averages) else (),
        precise=tuple(_is_precise(model, trajectory) for trajectory, _ in sequences),
    )
    out = evaluate(torch.cat(tokens), pack).split([step.trajectory.num_tokens for step in steps])
    return [_combine(model, step, own) for step, own in zip(steps, out, strict=True)]


def _embed(model: OmniModel, trajectory: Trajectory) -> list[Tensor]:
    """Diffusion tokens [S, H] of each segment; all branches see the same latents."""
    time = trajectory.times[trajectory.index]
    return [
        pin.timed(embed(model.generator, segment, latents), time)
        for segment, pin, latents in zip(trajectory.plan.segments, trajectory.pins, trajectory.latents, strict=True)
    ]


def _is_precise(model: OmniModel, trajectory: Trajectory) -> bool:
    """Whether the step rounds no inputs on a generator in FP8."""
    return model.generator.precise_steps.holds(trajectory.index, trajectory.plan.schedule.num_steps)


def _combine(model: OmniModel, step: Step, out: Tensor) -> Mapping[int, Tensor]:
    """The velocity of each denoised segment, float32: the branches' outputs in the proportions of the plan."""
    plan, factors = step.trajectory.plan, step.trajectory.factors
    total: dict[int, Tensor] = {}
    lengths = [plan.branches[branch].num_tokens for branch in step.branches]
    for branch, rows in zip(step.branches, out.split(lengths), strict=True):
        seen = plan.branches[branch].segments
        parts = rows.split([plan.segments[index].num_tokens for index in seen])
        for index, part in zip(seen, parts, strict=True):
            if is_denoised(plan.segments[index]):
                velocity = read(model.generator, plan.segments[index], part) * factors[branch]
                total[index] = total[index] + velocity if index in total else velocity
    return {index: step.trajectory.pins[index].velocity(velocity) for index, velocity in total.items()}


class _Moved(NamedTuple):
    """What a trajectory has after a step; see there."""

    latents: list[Tensor]
    states: list[State]
    computed: Computed | None


def _move(step: Step, velocities: Mapping[int, Tensor]) -> _Moved:
    """Each segment's latents at the next noise level, and the solver's state there."""
    trajectory = step.trajectory
    schedule = trajectory.plan.schedule
    moved = _Moved([], [], trajectory.computed if step.is_kept else computed(trajectory, velocities))
    for index, (latents, state) in enumerate(zip(trajectory.latents, trajectory.states, strict=True)):
        if index in velocities:
            if schedule.is_stochastic:
                noise = trajectory.noise.draw(latents.shape).to(latents.device)
                latents, state = stochastic_step(latents, velocities[index], trajectory.index, schedule.sigmas, noise)
            else:
                latents, state = unipc_step(latents, velocities[index], trajectory.index, schedule.sigmas, state)
            latents = trajectory.pins[index].latents(latents)
        moved.latents.append(latents)
        moved.states.append(state)
    return moved


def embed(generator: Generator, segment: Segment, latents: Tensor) -> Tensor:
    """A segment's latents → its tokens [S, H], without their timestep."""
    match segment:
        case VisionSegment():
            return generator.embed_vision(latents)
        case SoundSegment():
            assert generator.sound is not None
            return generator.sound.embed(latents)
        case ActionSegment():
            assert generator.action is not None
            return generator.action.embed(latents, segment.domain)


def read(generator: Generator, segment: Segment, tokens: Tensor) -> Tensor:
    """A segment's output tokens [S, H] → its velocity, of its shape, float32."""
    match segment:
        case VisionSegment():
            return generator.read_vision(tokens, segment.shape)
        case SoundSegment():
            assert generator.sound is not None
            return generator.sound.read(tokens)
        case ActionSegment():
            assert generator.action is not None
            return generator.action.read(tokens, segment.domain)

"""One denoising step for any number of trajectories, in one pass of the generator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from engine.planning import Plan, is_denoised
from engine.sampling.euler import stochastic_step
from engine.sampling.noise import Noise
from engine.sampling.pins import pins
from engine.sampling.prefixes import PrefixStore
from engine.sampling.step_cache import computed
from engine.sampling.tokens import embed, read
from engine.sampling.trajectory import Trajectory
from engine.sampling.unipc import State, unipc_step
from engine.towers import OmniModel, Pack, rope_tables


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
        prefixes=tuple(prefixes.prefix(branch.tokens) for branch in plan.branches),
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
        worn=prefixes.worn,
    )


def _first_latents(plan: Plan, noise: Noise) -> list[Tensor]:
    """Noise of each segment, also where it is given, so that a seed means the same; a control is only ever given."""
    return [
        torch.empty(segment.shape) if segment.is_control else noise.draw(segment.shape) for segment in plan.segments
    ]


Evaluate = Callable[[Tensor, Pack], Tensor]
"""What `Generator.forward` does: the embedded tokens of a pack [S, H] → [S, H]."""


def denoise(
    model: OmniModel, trajectories: Sequence[Trajectory], kept: Sequence[bool], evaluate: Evaluate | None = None
) -> None:
    """Move every trajectory by one step. What is packed together changes no result beyond rounding (1e-5).

    All of them were begun with the adapter that the model wears.

    Args:
        kept: which of them take the velocity that they computed last, see `kept_steps`; the others share a pass.
        evaluate: the pass through the generator; none is the model's own.
    """
    passing = [trajectory for trajectory, is_kept in zip(trajectories, kept, strict=True) if not is_kept]
    passed = iter(_pass(model, passing, evaluate or model.generator) if passing else [])
    velocities = [
        _kept_velocities(trajectory) if is_kept else next(passed)
        for trajectory, is_kept in zip(trajectories, kept, strict=True)
    ]
    moved = [_solve(trajectory, own) for trajectory, own in zip(trajectories, velocities, strict=True)]
    last = [
        trajectory.computed if is_kept else computed(trajectory, own)
        for trajectory, is_kept, own in zip(trajectories, kept, velocities, strict=True)
    ]
    # All of it or, where memory runs out before, nothing.
    for trajectory, is_kept, segments, left in zip(trajectories, kept, moved, last, strict=True):
        trajectory.latents = [latents for latents, _ in segments]
        trajectory.states = [state for _, state in segments]
        trajectory.computed = left
        trajectory.num_kept += is_kept
        trajectory.step += 1


def _pass(model: OmniModel, trajectories: Sequence[Trajectory], evaluate: Evaluate) -> list[dict[int, Tensor]]:
    """The velocity of each denoised segment of each of them, float32, in one pass of the generator."""
    tokens: list[Tensor] = []
    lengths: list[int] = []
    for trajectory in trajectories:
        embedded = _embed(model, trajectory)
        for branch in _active(trajectory):
            tokens += [embedded[segment] for segment in trajectory.plan.branches[branch].segments]
            lengths.append(trajectory.plan.branches[branch].num_tokens)
    averages = tuple(
        trajectory.plan.branches[branch].average for trajectory in trajectories for branch in _active(trajectory)
    )
    pack = Pack(
        lengths=tuple(lengths),
        prefixes=tuple(trajectory.prefixes[i] for trajectory in trajectories for i in _active(trajectory)),
        ropes=tuple(trajectory.ropes[i] for trajectory in trajectories for i in _active(trajectory)),
        averages=averages if any(averages) else (),
        precise=tuple(_is_precise(model, trajectory) for trajectory in trajectories for _ in _active(trajectory)),
    )
    out = evaluate(torch.cat(tokens), pack)
    sizes = [trajectory.num_tokens for trajectory in trajectories]
    return [_velocities(model, trajectory, own) for trajectory, own in zip(trajectories, out.split(sizes), strict=True)]


def _kept_velocities(trajectory: Trajectory) -> Mapping[int, Tensor]:
    assert trajectory.computed is not None
    return trajectory.computed.velocities


def _active(trajectory: Trajectory) -> tuple[int, ...]:
    return trajectory.plan.active(trajectory.index)


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


def _velocities(model: OmniModel, trajectory: Trajectory, out: Tensor) -> dict[int, Tensor]:
    """The velocity of each denoised segment, float32: the branches' outputs in the proportions of the plan."""
    plan = trajectory.plan
    active = _active(trajectory)
    total: dict[int, Tensor] = {}
    for branch, rows in zip(active, out.split([plan.branches[i].num_tokens for i in active]), strict=True):
        seen = plan.branches[branch].segments
        parts = rows.split([plan.segments[i].num_tokens for i in seen])
        for index, part in zip(seen, parts, strict=True):
            if is_denoised(plan.segments[index]):
                velocity = read(model.generator, plan.segments[index], part) * plan.factors[trajectory.index][branch]
                total[index] = total[index] + velocity if index in total else velocity
    return {index: trajectory.pins[index].velocity(velocity) for index, velocity in total.items()}


def _solve(trajectory: Trajectory, velocities: Mapping[int, Tensor]) -> list[tuple[Tensor, State]]:
    """Each segment's latents at the next noise level, and the solver's state there."""
    schedule = trajectory.plan.schedule
    moved: list[tuple[Tensor, State]] = []
    for index, (latents, state) in enumerate(zip(trajectory.latents, trajectory.states, strict=True)):
        if index in velocities:
            if schedule.is_stochastic:
                noise = trajectory.noise.draw(latents.shape).to(latents.device)
                latents, state = stochastic_step(latents, velocities[index], trajectory.index, schedule.sigmas, noise)
            else:
                latents, state = unipc_step(latents, velocities[index], trajectory.index, schedule.sigmas, state)
            latents = trajectory.pins[index].latents(latents)
        moved.append((latents, state))
    return moved

"""One denoising step for any number of trajectories, in one pass of the generator."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.planning import Plan
from engine.sampling.noise import draw_noise
from engine.sampling.prefixes import PrefixStore
from engine.sampling.trajectory import Trajectory
from engine.sampling.unipc import State, unipc_step
from engine.towers import OmniModel, Pack, Rope, rope_tables


def prepare(model: OmniModel, prefixes: PrefixStore, plan: Plan) -> Trajectory:
    """Everything that a plan needs before its first step: prompts read, timesteps embedded, noise drawn."""
    positions = torch.cat([branch.positions for branch in plan.branches], 1).to(model.device)
    timesteps = torch.tensor(plan.schedule.timesteps, device=model.device)
    noise = draw_noise([segment.shape for segment in plan.segments], plan.seed)
    return Trajectory(
        plan=plan,
        prefixes=tuple(prefixes.prefix(branch.tokens) for branch in plan.branches),
        rope=rope_tables(model.config, positions, model.dtype),
        times=model.generator.timesteps(timesteps).to(model.dtype),
        latents=[latents.to(model.device) for latents in noise],
        states=[State() for _ in noise],
    )


def denoise(model: OmniModel, trajectories: Sequence[Trajectory]) -> None:
    """Move every trajectory by one step. What is packed together changes no result beyond rounding (1e-5)."""
    tokens: list[Tensor] = []
    layouts: list[Pack] = []
    for trajectory in trajectories:
        embedded = _embed(model, trajectory)
        layout = _layout(trajectory)
        tokens += [embedded] * len(layout.lengths)
        layouts.append(layout)
    out = model.generator(torch.cat(tokens), _join(layouts))
    sizes = [sum(layout.lengths) for layout in layouts]
    moved = [
        _solve(trajectory, _velocities(model, trajectory, own))
        for trajectory, own in zip(trajectories, out.split(sizes), strict=True)
    ]
    for trajectory, segments in zip(trajectories, moved, strict=True):
        trajectory.latents = [latents for latents, _ in segments]
        trajectory.states = [state for _, state in segments]
        trajectory.step += 1


def _embed(model: OmniModel, trajectory: Trajectory) -> Tensor:
    """Diffusion tokens [S, H] of one branch; all branches see the same latents."""
    time = trajectory.times[trajectory.step]
    parts = [model.generator.embed_vision(latents, time) for latents in trajectory.latents]
    return torch.cat(parts) if len(parts) > 1 else parts[0]


def _layout(trajectory: Trajectory) -> Pack:
    """The branches that this step evaluates."""
    length = trajectory.plan.tokens_per_branch
    active = trajectory.plan.active(trajectory.step)
    rope = trajectory.rope
    if len(active) < len(trajectory.prefixes):
        rope = _join_ropes([Rope(*(table[i * length : (i + 1) * length] for table in rope)) for i in active])
    return Pack((length,) * len(active), tuple(trajectory.prefixes[i] for i in active), rope)


def _join(layouts: list[Pack]) -> Pack:
    if len(layouts) == 1:
        return layouts[0]
    return Pack(
        tuple(length for layout in layouts for length in layout.lengths),
        tuple(prefix for layout in layouts for prefix in layout.prefixes),
        _join_ropes([layout.rope for layout in layouts]),
    )


def _join_ropes(ropes: list[Rope]) -> Rope:
    if len(ropes) == 1:
        return ropes[0]
    return Rope(torch.cat([rope.cos for rope in ropes]), torch.cat([rope.sin for rope in ropes]))


def _velocities(model: OmniModel, trajectory: Trajectory, out: Tensor) -> list[Tensor]:
    """Each segment's velocity, float32: the branches' outputs in the proportions of the plan."""
    plan = trajectory.plan
    total: list[Tensor] = []
    for branch, rows in zip(plan.active(trajectory.step), out.split(plan.tokens_per_branch), strict=True):
        factor = plan.factors[trajectory.step][branch]
        parts = rows.split([segment.num_tokens for segment in plan.segments])
        velocities = [
            model.generator.read_vision(part, segment.shape) * factor
            for part, segment in zip(parts, plan.segments, strict=True)
        ]
        total = velocities if not total else [sum_ + own for sum_, own in zip(total, velocities, strict=True)]
    return total


def _solve(trajectory: Trajectory, velocities: list[Tensor]) -> list[tuple[Tensor, State]]:
    """Each segment's latents at the next noise level, and the solver's state there."""
    sigmas = trajectory.plan.schedule.sigmas
    return [
        unipc_step(latents, velocity, trajectory.step, sigmas, state)
        for latents, velocity, state in zip(trajectory.latents, velocities, trajectory.states, strict=True)
    ]

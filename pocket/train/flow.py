"""Rectified flow over batches: noise at levels of its own for each modality, and the error of the velocity."""

from __future__ import annotations

from itertools import chain

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from engine.planning import ActionSegment, SoundSegment, VisionSegment
from engine.towers import OmniModel
from engine.towers.generator import Generator
from engine.towers.patches import patchify, unpatchify
from engine.weights import ModelConfig
from pocket.train.modes import Batch, Run
from pocket.train.noise import SHIFT, draw_sigmas
from pocket.train.passes import denoise, onto, read_prompts

ACTION_SCALE = 2.0
"""On the loss of actions. The report has 10 (4.2.2), for values in rad; in the units of `pocket.train.acting` squares
are some 20 times as large, and what is much larger than the loss of pictures slows them: Adam goes by the largest."""

POINTING_SCALE = 0.2
"""On that of where things are, in squares of 10 cm."""

POLICY_SHIFT = 5.0
"""Of what policies are sampled with (report, table 21): their frames and actions are drawn at the same level."""


def flow_loss(
    model: OmniModel, batch: Batch, *, trains_reasoner: bool, pointer: nn.Module | None = None
) -> tuple[Tensor, dict[str, float | Tensor]]:
    """The mean squared error of the velocity on what is denoised, summed over modalities.

    Args:
        trains_reasoner: let gradients into what the reasoner leaves of prompts.
        pointer: from the state's token [B, H] to where things are, asked of policies; no part of a checkpoint.
    """
    device = model.device
    tokens, lengths = _padded(batch.prompts, device)
    with torch.set_grad_enabled(trains_reasoner):
        prompts = read_prompts(model, tokens, lengths)
    noisy, targets, times = _noised(batch, device)
    with torch.autocast(device.type, enabled=False):
        embedded = [None if time is None else model.generator.timesteps(1000 * time) for time in times]
    parts = [
        embed_run(model.generator, run, values, time)
        for run, values, time in zip(batch.runs, noisy, embedded, strict=True)
    ]
    positions = batch_positions(batch, lengths, model.config)
    out = denoise(model, torch.cat(parts, 1), positions, prompts)
    loss = out.new_zeros((), dtype=torch.float32)
    shown: dict[str, float | Tensor] = {}
    sizes = [run.segment.num_tokens for run in batch.runs]
    for run, target, tokens_out in zip(batch.runs, targets, out.split(sizes, 1), strict=True):
        if run.is_denoised:
            name, error = _error(model.generator, run, target, tokens_out)
            loss = loss + error * (ACTION_SCALE if name == "action" else 1.0)
            shown[f"{batch.mode}_{name}"] = error.detach()
        if pointer is not None and batch.places is not None and isinstance(run.segment, ActionSegment):
            error, named = pointing_error(pointer(tokens_out[:, 0].float()), batch.places.to(device))
            loss, shown = loss + POINTING_SCALE * error, {**shown, "pointing": error.detach(), "pointing_named": named}
    return loss, shown


def pointing_error(said: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
    """Mean square errors of what is said [B, NUM_PLACES * 3]: of the named thing and of all colours, and of the first.

    A policy of this size that is shown actions alone lifts something, but not what was named: it is told to look.
    """
    error = (said.view_as(places) - places.nan_to_num()).square() * places.isfinite()
    named, colours = (part.sum() / 3 for part in error.split([1, places.shape[1] - 1], 1))
    count_named, count_colours = (
        part.isfinite().all(2).sum().clamp_min(1) for part in places.split([1, places.shape[1] - 1], 1)
    )
    return named / count_named + colours / count_colours, (named / count_named).detach()


def batch_positions(batch: Batch, lengths: Tensor, config: ModelConfig) -> Tensor:
    """Places of all diffusion tokens [3, B, S]: those behind an empty prompt, moved in time by each prompt's length."""
    base = torch.cat([run.segment.positions(config, 0) for run in batch.runs], 1).to(lengths.device)
    moved = base[:, None].repeat(1, len(lengths), 1)
    if config.unified_3d_mrope_reset_spatial_ids:
        moved[0] += lengths[:, None]
    else:
        moved += lengths[:, None]
    return moved


def embed_run(generator: Generator, run: Run, values: Tensor, time: Tensor | None) -> Tensor:
    """A run's latents [B, *shape] → tokens [B, S, H], with the timestep [B, H] on those that are denoised.

    In float32 also where products are bfloat16: what blocks add to is then float32, and a joint's angle, which has to
    come through all of them to a hundredth of a radian, is not rounded to one at every block. See `read_run`.
    """
    batch = len(values)
    match run.segment:
        case VisionSegment():
            cells = values.transpose(0, 1).flatten(1, 2)  # [C, B * T, rows, columns]
            tokens = generator.patch_in(patchify(cells, run.segment.patch)).unflatten(0, (batch, -1))
        case SoundSegment():
            assert generator.sound is not None
            tokens = generator.sound.embedding(values.transpose(1, 2)) + generator.sound.modality
        case ActionSegment():
            assert generator.action is not None
            with torch.autocast(values.device.type, enabled=False):
                tokens = generator.action.embed(values.flatten(0, 1), run.segment.domain).unflatten(0, (batch, -1))
    tokens = tokens.float()
    if time is None:
        return tokens
    steps = (~run.given).repeat_interleave(run.segment.num_tokens // len(run.given))
    return tokens + time[:, None] * steps[:, None].to(time)


def read_run(generator: Generator, run: Run, tokens: Tensor) -> Tensor:
    """Output tokens [B, S, H] of a run → velocities [B, *shape] float32."""
    batch = len(tokens)
    match run.segment:
        case VisionSegment():
            channels, length, rows, columns = run.segment.shape
            shape = (channels, batch * length, rows, columns)
            cells = unpatchify(generator.patch_out(tokens).flatten(0, 1), shape, run.segment.patch)
            return cells.unflatten(1, (batch, length)).transpose(0, 1).float()
        case SoundSegment():
            assert generator.sound is not None
            return generator.sound.reading(tokens).transpose(1, 2).float()
        case ActionSegment():
            assert generator.action is not None
            with torch.autocast(tokens.device.type, enabled=False):
                read = generator.action.read(tokens.float().flatten(0, 1), run.segment.domain)
            return read.unflatten(0, (batch, -1))


def _noised(batch: Batch, device: torch.device) -> tuple[list[Tensor], list[Tensor], list[Tensor | None]]:
    """Of each run: its latents at a level of noise where they are denoised, the velocity there, and the levels [B]."""
    count = len(batch.prompts)
    shared = _vision_levels(batch, count, device)
    noisy: list[Tensor] = []
    targets: list[Tensor] = []
    levels: list[Tensor | None] = []
    for run in batch.runs:
        clean = run.values.to(device)
        if not run.is_denoised:
            noisy.append(clean)
            targets.append(clean)
            levels.append(None)
            continue
        level = draw_sigmas(count, "logit_normal", device) if isinstance(run.segment, SoundSegment) else shared
        noise = torch.randn_like(clean)
        if isinstance(run.segment, ActionSegment):
            # Values that a body does not have are 0 in the noise too, as the engine has them.
            noise[..., run.segment.width :] = 0
        at = level.view(-1, *[1] * (clean.ndim - 1))
        given = _along(run, run.given.to(device))
        noisy.append(torch.where(given, clean, at * noise + (1 - at) * clean))
        targets.append(noise - clean)
        levels.append(level)
    return noisy, targets, levels


def _vision_levels(batch: Batch, count: int, device: torch.device) -> Tensor:
    """Those of frames, and of actions beside them: clips by mode sampling, all else logit-normal."""
    acts = any(isinstance(run.segment, ActionSegment) for run in batch.runs)
    moves = any(isinstance(run.segment, VisionSegment) and run.segment.shape[1] > 1 for run in batch.runs)
    density = "mode" if moves and not acts else "logit_normal"
    return draw_sigmas(count, density, device, POLICY_SHIFT if acts else SHIFT)


def _error(generator: Generator, run: Run, target: Tensor, tokens: Tensor) -> tuple[str, Tensor]:
    velocity = read_run(generator, run, tokens)
    axis = 1 + run.segment.time_axis
    steps = (~run.given).nonzero()[:, 0].to(velocity.device)
    velocity, target = velocity.index_select(axis, steps), target.index_select(axis, steps)
    match run.segment:
        case ActionSegment():
            width = run.segment.width
            return "action", mse_loss(velocity[..., :width], target[..., :width])
        case SoundSegment():
            return "sound", mse_loss(velocity, target)
        case VisionSegment():
            return "vision", mse_loss(velocity, target)


def _along(run: Run, steps: Tensor) -> Tensor:
    """Something of each step [T], to be broadcast over [B, *shape]."""
    shape = [1] * (1 + len(run.segment.shape))
    shape[1 + run.segment.time_axis] = len(steps)
    return steps.view(shape)


def _padded(prompts: tuple[tuple[int, ...], ...], device: torch.device) -> tuple[Tensor, Tensor]:
    lengths = np.array([len(prompt) for prompt in prompts])
    tokens = np.zeros((len(prompts), lengths.max()), np.int64)
    tokens[np.arange(tokens.shape[1]) < lengths[:, None]] = np.fromiter(
        chain.from_iterable(prompts), np.int64, lengths.sum()
    )
    return onto(tokens, device), onto(lengths, device)

"""Runs of latents to the generator's tokens, its output tokens to velocities, and where tokens stand."""

from __future__ import annotations

import torch
from torch import Tensor

from engine.planning import ActionSegment, SoundSegment, VisionSegment
from engine.towers.generator import Generator
from engine.towers.modalities import patchify, unpatchify
from engine.weights import ModelConfig
from tuning.flow.batch import Batch, TokenRun


def embed_run(generator: Generator, run: TokenRun, values: Tensor, time: Tensor | None) -> Tensor:
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


def read_run(generator: Generator, run: TokenRun, tokens: Tensor) -> Tensor:
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


def batch_positions(batch: Batch, lengths: Tensor, config: ModelConfig) -> Tensor:
    """Places of all diffusion tokens [3, B, S]: those behind an empty prompt, moved in time by each prompt's length."""
    return moved_behind(base_positions(batch, config).to(lengths.device), lengths, config)


def base_positions(batch: Batch, config: ModelConfig) -> Tensor:
    """Places of the diffusion tokens behind an empty prompt, float32 [3, S]."""
    return torch.cat([run.segment.positions(config, 0) for run in batch.runs], 1)


def moved_behind(base: Tensor, lengths: Tensor, config: ModelConfig) -> Tensor:
    """What `base_positions` gives, behind prompts of these lengths, [3, B, S]."""
    moved = base[:, None].repeat(1, len(lengths), 1)
    if config.unified_3d_mrope_reset_spatial_ids:
        moved[0] += lengths[:, None]
    else:
        moved += lengths[:, None]
    return moved

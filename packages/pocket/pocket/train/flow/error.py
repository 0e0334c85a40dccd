"""Rectified flow over batches: noise at levels of its own for each modality, and the error of the velocity.

Levels are drawn as in the technical report (4.2): one for each modality of each sequence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from engine.planning import ActionSegment, Segment, SoundSegment, VisionSegment
from engine.towers import OmniModel
from engine.towers.generator import Generator
from engine.towers.modalities import patchify, unpatchify
from engine.weights import ModelConfig
from pocket.train.flow.modes import DRAWS, Batch, TokenRun
from pocket.train.flow.pointing import Pointer, Squares, shown_where
from pocket.train.passes import denoise, onto, read_prompts
from pocket.train.recorded import Recorded

MODE_SCALE = 1.29
"""Of mode sampling, as in Stable Diffusion 3 (arXiv 2403.03206, section 3.1), from where the report has it."""

SHIFT = 3.0
"""At 256p since mid-training (report, 4.2.2)."""

Density = Literal["logit_normal", "mode"]
"""Pictures, sound and actions are drawn from the first, clips from the second."""


def draw_sigmas(count: int, density: Density, device: torch.device, shift: float = SHIFT) -> Tensor:
    """Levels [count] float32 in 0..1, 1 is noise, from the global random state."""
    if density == "logit_normal":
        level = torch.randn(count, device=device).sigmoid()
    else:
        u = torch.rand(count, device=device)
        level = (1 - u - MODE_SCALE * ((math.pi / 2 * u).cos().square() - 1 + u)).clamp(0, 1)
    return shift * level / (1 + (shift - 1) * level)


ACTION_SCALE = 2.0
"""On the loss of actions. The report has 10 (4.2.2), for values in rad; in the units of `pocket.train.acting` squares
are some 20 times as large, and what is much larger than the loss of pictures slows them: Adam goes by the largest."""

POINTING_SCALE = 0.2
"""On that of where things are, in squares of 10 cm."""

SQUARES_SCALE = 0.01
"""On that of what covers each square of a picture, which is some forty times that of its velocity."""

POLICY_SHIFT = 5.0
"""Of what policies are sampled with (report, table 21): their frames and actions are drawn at the same level."""


class FlowError:
    """The mean squared error of the velocity on what is denoised, summed over modalities, for batches of one form.

    Args:
        batch: one of them: its values are not kept.
        trains_reasoner: let gradients into what the reasoner leaves of prompts.
        pointer: asked of policies where things are.
        squares: asked of pictures what stands where.

    Attributes:
        names: of what is told beside the loss.
    """

    def __init__(
        self,
        model: OmniModel,
        batch: Batch,
        *,
        trains_reasoner: bool = False,
        pointer: Pointer | None = None,
        squares: Squares | None = None,
    ) -> None:
        self._model, self._trains_reasoner = model, trains_reasoner
        self._pointer = pointer if batch.places is not None else None
        self._squares = squares if batch.squares is not None else None
        self._draws = DRAWS.get(batch.mode, 1)
        # On the device before a step is recorded: a graph cannot fetch anything from the host.
        self._runs = [TokenRun(run.segment, torch.empty(0), run.given.to(model.device)) for run in batch.runs]
        self._denoised = [(~run.given).nonzero()[:, 0].to(model.device) for run in batch.runs]
        self.names = tuple(f"{batch.mode}_{_modality(run)}" for run in batch.runs if run.is_denoised)
        if self._pointer is not None:
            self.names += Pointer.names
        if self._squares is not None:
            self.names += Squares.names

    def __call__(self, *posed: Tensor) -> tuple[Tensor, ...]:
        """What `pose` gives of a batch → the loss, and what `names` are of."""
        tokens, lengths, places, *values = posed
        with torch.set_grad_enabled(self._trains_reasoner):
            prompts = read_prompts(self._model, tokens, lengths).repeated(self._draws)
        values = [value.repeat(self._draws, *[1] * (value.ndim - 1)) for value in values]
        generator = self._model.generator
        noisy, targets, times = self._noised(values)
        with torch.autocast(tokens.device.type, enabled=False):
            embedded = [None if time is None else generator.timesteps(1000 * time) for time in times]
        parts = [
            embed_run(generator, run, own, time) for run, own, time in zip(self._runs, noisy, embedded, strict=True)
        ]
        moved = _moved(places, prompts.lengths, self._model.config)
        out, halfway = denoise(self._model, torch.cat(parts, 1), moved, prompts)
        sizes = [run.segment.num_tokens for run in self._runs]
        errors: list[Tensor] = []
        loss = out.new_zeros((), dtype=torch.float32)
        for index, read in enumerate(out.split(sizes, 1)):
            if times[index] is not None:
                error = self._error(index, targets[index], read)
                loss = loss + error * (ACTION_SCALE if _modality(self._runs[index]) == "action" else 1.0)
                errors.append(error.detach())
        if self._pointer is not None:
            state, picture = out.split(sizes, 1)[-1][:, 0], out[:, : values[-1].shape[1]]
            error, told = self._pointer.error(state.float(), picture.float(), *values[-2:])
            loss = loss + POINTING_SCALE * error
            errors += told
        if self._squares is not None:
            error, told = self._squares.error(halfway, values[-1])
            loss = loss + SQUARES_SCALE * error
            errors += told
        return loss, *errors

    def _noised(self, values: list[Tensor]) -> tuple[list[Tensor], list[Tensor], list[Tensor | None]]:
        """Of each run: its latents at a level of noise where they are denoised, the velocity there, the levels [B]."""
        device, count = values[0].device, len(values[0])
        shared = _vision_levels(self._runs, count, device)
        noisy: list[Tensor] = []
        targets: list[Tensor] = []
        levels: list[Tensor | None] = []
        for run, steps, clean in zip(self._runs, self._denoised, values, strict=False):
            if not len(steps):
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
            noisy.append(torch.where(_along(run), clean, at * noise + (1 - at) * clean))
            targets.append(noise - clean)
            levels.append(level)
        return noisy, targets, levels

    def _error(self, index: int, target: Tensor, tokens: Tensor) -> Tensor:
        run, steps = self._runs[index], self._denoised[index]
        velocity = read_run(self._model.generator, run, tokens)
        axis = 1 + run.segment.time_axis
        velocity, target = velocity.index_select(axis, steps), target.index_select(axis, steps)
        if isinstance(run.segment, ActionSegment):
            velocity, target = velocity[..., : run.segment.width], target[..., : run.segment.width]
        return mse_loss(velocity, target)


def pose(batch: Batch, model: OmniModel, *, prompt_step: int = 1) -> tuple[Tensor, ...]:
    """A batch on the model's device, as `FlowError` takes it.

    Args:
        prompt_step: prompts are filled up to a multiple of so many tokens, so that there are few forms.

    Returns:
        Tokens int64 [B, U] and how many of them count, int64 [B]; places of the diffusion tokens behind an empty
        prompt, float32 [3, S]; clean latents of each run; of policies where things are, and what is shown where; of
        pictures what covers each square.
    """
    device = model.device
    tokens, lengths = _padded(batch.prompts, device, prompt_step)
    places = torch.cat([run.segment.positions(model.config, 0) for run in batch.runs], 1)
    asked: list[Tensor] = []
    if batch.places is not None:
        shown = shown_where(batch.places, _grid(batch.runs[0].segment))
        asked = [onto(batch.places, device), onto(shown, device)]
    if batch.squares is not None:
        asked = [onto(batch.squares, device)]
    # Without waiting: a copy from pageable memory would first let the GPU finish all that it was given.
    return tokens, lengths, onto(places, device), *(onto(run.values, device) for run in batch.runs), *asked


def _grid(segment: Segment) -> tuple[int, int]:
    """(rows, columns) of tokens of a frame."""
    assert isinstance(segment, VisionSegment)
    return segment.shape[2] // segment.patch, segment.shape[3] // segment.patch


def form_of(batch: Batch, posed: Sequence[Tensor]) -> Hashable:
    """Batches of one form differ in values alone: one `FlowError` will do for them."""
    given = tuple(tuple(run.given.tolist()) for run in batch.runs)
    return batch.mode, given, tuple(part.shape for part in posed)


def batch_positions(batch: Batch, lengths: Tensor, config: ModelConfig) -> Tensor:
    """Places of all diffusion tokens [3, B, S]: those behind an empty prompt, moved in time by each prompt's length."""
    base = torch.cat([run.segment.positions(config, 0) for run in batch.runs], 1)
    return _moved(base.to(lengths.device), lengths, config)


def _moved(base: Tensor, lengths: Tensor, config: ModelConfig) -> Tensor:
    moved = base[:, None].repeat(1, len(lengths), 1)
    if config.unified_3d_mrope_reset_spatial_ids:
        moved[0] += lengths[:, None]
    else:
        moved += lengths[:, None]
    return moved


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


def _vision_levels(runs: Sequence[TokenRun], count: int, device: torch.device) -> Tensor:
    """Those of frames, and of actions beside them: clips by mode sampling, all else logit-normal."""
    acts = any(isinstance(run.segment, ActionSegment) for run in runs)
    moves = any(isinstance(run.segment, VisionSegment) and run.segment.shape[1] > 1 for run in runs)
    density = "mode" if moves and not acts else "logit_normal"
    return draw_sigmas(count, density, device, POLICY_SHIFT if acts else SHIFT)


def _modality(run: TokenRun) -> str:
    match run.segment:
        case ActionSegment():
            return "action"
        case SoundSegment():
            return "sound"
        case VisionSegment():
            return "vision"


def _along(run: TokenRun) -> Tensor:
    """Which steps are given, to be broadcast over [B, *shape]."""
    shape = [1] * (1 + len(run.segment.shape))
    shape[1 + run.segment.time_axis] = len(run.given)
    return run.given.view(shape)


def _padded(prompts: Sequence[NDArray[np.int64]], device: torch.device, step: int) -> tuple[Tensor, Tensor]:
    lengths = np.array([len(prompt) for prompt in prompts])
    tokens = np.zeros((len(prompts), -(-lengths.max() // step) * step), np.int64)
    tokens[np.arange(tokens.shape[1]) < lengths[:, None]] = np.concatenate(prompts)
    return onto(tokens, device), onto(lengths, device)


PROMPT_STEP = 64
"""Prompts are filled up to a multiple of so many tokens on a GPU: their lengths make most of the forms there are."""


class FlowSteps:
    """What a step of `generator` or `policy` minimises; on a GPU it is recorded for each form of a batch.

    Args:
        module: what the loss goes through.
        trains_reasoner: let gradients into what the reasoner leaves of prompts.
        pointer, squares: see `FlowError`.
        settle: see `Recorded`.
    """

    def __init__(
        self,
        model: OmniModel,
        module: nn.Module,
        *,
        trains_reasoner: bool,
        pointer: Pointer,
        squares: Squares,
        settle: Callable[[], None],
    ) -> None:
        self._model, self._trains_reasoner = model, trains_reasoner
        self._pointer, self._squares = pointer, squares
        self._errors: dict[Hashable, FlowError] = {}
        self._recorded = Recorded(module, settle)

    def loss(self, batch: Batch) -> tuple[Tensor, dict[str, float | Tensor]]:
        """The loss of a batch, and what the curves show of it."""
        posed = pose(batch, self._model, prompt_step=PROMPT_STEP if self._model.device.type == "cuda" else 1)
        form = form_of(batch, posed)
        if form not in self._errors:
            self._errors[form] = FlowError(
                self._model,
                batch,
                trains_reasoner=self._trains_reasoner,
                pointer=self._pointer,
                squares=self._squares,
            )
        error = self._errors[form]
        loss, *told = self._recorded(form, error, *posed)
        return loss, dict(zip(error.names, told, strict=True))

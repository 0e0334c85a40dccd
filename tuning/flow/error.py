"""The error of the generator's velocity over batches, at noise levels of its own for each modality (report, 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.planning import ActionSegment
from engine.towers import OmniModel
from tuning.flow.batch import Batch, TokenRun
from tuning.flow.levels import Levels
from tuning.flow.runs import base_positions, embed_run, moved_behind, read_run
from tuning.passes import denoise, onto, read_prompts
from tuning.recorded import Recorded


@dataclass(frozen=True)
class Hidden:
    """What the generator has computed.

    Attributes:
        out: its normalised output [B, S, H].
        halfway: what half of its layers have come to, the same shape.
        sizes: tokens of each run; they add up to S.
    """

    out: Tensor
    halfway: Tensor
    sizes: tuple[int, ...]


class Term(Protocol):
    """What is learnt beside the velocity, such as where things are."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of what is told."""
        ...

    def __call__(self, hidden: Hidden, *asked: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """What is added to the loss, and without gradients what `names` are of.

        Args:
            asked: `Batch.asked`, on the device.
        """
        ...


@dataclass(frozen=True)
class Measured:
    """The error of a batch.

    Attributes:
        loss: what is minimised.
        errors: by the place of a run that is denoised: of each sequence [B], without gradients.
        levels: of the same runs, [B].
        told: what the term tells.
    """

    loss: Tensor
    errors: Mapping[int, Tensor]
    levels: Mapping[int, Tensor]
    told: tuple[Tensor, ...]


class FlowError:
    """The mean squared error of the velocity on what is denoised, summed over modalities, for batches of one form.

    Args:
        batch: one of them: its values are not kept.
        trains_reasoner: let gradients into what the reasoner leaves of prompts.
        term: learnt beside it, of a batch that has something for it.
        checkpointed: compute each block again for its gradients instead of keeping what it has computed.
        are_even: the prompts of all batches are of one length, and not filled up.

    Attributes:
        names: of what is told beside the loss.
    """

    def __init__(
        self,
        model: OmniModel,
        batch: Batch,
        levels: Levels,
        *,
        trains_reasoner: bool = False,
        term: Term | None = None,
        checkpointed: bool = False,
        are_even: bool = False,
    ) -> None:
        self._model, self._levels, self._trains_reasoner = model, levels, trains_reasoner
        self._term = term if batch.asked else None
        self._checkpointed, self._are_even, self._draws = checkpointed, are_even, batch.draws
        # On the device before a step is recorded: a graph cannot fetch anything from the host.
        self._runs = [TokenRun(run.segment, torch.empty(0), run.given.to(model.device)) for run in batch.runs]
        self._denoised = [(~run.given).nonzero()[:, 0].to(model.device) for run in batch.runs]
        self.names = tuple(f"{batch.mode}_{run.modality}" for run in batch.runs if run.is_denoised)
        if self._term is not None:
            self.names += self._term.names

    def __call__(self, *posed: Tensor) -> tuple[Tensor, ...]:
        """What `pose` gives of a batch → the loss, and what `names` are of."""
        measured = self.measure(*posed)
        return measured.loss, *(error.mean() for error in measured.errors.values()), *measured.told

    def measure(self, *posed: Tensor) -> Measured:
        """What `pose` gives of a batch → its error, sequence by sequence."""
        tokens, lengths, places, *values = posed
        with torch.set_grad_enabled(self._trains_reasoner):
            left = read_prompts(self._model, tokens, lengths)
        prompts = replace(left, are_even=self._are_even).repeated(self._draws)
        values = [value.repeat(self._draws, *[1] * (value.ndim - 1)) for value in values]
        generator = self._model.generator
        noisy, targets, times = self._noised(values)
        with torch.autocast(tokens.device.type, enabled=False):
            embedded = [None if time is None else generator.timesteps(1000 * time) for time in times]
        parts = [
            embed_run(generator, run, own, time) for run, own, time in zip(self._runs, noisy, embedded, strict=True)
        ]
        moved = moved_behind(places, prompts.lengths, self._model.config)
        out, halfway = denoise(self._model, torch.cat(parts, 1), moved, prompts, checkpointed=self._checkpointed)
        sizes = tuple(run.segment.num_tokens for run in self._runs)
        loss = out.new_zeros((), dtype=torch.float32)
        errors: dict[int, Tensor] = {}
        for index, read in enumerate(out.split(sizes, 1)):
            if times[index] is not None:
                error = self._error(index, targets[index], read)
                weight = self._levels.action_weight if self._runs[index].modality == "action" else 1.0
                loss = loss + error.mean() * weight
                errors[index] = error.detach()
        told: tuple[Tensor, ...] = ()
        if self._term is not None:
            beside, told = self._term(Hidden(out, halfway, sizes), *values[len(self._runs) :])
            loss = loss + beside
        levels = {index: time for index, time in enumerate(times) if time is not None}
        return Measured(loss, errors, levels, told)

    def _noised(self, values: list[Tensor]) -> tuple[list[Tensor], list[Tensor], list[Tensor | None]]:
        """Of each run: its latents at a level of noise where they are denoised, the velocity there, the levels [B]."""
        device, count = values[0].device, len(values[0])
        shared = self._levels.of_vision(self._runs, count, device)
        noisy: list[Tensor] = []
        targets: list[Tensor] = []
        levels: list[Tensor | None] = []
        for run, steps, clean in zip(self._runs, self._denoised, values, strict=False):
            if not len(steps):
                noisy.append(clean)
                targets.append(clean)
                levels.append(None)
                continue
            level = self._levels.of_sound(count, device) if run.modality == "sound" else shared
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
        """Of each sequence, [B]."""
        run, steps = self._runs[index], self._denoised[index]
        velocity = read_run(self._model.generator, run, tokens)
        axis = 1 + run.segment.time_axis
        velocity, target = velocity.index_select(axis, steps), target.index_select(axis, steps)
        if isinstance(run.segment, ActionSegment):
            velocity, target = velocity[..., : run.segment.width], target[..., : run.segment.width]
        return (velocity - target).square().flatten(1).mean(1)


def pose(batch: Batch, model: OmniModel, *, prompt_step: int = 1) -> tuple[Tensor, ...]:
    """A batch on the model's device, as `FlowError` takes it.

    Args:
        prompt_step: prompts are filled up to a multiple of so many tokens, so that there are few forms.

    Returns:
        Tokens int64 [B, U] and how many of them count, int64 [B]; places of the diffusion tokens behind an empty
        prompt, float32 [3, S]; clean latents of each run; what its term is asked.
    """
    device = model.device
    tokens, lengths = _padded(batch.prompts, device, prompt_step)
    places = base_positions(batch, model.config)
    # Without waiting: a copy from pageable memory would first let the GPU finish all that it was given.
    values = [run.values for run in batch.runs]
    return tokens, lengths, onto(places, device), *(onto(part, device) for part in (*values, *batch.asked))


def form_of(batch: Batch, posed: Sequence[Tensor]) -> Hashable:
    """Batches of one form differ in values alone: one `FlowError` will do for them."""
    given = tuple(tuple(run.given.tolist()) for run in batch.runs)
    return batch.mode, given, tuple(part.shape for part in posed)


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
    """The error of batches of any form; on a GPU it is recorded for each form.

    Args:
        module: what the loss goes through.
        trains_reasoner: let gradients into what the reasoner leaves of prompts.
        terms: by mode, learnt beside the velocity.
        settle: see `Recorded`.
    """

    def __init__(
        self,
        model: OmniModel,
        module: nn.Module,
        levels: Levels,
        *,
        trains_reasoner: bool,
        terms: Mapping[str, Term],
        settle: Callable[[], None],
    ) -> None:
        self._model, self._levels, self._trains_reasoner, self._terms = model, levels, trains_reasoner, terms
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
                self._levels,
                trains_reasoner=self._trains_reasoner,
                term=self._terms.get(batch.mode),
            )
        error = self._errors[form]
        loss, *told = self._recorded(form, error, *posed)
        return loss, dict(zip(error.names, told, strict=True))

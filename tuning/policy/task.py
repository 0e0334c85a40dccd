"""A policy's training: what of the model learns, and the loss of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from engine.towers import OmniModel
from studio.tuning import PolicyRecipe
from tuning.flow.error import FlowError, Measured, pose
from tuning.flow.levels import Levels
from tuning.generator.task import FULL
from tuning.latents import LatentCache
from tuning.loop import Shown
from tuning.lora import LearningLora, put_on
from tuning.orders import Turns
from tuning.policy.sequences import PolicyDraw, PolicySequences
from tuning.policy.windows import PolicyWindow
from tuning.ranks import own_seed
from tuning.tally import Seen, Tally
from tuning.weights import fresh_values, tie_heads

ACTION = "generator.action."
"""Where the names of the parameters begin that belong to actions: encoder, decoder and embedding."""


def let_learn(model: OmniModel, recipe: PolicyRecipe) -> list[LearningLora]:
    """Let the parameters learn that a recipe trains, in float32; returns the layers of an adapter.

    What belongs to actions always learns: an adapter cannot hold it, and a new body needs it.
    """
    if recipe.lora is not None:
        layers, learning = put_on(model, "generator", recipe.lora, recipe.optimisation.seed), (ACTION,)
    else:
        model.requires_grad_(False)
        layers, learning = [], (ACTION, *(f"generator.{name}" for name in FULL))
    dice = torch.Generator().manual_seed(recipe.optimisation.seed)
    for name, parameter in model.named_parameters():
        if not name.startswith(learning):
            continue
        if recipe.fresh_heads and name.startswith(ACTION):
            parameter.data = fresh_values(name, parameter.shape, model.config, dice).to(parameter.device)
        else:
            parameter.data = parameter.data.float()
        parameter.requires_grad_(True)
    tie_heads(model)
    return layers


class PolicyTask:
    """The losses of a model on windows.

    Args:
        model: its parameters are let learn.
    """

    def __init__(
        self,
        model: OmniModel,
        recipe: PolicyRecipe,
        windows: Sequence[PolicyWindow],
        sequences: PolicySequences,
        cache: LatentCache,
        tally: Tally,
    ) -> None:
        self._model, self._recipe, self._windows = model, recipe, windows
        self._sequences, self._cache, self._tally = sequences, cache, tally
        self._turns = Turns(own_seed(recipe.optimisation.seed))
        self._levels = Levels(action_weight=recipe.action_weight)

    def draw(self, step: int) -> list[PolicyDraw]:
        """The sequences of a step: each window comes once before any comes again."""
        size = self._recipe.optimisation.batch_size
        return [self._draw(step * size + place) for place in range(size)]

    def loss(self, step: int) -> Iterator[tuple[Tensor, Shown]]:
        """Parts whose sum is the mean over the sequences of a step."""
        draws = self.draw(step)
        latents = [self._cache.read(draw.window) for draw in draws]
        for places, batch in self._sequences.batches(draws, latents):
            error = FlowError(
                self._model,
                batch,
                self._levels,
                checkpointed=self._recipe.optimisation.recomputes,
                are_even=batch.has_even_prompts,
            )
            measured = error.measure(*pose(batch, self._model))
            names = [draws[place].window.name for place in places]
            self._tell(names, [run.modality for run in batch.runs], measured)
            yield measured.loss * (len(places) / len(draws)), {}

    def _draw(self, place: int) -> PolicyDraw:
        dropped = float(torch.rand((), generator=self._turns.generator(place))) < self._recipe.text_dropout
        return PolicyDraw(self._windows[self._turns.nth(len(self._windows), place)], dropped)

    def _tell(self, names: list[str], modalities: list[str], measured: Measured) -> None:
        for run, errors in measured.errors.items():
            modality = modalities[run]
            self._tally.add(Seen(names, f"policy_{modality}", errors, modality, measured.levels[run]))

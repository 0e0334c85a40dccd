"""The generator's training: what of it learns, and the loss of a step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from torch import Tensor, nn

from engine.towers import OmniModel
from studio.tuning import GeneratorRecipe
from tuning.flow.error import FlowError, Measured, pose
from tuning.flow.levels import SHIFTS, Levels
from tuning.generator.data import ClipData
from tuning.generator.drawing import Drawer
from tuning.generator.latents import LatentCache
from tuning.generator.sequences import Draw
from tuning.loop import Shown
from tuning.lora import LearningLora, adapter_parameters, put_on
from tuning.tally import Seen, Tally
from tuning.weights import released_tensors, tie_heads

FULL = ("blocks.", "norm.", "timesteps.", "patch_in.", "patch_out.")
"""Of the generator, what a full training moves: `moe_gen`, `time_embedder`, `vae2llm` and `llm2vae` of the framework's
recipe (cosmos-framework, `vision_sft_nano.toml`)."""


def let_learn(model: OmniModel, recipe: GeneratorRecipe) -> list[LearningLora]:
    """Let the parameters learn that a recipe trains, in float32; returns the layers of an adapter."""
    if recipe.lora is not None:
        return put_on(model, "generator", recipe.lora, recipe.optimisation.seed)
    model.requires_grad_(False)
    for name, parameter in model.generator.named_parameters():
        if name.startswith(FULL):
            parameter.data = parameter.data.float()
            parameter.requires_grad_(True)
    tie_heads(model)
    return []


class GeneratorTask:
    """A dressed model and its data.

    Args:
        layers: of the adapter; none where the weights themselves learn.
    """

    def __init__(
        self,
        model: OmniModel,
        recipe: GeneratorRecipe,
        layers: list[LearningLora],
        data: ClipData,
        cache: LatentCache,
        tally: Tally,
    ) -> None:
        self._model, self._recipe, self._layers, self._data, self._cache = model, recipe, layers, data, cache
        self._tally = tally
        how = recipe.optimisation
        self._drawer = Drawer(data.clips, recipe.modes, recipe.text_dropout, how.batch_size, how.seed)
        self._levels = Levels(recipe.flow_shift or SHIFTS[recipe.resolution])

    @property
    def module(self) -> nn.Module:
        """What learns is within it."""
        return self._model

    def loss(self, step: int) -> Iterator[tuple[Tensor, Shown]]:
        """Parts whose sum is the mean over the sequences of a step."""
        draws = self._drawer.draw(step)
        latents = [self._cache.read(draw.clip) for draw in draws]
        for places, batch in self._data.sequences.batches(draws, latents):
            checkpointed = self._recipe.optimisation.checkpoints_activations
            error = FlowError(self._model, batch, self._levels, checkpointed=checkpointed)
            measured = error.measure(*pose(batch, self._model))
            self._tell([draws[place] for place in places], measured)
            yield measured.loss * (len(places) / len(draws)), {}

    def changed_tensors(self, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """What a save holds: by PEFT's names of an adapter, by official names of a checkpoint.

        Args:
            weights: what learns, by its names in the module.
        """
        if not self._layers:
            return released_tensors(self._model, dict(weights))
        names = {id(parameter): name for name, parameter in self._model.named_parameters()}
        return {name: weights[names[id(parameter)]] for name, parameter in adapter_parameters(self._layers)}

    def check_data(self) -> None:
        """Raises BadInput where a file of the data has changed."""
        self._data.sources.check()

    def _tell(self, draws: list[Draw], measured: Measured) -> None:
        (errors,), (levels,) = measured.errors.values(), measured.levels.values()
        names = [f"{draw.clip.window.name} ({draw.mode})" for draw in draws]
        self._tally.add(Seen(names, f"{draws[0].mode}_vision", errors, "vision", levels))

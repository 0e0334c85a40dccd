"""The generator's training: what of it learns, and the loss of a step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torch import Tensor

from engine.towers import OmniModel
from studio.tuning import GeneratorRecipe
from tuning.flow.error import FlowError, Measured, pose
from tuning.flow.levels import SHIFTS, Levels
from tuning.generator.clips import Clip, Control
from tuning.generator.drawing import Drawer
from tuning.generator.sequences import Draw, Sequences
from tuning.latents import LatentCache
from tuning.loop import Shown
from tuning.lora import LearningLora, put_on
from tuning.tally import Seen, Tally
from tuning.weights import tie_heads

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
    """The losses of a model on clips.

    Args:
        model: its parameters are let learn.
    """

    def __init__(
        self,
        model: OmniModel,
        recipe: GeneratorRecipe,
        clips: Sequence[Clip],
        sequences: Sequences,
        cache: LatentCache,
        tally: Tally,
    ) -> None:
        self._model, self._recipe, self._sequences, self._cache, self._tally = model, recipe, sequences, cache, tally
        how = recipe.optimisation
        self._drawer = Drawer(clips, recipe.modes, recipe.text_dropout, how.batch_size, how.seed)
        self._levels = Levels(recipe.flow_shift or SHIFTS[recipe.resolution])

    def loss(self, step: int) -> Iterator[tuple[Tensor, Shown]]:
        """Parts whose sum is the mean over the sequences of a step."""
        draws = self._drawer.draw(step)
        latents = [self._cache.read(draw.clip) for draw in draws]
        controls = [draw.control and self._cache.read(Control(draw.clip, draw.control)) for draw in draws]
        for places, batch in self._sequences.batches(draws, latents, controls):
            error = FlowError(
                self._model,
                batch,
                self._levels,
                checkpointed=self._recipe.optimisation.recomputes,
                are_even=batch.has_even_prompts,
            )
            measured = error.measure(*pose(batch, self._model))
            self._tell([draws[place] for place in places], measured)
            yield measured.loss * (len(places) / len(draws)), {}

    def _tell(self, draws: list[Draw], measured: Measured) -> None:
        (errors,), (levels,) = measured.errors.values(), measured.levels.values()
        names = [f"{draw.clip.window.name} ({draw.mode})" for draw in draws]
        self._tally.add(Seen(names, f"{draws[0].mode}_vision", errors, "vision", levels))

"""The reasoner's training: the error of the answers' words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import torch
from torch import Tensor

from engine.reasoner.vision_encoder import VisionEncoder
from engine.towers import OmniModel
from studio.tuning import ReasonerRecipe
from tuning.loop import Shown
from tuning.lora import LearningLora, put_on
from tuning.passes import onto, read
from tuning.reasoner.conversations import Conversation, ConversationReader, Reading
from tuning.reasoner.drawing import BlendDrawer
from tuning.reasoner.words import word_errors
from tuning.tally import ACCURACY, Seen, Tally
from tuning.weights import tie_heads

KEPT_READINGS = 16
"""Conversations whose frames stay in memory: of 16 frames of 360,000 pixels each has 70 MB."""


def let_learn(model: OmniModel, recipe: ReasonerRecipe) -> list[LearningLora]:
    """Let the parameters learn that a recipe trains, in float32; returns the layers of an adapter."""
    if recipe.lora is not None:
        return put_on(model, "reasoner", recipe.lora, recipe.optimisation.seed)
    model.requires_grad_(False)
    for parameter in model.reasoner.parameters():
        parameter.data = parameter.data.float()
        parameter.requires_grad_(True)
    # What the generator alone reads is asked by no word.
    model.reasoner.generator_k_norms.requires_grad_(False)
    tie_heads(model)
    return []


class ReasonerTask:
    """The losses of a model on conversations.

    Args:
        sets: conversations of each data set.
        vision: none where nothing is shown.
    """

    def __init__(
        self,
        model: OmniModel,
        recipe: ReasonerRecipe,
        sets: Sequence[Sequence[Conversation]],
        reader: ConversationReader,
        vision: VisionEncoder | None,
        tally: Tally,
    ) -> None:
        self._model, self._recipe, self._vision, self._tally = model, recipe, vision, tally
        how = recipe.optimisation
        self._drawer = BlendDrawer(sets, [blend.weight for blend in recipe.data], how.batch_size, how.seed)
        self._read = lru_cache(KEPT_READINGS)(reader.read)

    def loss(self, step: int) -> Iterator[tuple[Tensor, Shown]]:
        """Parts whose sum is the mean over the answers' words of a step.

        Where the recipe normalises, a conversation with n words counts √n times, not n times (report, 4.1.1).
        """
        conversations = self._drawer.draw(step)
        readings = [self._read(conversation) for conversation in conversations]
        lengths = [len(reading.tokens) - reading.answer_at for reading in readings]
        weights = [length**-0.5 if self._recipe.normalises else 1.0 for length in lengths]
        total = sum(length * weight for length, weight in zip(lengths, weights, strict=True))
        for conversation, reading, weight in zip(conversations, readings, weights, strict=True):
            errors, right = self.errors(reading)
            self._tally.add(Seen([conversation.name], "answers", errors.detach().mean()[None]))
            self._tally.add(Seen([conversation.name], ACCURACY, right.mean()[None]))
            yield errors.sum() * (weight / total), {}

    def errors(self, reading: Reading) -> tuple[Tensor, Tensor]:
        """Of each token of the answer its error, float32 [n], and whether it is the likeliest."""
        model, device = self._model, self._model.device
        tokens = onto(reading.tokens, device)
        x, deep = self._embedded(reading, tokens)
        how = self._recipe.optimisation
        out, _ = read(
            model,
            x[None],
            onto(reading.positions, device)[:, None],
            torch.tensor([len(tokens)], device=device),
            tuple(part[None] for part in deep),
            whole=True,
            checkpointed=how.recomputes,
        )
        # The words before the answer have no loss: their logits would be most of the memory.
        return word_errors(model.reasoner, out[0, reading.answer_at - 1 : -1], tokens[reading.answer_at :])

    def _embedded(self, reading: Reading, tokens: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Tokens [U, H] with what is shown in its places, and DeepStack's parts beside it."""
        x = self._model.reasoner.embed_tokens(tokens)
        deep: list[Tensor] = []
        vision = self._vision
        for shown in reading.shown:
            assert vision is not None
            with torch.no_grad():
                seen = vision(shown.patches)
            places = onto(shown.places, x.device)
            x = x.index_copy(0, places, seen.features.to(x.dtype))
            deep = deep or [torch.zeros_like(x) for _ in seen.deep]
            deep = [layer.index_copy(0, places, part.to(x.dtype)) for layer, part in zip(deep, seen.deep, strict=True)]
        # What blocks add to is float32, as in the generator (`tuning.flow.runs`).
        return x.float(), [layer.float() for layer in deep]

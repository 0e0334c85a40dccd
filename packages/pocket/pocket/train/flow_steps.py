"""The generator's loss of one batch after another, recorded for each form of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from torch import Tensor, nn

from engine.towers import OmniModel
from pocket.train.flow import FlowError, form_of, pose
from pocket.train.modes import Batch
from pocket.train.pointing import Pointer
from pocket.train.recorded import Recorded
from pocket.train.squares import Squares

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

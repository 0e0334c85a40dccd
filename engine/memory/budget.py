"""What requests of one checkpoint take on its device, held against what there is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from engine.memory.estimate import Shape, decode_bytes
from engine.memory.fitting import what_fits
from engine.memory.room import free_bytes
from engine.planning import Plan
from engine.towers import OmniModel
from studio.requests.frames import frames_up_to

SEAMS = 1.25
"""On a decode whose frames are divided: each convolution reads a copy of its strip with its neighbours' edges, and at
the end whole pixels are gathered. Reckoned."""


@dataclass(frozen=True)
class Budget:
    """The memory of one device.

    Attributes:
        decoder_width: channels of the VAE's decoder where it is narrowest.
        room: bytes that can still be taken there.
    """

    model: OmniModel
    decoder_width: int
    room: Callable[[torch.device], int] = free_bytes

    def latents_at_once(
        self, canvas: tuple[int, int], num_ranks: int = 1, least: Callable[[int], int] = lambda own: own
    ) -> int:
        """How many of a clip's latent frames can be decoded as one piece; 0 where one is too large to be decoded whole.

        At least one on a CPU: it has swap, and one seed is one clip there whatever else is running.

        Args:
            num_ranks: which have a part of each frame.
            least: given what is left here, what is left on the rank that has least. Asked once, and never on a CPU.
        """
        if self.model.device.type == "cpu":
            return 1
        room = least(self.room(self.model.device)) * num_ranks
        needed = [
            decode_bytes(Shape(canvas, frames_up_to(count)), self._value_bytes, width=self.decoder_width, at_once=count)
            for count in (1, 2)
        ]
        if num_ranks > 1:
            needed = [int(SEAMS * size) for size in needed]
        first, more = needed[0], needed[1] - needed[0]
        return 0 if room < first else 1 + (room - first) // more

    def advise(self, shape: Shape) -> str:
        """What would fit instead of what has just not fitted; see `what_fits`. Frees all that can be made again."""
        device = self.model.device
        self.model.generator.forget()
        if device.type == "cuda":
            torch.cuda.empty_cache()
        return what_fits(self.model.config, shape, self.room(device), self._value_bytes, self.decoder_width)

    def advise_on_step(self, plans: Sequence[Plan]) -> str:
        """The same of plans that were moved together; of several, what holds for the largest alone."""
        shapes = [shape_of(plan) for plan in plans]
        largest = max(shapes, key=lambda shape: shape.num_tokens(self.model.config) * shape.num_branches)
        at_once = "Ask for fewer at once. " if len(plans) > 1 else ""
        return at_once + self.advise(largest)

    @property
    def _value_bytes(self) -> int:
        return self.model.dtype.itemsize


def shape_of(plan: Plan) -> Shape:
    """What of a plan decides its memory."""
    return Shape(
        canvas=plan.canvas,
        num_frames=frames_up_to(plan.segments[plan.target].shape[1] - 1),
        num_branches=len(plan.branches),
        num_controls=sum(segment.is_control for segment in plan.segments),
    )

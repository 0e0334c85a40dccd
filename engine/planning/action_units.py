"""In which units a model knows actions: what it reads and writes against what a body does."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.planning.own_embodiments import OwnUnits
from studio.errors import BrokenCheckpoint
from studio.requests.embodiments import Embodiment


@dataclass(frozen=True)
class ActionUnits:
    """A body's values v are known to the model as (v - middle) / unit.

    Attributes:
        middle, unit: float32 [width]; a value that is known as 1 - v has middle 1 and unit -1.
    """

    middle: Tensor
    unit: Tensor

    def known(self, values: Tensor) -> Tensor:
        """Values [..., width] of the body → the model's."""
        return (values - self.middle.to(values)) / self.unit.to(values)

    def done(self, known: Tensor) -> Tensor:
        """Values [..., width] of the model → the body's."""
        return known * self.unit.to(known) + self.middle.to(known)

    @classmethod
    def of(cls, embodiment: Embodiment, width: int, own: OwnUnits | None) -> ActionUnits:
        """Those of a body of so many values.

        Args:
            own: what the checkpoint says of it, of values that are flipped already.

        Raises:
            BrokenCheckpoint: the checkpoint speaks of another number of values.
        """
        middle, unit = torch.zeros(width), torch.ones(width)
        middle[list(embodiment.flipped)], unit[list(embodiment.flipped)] = 1.0, -1.0
        if own is None:
            return cls(middle, unit)
        if len(own.middle) != width:
            raise BrokenCheckpoint(
                f"The checkpoint gives {len(own.middle)} units for a body of {width} values.", param="checkpoint"
            )
        return cls(middle + unit * torch.tensor(own.middle), unit * torch.tensor(own.unit))

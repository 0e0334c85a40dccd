"""How a checkpoint knows the bodies it acts with: in which units, and in which layout of their cameras.

The released ones see canvases as robots send them, and know actions in rad; another may say so in a file of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import torch
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError, model_validator
from torch import Tensor

from studio.errors import BrokenCheckpoint
from studio.requests.embodiments import Embodiment, EmbodimentName
from studio.rules.view_layout import ViewLayout

FILE = "embodiments.json"
"""Beside a checkpoint's other files."""


class OwnUnits(BaseModel):
    """In which units it knows the actions of a body.

    Attributes:
        middle: the value that it knows as 0, in the body's units (rad of a joint), flipped where the body's are.
        unit: how far from there it knows as 1.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    middle: tuple[float, ...]
    unit: tuple[float, ...]

    @model_validator(mode="after")
    def _are_units(self) -> Self:
        if len(self.middle) != len(self.unit) or 0 in self.unit:
            raise ValueError("middle and unit are as many, and no unit is 0")
        return self


class OwnEmbodiment(BaseModel):
    """One body.

    Attributes:
        units: none where values are known as they are.
        layout: what is seen instead of a robot's canvas; none where that itself is.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    units: OwnUnits | None = None
    layout: ViewLayout | None = None


class OwnEmbodiments(RootModel[dict[EmbodimentName, OwnEmbodiment]]):
    """By the names that requests give bodies."""

    root: dict[EmbodimentName, OwnEmbodiment] = Field(default_factory=dict)

    def of(self, name: EmbodimentName) -> OwnEmbodiment:
        """What is said of one; nothing of most."""
        return self.root.get(name) or OwnEmbodiment()


def read_own_embodiments(folder: Path) -> OwnEmbodiments:
    """What a checkpoint's folder says.

    Raises:
        BrokenCheckpoint: its file cannot be read.
    """
    path = folder / FILE
    if not path.is_file():
        return OwnEmbodiments()
    try:
        return OwnEmbodiments.model_validate_json(path.read_bytes())
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise BrokenCheckpoint(f"{FILE} cannot be read: {place}: {problem['msg']}.", param="checkpoint") from None


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
                f"The checkpoint gives {len(own.middle)} units for an embodiment of {width} values.", param="checkpoint"
            )
        return cls(middle + unit * torch.tensor(own.middle), unit * torch.tensor(own.unit))

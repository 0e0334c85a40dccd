"""What a checkpoint says of the bodies it acts with, where it does not know them as the released ones do."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError, model_validator

from studio.errors import BrokenCheckpoint
from studio.requests.embodiments import EmbodimentName
from studio.rules.view_layout import ViewLayout

FILE = "embodiments.json"
"""Beside a checkpoint's other files. The released ones have none: they see canvases as robots send them, and rad."""


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

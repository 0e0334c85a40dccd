"""What every request is made of: a frozen value, and the notes beside its fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A value: it is parsed once, at the edge, and never changes afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True)
class FormHint:
    """Drawing advice for one field.

    Attributes:
        row: fields with the same row name share a line.
        fold: the field is rare and stands behind the fold.
        unit: what its number counts, shown after it.
        names: pairs of (value, shown) where the value itself is no good word.
        lines: text lines, for long text.
        step: slider step, where the bounds alone do not say it.
        hidden: the form does not draw it.
    """

    row: str = ""
    fold: bool = False
    unit: str = ""
    names: tuple[tuple[Any, str], ...] = ()
    lines: int = 1
    step: float | None = None
    hidden: bool = False


InputType = Literal["image", "video", "actions"]

OutputType = Literal["image", "video", "sound", "actions", "latents"]


@dataclass(frozen=True)
class Takes:
    """The field names a picture or a clip of the media store, or holds rows of actions."""

    type: InputType


@dataclass(frozen=True)
class Makes:
    """The field, a switch, asks for this beside what is always made."""

    type: OutputType


@dataclass(frozen=True)
class FrameSpan:
    """Which frames of a clip a request reads: at least `fewest`, at most `most`, at `fps`, from one end of it."""

    fewest: int
    most: int
    fps: float
    end: Literal["first", "last"] = "first"


class Generation(Frozen):
    """A request for pictures, clips or actions. A kind answers differently where it makes more than one picture."""

    @property
    def step_frames(self) -> float:
        """Latent frames that one pass of a denoising step computes; what else it computes counts as so many of them."""
        return 1

    @property
    def source_frames(self) -> FrameSpan:
        """Which frames of its source clip are read, by a kind that has one."""
        raise AssertionError(f"{type(self).__name__} reads no source video")

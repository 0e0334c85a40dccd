"""A checkpoint's own layout of several cameras' views: what it sees of the canvas that robots send."""

from __future__ import annotations

from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, NonNegativeInt, PositiveInt, model_validator


class Rectangle(BaseModel):
    """A part of a picture, in pixels."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    left: NonNegativeInt
    top: NonNegativeInt
    width: PositiveInt
    height: PositiveInt

    def lies_in(self, size: tuple[int, int]) -> bool:
        """Whether a picture of (width, height) has all of it."""
        return self.left + self.width <= size[0] and self.top + self.height <= size[1]


class View(BaseModel):
    """One view: what is cut out of the canvas, and where it is shown, resized."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cut: Rectangle
    shown: Rectangle


class ViewLayout(BaseModel):
    """Where the parts of a canvas go; between them it is black.

    Attributes:
        canvas: (width, height) of what robots send.
        size: (width, height) of what is seen instead.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    canvas: tuple[PositiveInt, PositiveInt]
    size: tuple[PositiveInt, PositiveInt]
    views: tuple[View, ...]

    @model_validator(mode="after")
    def _lies_in_its_pictures(self) -> Self:
        if not all(view.cut.lies_in(self.canvas) and view.shown.lies_in(self.size) for view in self.views):
            raise ValueError("every view is cut out of the canvas and shown in what is seen")
        return self

    def takes(self, frames: NDArray[np.uint8]) -> bool:
        """Whether frames [..., height, width, 3] are such canvases."""
        return frames.shape[-3:-1] == self.canvas[::-1]

    def arranged(self, frames: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Canvases uint8 [T, height, width, 3] → what is seen, uint8 [T, size, 3]."""
        width, height = self.size
        seen = np.zeros((len(frames), height, width, 3), np.uint8)
        for view in self.views:
            cut, shown = view.cut, view.shown
            part = frames[:, cut.top : cut.top + cut.height, cut.left : cut.left + cut.width].astype(np.float32)
            resized = _along_rows(_along_rows(part, shown.height).swapaxes(1, 2), shown.width).swapaxes(1, 2)
            target = seen[:, shown.top : shown.top + shown.height, shown.left : shown.left + shown.width]
            target[:] = (resized + 0.5).clip(0, 255).astype(np.uint8)
        return seen


def _along_rows(frames: NDArray[np.float32], wanted: int) -> NDArray[np.float32]:
    """[T, rows, columns, 3] → [T, wanted, columns, 3]: one product, which takes half as long as einsum's two."""
    count, size, others, _ = frames.shape
    return (_resizing(size, wanted) @ frames.reshape(count, size, -1)).reshape(count, wanted, others, 3)


@lru_cache(maxsize=16)
def _resizing(size: int, wanted: int) -> NDArray[np.float32]:
    """A matrix [wanted, size]: linear between neighbours, and over as many more of them as it shrinks by."""
    scale = size / wanted
    reach = max(1.0, scale)
    centres = (np.arange(wanted) + 0.5) * scale
    distances = np.abs(np.arange(size) + 0.5 - centres[:, None])
    weights = np.maximum(0.0, 1 - distances / reach)
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)

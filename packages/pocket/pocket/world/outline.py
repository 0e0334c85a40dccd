"""From a thing's outline and shading to its shape."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

SHAPES = ("cube", "cylinder", "ball", "bowl")

WEIGHTS = "shapes.json"
"""Beside this file: float [4, 26] of a linear classifier on ``Outline.measures`` and 1, by ``fit_shapes``."""

NUM_BANDS = 10


@dataclass(frozen=True)
class Outline:
    """Measures of one outline, none of which depends on its size.

    Attributes:
        tall: its height by its width.
        roundness: 4 pi area / length², 1 of a circle.
        convexity: its area by that of its hull.
        widths: float64 [10], from top to bottom, by the greatest.
        lean: float64 [10], how far the middle of each band is from the outline's, by the greatest width.
        shades: float64 [10], brightness from left to right across its lower half, by their mean.
    """

    tall: float
    roundness: float
    convexity: float
    widths: NDArray[np.float64]
    lean: NDArray[np.float64]
    shades: NDArray[np.float64]

    @property
    def measures(self) -> NDArray[np.float64]:
        """float64 [25]: what the classifier sees; the same for a thing and its mirror image."""
        steps = np.abs(np.diff(self.shades))
        return np.array(
            [
                self.tall,
                self.roundness,
                self.convexity,
                *self.widths,
                *np.abs(self.lean),
                self.shades.std(),
                steps.max(),
            ]
        )

    @classmethod
    def of(cls, contour: NDArray[Any], brightness: NDArray[Any]) -> Outline:
        """Measure a contour, as `cv2.findContours` gives it, of a picture with brightness [H, W]."""
        x, y, wide, high = cv2.boundingRect(contour)
        inside = np.zeros((high, wide), np.uint8)
        cv2.drawContours(inside, [contour - [x, y]], -1, 1, cv2.FILLED)
        rows = np.linspace(0.03, 0.97, NUM_BANDS) * (high - 1)
        firsts, lasts = np.empty(NUM_BANDS), np.empty(NUM_BANDS)
        for band, row in enumerate(rows.round().astype(int)):
            at = np.flatnonzero(inside[row])
            firsts[band], lasts[band] = (at[0], at[-1] + 1) if len(at) else (wide / 2, wide / 2)
        area, hull = cv2.contourArea(contour), cv2.contourArea(cv2.convexHull(contour))
        length = cv2.arcLength(contour, closed=True)
        return cls(
            tall=high / wide,
            roundness=4 * np.pi * area / max(length, 1.0) ** 2,
            convexity=area / max(hull, 1.0),
            widths=(lasts - firsts) / wide,
            lean=((firsts + lasts) / 2 - wide / 2) / wide,
            shades=_shades(inside, brightness[y : y + high, x : x + wide]),
        )


def _shades(inside: NDArray[np.uint8], brightness: NDArray[Any]) -> NDArray[np.float64]:
    high, wide = inside.shape
    lower = slice(int(high * 0.55), max(int(high * 0.8), int(high * 0.55) + 1))
    means = np.empty(NUM_BANDS)
    for band in range(NUM_BANDS):
        columns = slice(int(wide * band / NUM_BANDS), max(int(wide * (band + 1) / NUM_BANDS), 1))
        within = inside[lower, columns] > 0
        means[band] = brightness[lower, columns][within].mean() if within.any() else np.nan
    middle = np.nanmean(means)
    return np.nan_to_num(means / middle, nan=1.0)


def shape_of(outline: Outline) -> str:
    """One of ``SHAPES``."""
    return SHAPES[int(np.argmax(_weights() @ np.array([*outline.measures, 1.0])))]


@lru_cache(maxsize=1)
def _weights() -> NDArray[np.float64]:
    return np.array(json.loads(files("pocket.world").joinpath(WEIGHTS).read_text()), np.float64)

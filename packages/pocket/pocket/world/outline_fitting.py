"""Where the weights of the shape reader come from: a linear classifier fitted on rendered stills."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from pocket.world.episode import Thing
from pocket.world.outline import SHAPES
from pocket.world.reading import Found, Wanted, mark, read_outlines, read_picture

SAME_BOX = 40.0
"""On the grid of 0 to 1000: how far the corners of a box may be off."""

DECAY, NUM_STEPS, STEP = 1e-3, 3000, 0.3

Picture = tuple[NDArray[np.uint8], Sequence[Thing]]
"""uint8 [H, W, 3] and what is in it."""


def fit_shapes(pictures: Iterable[Picture]) -> str:
    """Fit the weights on pictures as they are and blurred, as a codec leaves them.

    Returns:
        The text of ``outline.WEIGHTS``.
    """
    measures: list[NDArray[np.float64]] = []
    shapes: list[int] = []
    for pixels, things in pictures:
        for seen in (pixels, cv2.GaussianBlur(pixels, (0, 0), 0.9).astype(np.uint8)):
            for found, outline in read_outlines(seen):
                thing = _same(found, things)
                if thing is not None:
                    measures.append(outline.measures)
                    shapes.append(SHAPES.index(thing.shape))
    weights = _softmax_regression(np.array(measures), np.array(shapes))
    return json.dumps([[round(float(weight), 3) for weight in row] for row in weights])


def measure_reading(pictures: Iterable[Picture]) -> str:
    """How often the reader is right about pictures that are what was asked for: the ceiling of a report card."""
    num_things = num_found = num_colours = num_shapes = num_pictures = num_right = num_read = 0
    for pixels, things in pictures:
        found = read_picture(pixels)
        pairs = [(thing, _same(thing, things)) for thing in found]
        num_things += len(things)
        num_read += len(found)
        num_found += sum(true is not None for _, true in pairs)
        num_colours += sum(true is not None and true.colour == thing.colour for thing, true in pairs)
        num_shapes += sum(true is not None and true.shape == thing.shape for thing, true in pairs)
        num_pictures += 1
        num_right += mark(found, wanted_of(things)).all_right
    return (
        f"{num_pictures} pictures, {num_things} things: found {num_found / num_things:.1%}, "
        f"of those right in colour {num_colours / num_found:.1%}, in shape {num_shapes / num_found:.1%}; "
        f"{num_read - num_found} seen that are not there; all right in {num_right / num_pictures:.1%} of pictures"
    )


def wanted_of(things: Sequence[Thing]) -> tuple[Wanted, ...]:
    """What a prompt would have to say to get exactly this first picture; places of single things."""
    kinds: dict[tuple[str, str], list[Thing]] = {}
    for thing in things:
        kinds.setdefault((thing.colour, thing.shape), []).append(thing)
    return tuple(
        Wanted(colour, shape, len(alike), _column(alike[0]) if len(alike) == 1 else "")
        for (colour, shape), alike in kinds.items()
    )


def _column(thing: Thing) -> str:
    """The third that its middle is in, or "" where that is a matter of a few pixels."""
    across = float(thing.boxes[0, 0] + thing.boxes[0, 2]) / 2
    if min(abs(across - 1000 / 3), abs(across - 2000 / 3)) < 10:
        return ""
    return ("left", "middle", "right")[min(2, int(across * 3 / 1000))]


def _same(found: Found, things: Sequence[Thing]) -> Thing | None:
    off = [float(np.abs(np.array(found.box) - thing.boxes[0]).max()) for thing in things]
    best = int(np.argmin(off)) if off else -1
    return things[best] if off and off[best] < SAME_BOX else None


def _softmax_regression(measures: NDArray[np.float64], classes: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64 [4, n + 1], for measures as they come, by gradient descent with momentum."""
    middle, spread = measures.mean(axis=0), measures.std(axis=0) + 1e-6
    inputs = np.concatenate([(measures - middle) / spread, np.ones((len(measures), 1))], axis=1)
    wanted = np.eye(len(SHAPES))[classes]
    weights, speed = np.zeros((len(SHAPES), inputs.shape[1])), 0.0
    for _ in range(NUM_STEPS):
        scores = inputs @ weights.T
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        slope = (likely - wanted).T @ inputs / len(inputs) + DECAY * weights
        speed = 0.9 * speed - STEP * slope
        weights = weights + speed
    plain = weights[:, :-1] / spread
    return np.concatenate([plain, (weights[:, -1] - plain @ middle)[:, None]], axis=1)

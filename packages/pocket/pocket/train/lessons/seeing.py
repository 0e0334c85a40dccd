"""What stands where in a picture: asked of the vision encoder beside the lessons, square by square.

Of a caption's words six of seven can be guessed without a look, and a reasoner that was shown lessons alone had learnt
just those after 4,600 steps: 85 % of all words right, and the same boxes whatever the picture. Told to name the colour
and the shape in every square, the encoder learns to tell them apart, and what answers has something to read.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from pocket.train.lessons.sight import FRAMES_PER_PATCH, MERGE, PATCH
from pocket.world.episode import FIRST_THING_ID, Episode
from pocket.world.wording import SHAPE_WORDS
from robot.simulation.arrangement import COLOURS

NUM_COLOURS, NUM_SHAPES = 1 + len(COLOURS), 1 + len(SHAPE_WORDS)
"""The first of each is none."""

SEEING_WEIGHT = 0.25
"""Beside the words of answers."""

LEAST_SHARE = 1 / 8
"""Of a square, that a thing covers to be named."""


class Naming(nn.Module):
    """Says of each feature what its squares show; no part of a checkpoint.

    Args:
        width: of a feature.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.names = nn.Linear(width, MERGE * MERGE * (NUM_COLOURS + NUM_SHAPES))

    def error(self, features: Tensor, squares: Tensor) -> Tensor:
        """Cross-entropy of colours and of shapes, things counted as much as all that is none.

        Args:
            features: [B, N, H].
            squares: int64 [B, N, MERGE * MERGE, 2], what `squares_of` gives.
        """
        said = self.names(features).unflatten(-1, (MERGE * MERGE, -1)).float()
        colours, shapes = said.split([NUM_COLOURS, NUM_SHAPES], -1)
        is_thing = (squares[..., 0] > 0).float()
        wrong = sum(
            cross_entropy(own.flatten(0, 2), squares[..., index].flatten(), reduction="none").view_as(is_thing)
            for index, own in enumerate((colours, shapes))
        )
        assert isinstance(wrong, Tensor)
        of_things, of_rest = ((wrong * part).sum() / part.sum().clamp_min(1) for part in (is_thing, 1 - is_thing))
        return of_things + of_rest


def squares_of(episode: Episode, frames: Sequence[int]) -> NDArray[np.uint8]:
    """Colour and shape of what covers each square of 16 pixels, in the order in which the encoder merges them.

    Args:
        frames: those that are looked at, even in number: the first of each two counts.

    Returns:
        uint8 [t * h / 2 * w / 2, MERGE * MERGE, 2]; 0 where nothing covers an eighth of a square.
    """
    assert episode.segmentation is not None, f"a {episode.view} view has no segmentation"
    parts = episode.segmentation[list(frames)[::FRAMES_PER_PATCH]]
    length, height, width = parts.shape
    cells = parts.reshape(length, height // PATCH, PATCH, width // PATCH, PATCH)
    colours, shapes = list(COLOURS), list(SHAPE_WORDS)
    most = np.full(cells.shape[:2] + cells.shape[3:4], LEAST_SHARE)
    found = np.zeros((*most.shape, 2), np.uint8)
    for index, thing in enumerate(episode.things):
        covered = (cells == FIRST_THING_ID + index).mean((2, 4))
        found[covered >= most] = 1 + colours.index(thing.colour), 1 + shapes.index(thing.shape)
        most = np.maximum(most, covered)
    merged = found.reshape(length, height // PATCH // MERGE, MERGE, width // PATCH // MERGE, MERGE, 2)
    return merged.transpose(0, 1, 3, 2, 4, 5).reshape(-1, MERGE * MERGE, 2)

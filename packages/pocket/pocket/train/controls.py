"""Controls of a transfer, of an episode: outlines and blur as the studio computes them, depth and masks as given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backend.media.controls import compute_control
from pocket.world.controls import depth_pictures, segmentation_pictures
from pocket.world.episode import Episode
from studio.requests.transfer_video import ComputedHint, Strength

HINTS = ("edge", "blur", "depth", "seg")
"""In the model's order; a scenario map is nothing that a table has."""

COMPUTED: dict[str, ComputedHint] = {"edge": "edge", "blur": "blur"}

STRENGTHS: tuple[Strength, ...] = ("low", "medium", "high")


def draw_control(episode: Episode, hint: str, random: np.random.Generator) -> NDArray[np.uint8]:
    """A control of all frames, uint8 [T, height, width, 3].

    Args:
        hint: one of `HINTS`.
        random: picks the strength of what is computed.
    """
    if hint in COMPUTED:
        strength = STRENGTHS[random.integers(len(STRENGTHS))]
        return np.stack([compute_control(frame, COMPUTED[hint], strength) for frame in episode.frames])
    if hint == "depth":
        assert episode.depth is not None
        return depth_pictures(episode.depth)
    assert episode.segmentation is not None
    return segmentation_pictures(episode.segmentation)

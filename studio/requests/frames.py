"""How many frames a clip may have: one, then groups of four."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import AfterValidator, Field

from studio.requests.model import FormHint

TEMPORAL_STRIDE = 4
"""Frames to a latent frame after the first (the Wan 2.2 VAE takes one frame, then groups of four)."""


def latent_frames(num_frames: int) -> int:
    """How many latent frames hold so many frames whole: 17 to 20 frames are 5."""
    return (num_frames - 1) // TEMPORAL_STRIDE + 1


def frames_up_to(latent_frame: int) -> int:
    """How many frames a clip has up to the end of a latent frame, counted from 0: up to 4 they are 17."""
    return latent_frame * TEMPORAL_STRIDE + 1


def whole_groups(num_frames: int) -> int:
    """The fewest frames that fill their last latent frame and are at least so many: 10 are 13."""
    return frames_up_to(math.ceil((num_frames - 1) / TEMPORAL_STRIDE))


def _check_whole(num_frames: int) -> int:
    if num_frames % TEMPORAL_STRIDE != 1:
        lower = num_frames - (num_frames - 1) % TEMPORAL_STRIDE
        raise ValueError(f"{num_frames} frames are not 4k+1; use {lower} or {lower + TEMPORAL_STRIDE}")
    return num_frames


NumFrames = Annotated[
    int,
    Field(ge=5, le=397),
    AfterValidator(_check_whole),
    FormHint(unit="frames", step=TEMPORAL_STRIDE),
]
"""A number of frames that fills its last latent frame: 17 are 1 + 4 groups. The bounds are checked first, so that both
of the numbers that an error names are legal."""

"""How many frames a clip may have: one, then groups of four."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from studio.requests.hints import FormHint

TEMPORAL_STRIDE = 4
"""Frames to a latent frame after the first (the Wan 2.2 VAE takes one frame, then groups of four)."""


def _whole_groups(num_frames: int) -> int:
    if num_frames % TEMPORAL_STRIDE != 1:
        lower = num_frames - (num_frames - 1) % TEMPORAL_STRIDE
        raise ValueError(f"{num_frames} frames are not 4k+1; use {lower} or {lower + TEMPORAL_STRIDE}")
    return num_frames


NumFrames = Annotated[
    int,
    Field(ge=5, le=397),
    AfterValidator(_whole_groups),
    FormHint(unit="frames", step=TEMPORAL_STRIDE),
]
"""A number of frames that fills its last latent frame: 17 are 1 + 4 groups. The bounds are checked first, so that both
of the numbers that an error names are legal."""

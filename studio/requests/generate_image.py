"""A picture from a prompt."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from studio.requests.adapter import AdapterField
from studio.requests.fields import (
    CheckpointName,
    Count,
    NegativePrompt,
    Prompt,
    Shape,
    Size,
    Upsample,
    UseResolutionTemplate,
    UseSystemPrompt,
    WrittenFrom,
)
from studio.requests.frozen import Frozen
from studio.requests.hints import FormHint
from studio.requests.sampling import Sampling


class GenerateImage(Frozen):
    """Text to image: one latent frame is denoised from noise and decoded.

    The canvas is `resolution` and `aspect_ratio` looked up in `studio.rules.canvas`. Image i of `count` has seed + i.
    """

    kind: Annotated[Literal["generate_image"], FormHint(hidden=True)] = "generate_image"
    checkpoint: CheckpointName = None
    prompt: Prompt
    aspect_ratio: Shape = "1:1"
    resolution: Size = "256"
    sampling: Sampling = Field(default_factory=Sampling)
    count: Count = 1
    negative_prompt: NegativePrompt = ""
    use_system_prompt: UseSystemPrompt = False
    use_resolution_template: UseResolutionTemplate = True
    use_duration_template: Annotated[
        bool,
        Field(title="Duration sentence", description="accepted as the peers do; a picture has no length"),
        FormHint(hidden=True),
    ] = True
    upsample: Upsample = False
    written_from: WrittenFrom = None
    adapter: AdapterField = None

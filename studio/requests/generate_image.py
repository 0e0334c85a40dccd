"""A picture from a prompt."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from studio.requests.fields import (
    AdapterField,
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
from studio.requests.model import FormHint, Generation
from studio.requests.sampling import Sampling

EXAMPLE: dict[str, Any] = {
    "prompt": "A robot arm above a red cube on a wooden table.",
    "resolution": "256",
    "aspect_ratio": "1:1",
    "sampling": {"num_inference_steps": 20, "seed": 7},
}


class GenerateImage(Generation):
    """Text to image: one latent frame is denoised from noise and decoded.

    The canvas is `resolution` and `aspect_ratio` looked up in `studio.rules.canvas`. Image i of `count` has seed + i.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

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
        Field(title="Duration sentence", description="accepted for compatibility; an image has no duration"),
        FormHint(hidden=True),
    ] = True
    upsample: Upsample = False
    written_from: WrittenFrom = None
    adapter: AdapterField = None

"""A picture from a prompt."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from studio.requests.frozen import Frozen
from studio.requests.hints import FormHint
from studio.requests.sampling import Sampling

Resolution = Literal["256", "480", "720", "768"]
AspectRatio = Literal["16:9", "4:3", "1:1", "3:4", "9:16"]

MAX_TEXT_BYTES = 65_536
"""The framework's own negative prompt is 15,000 characters; this leaves room for four of them."""


def _fits(text: str) -> str:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the text holds half of a surrogate pair at character {error.start}; send whole characters"
        ) from None
    if size > MAX_TEXT_BYTES:
        raise ValueError(f"the text has {size:,} bytes; at most {MAX_TEXT_BYTES:,} are accepted")
    return text


def _says_something(text: str) -> str:
    if not text.strip():
        raise ValueError("the prompt is empty; write at least one word")
    return text


PromptText = Annotated[str, AfterValidator(_fits)]


class GenerateImage(Frozen):
    """Text to image: one latent frame is denoised from noise and decoded.

    The canvas is `resolution` and `aspect_ratio` looked up in `studio.rules.canvas`. Image i of `count` has seed + i.
    """

    kind: Annotated[Literal["generate_image"], FormHint(hidden=True)] = "generate_image"
    checkpoint: Annotated[
        PromptText | None,
        Field(
            min_length=1, max_length=4096, title="Checkpoint", description="none means the one the server started with"
        ),
        FormHint(hidden=True),
    ] = None
    prompt: Annotated[
        PromptText,
        AfterValidator(_says_something),
        Field(title="Prompt", description="plain words, or a structured caption"),
        FormHint(lines=5),
    ]
    aspect_ratio: Annotated[AspectRatio, Field(title="Shape", description="width to height")] = "1:1"
    resolution: Annotated[
        Resolution,
        Field(title="Size", description="the tier; the exact canvas follows from the shape"),
        FormHint(names=(("256", "256p"), ("480", "480p"), ("720", "720p"), ("768", "768p"))),
    ] = "256"
    sampling: Sampling = Field(default_factory=Sampling)
    count: Annotated[int, Field(ge=1, le=10, title="Count", description="pictures, each with the next seed")] = 1
    negative_prompt: Annotated[
        PromptText,
        Field(title="Negative prompt", description="what guidance pulls away from"),
        FormHint(fold=True, lines=2),
    ] = ""
    use_system_prompt: Annotated[
        bool, Field(title="System prompt", description="put the image system prompt before yours"), FormHint(fold=True)
    ] = False
    use_resolution_template: Annotated[
        bool, Field(title="Resolution sentence", description="append the canvas in words"), FormHint(fold=True)
    ] = True
    use_duration_template: Annotated[
        bool,
        Field(title="Duration sentence", description="append length and frame rate; a picture has neither"),
        FormHint(hidden=True),
    ] = True

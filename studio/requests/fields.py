"""Fields that more than one request has: the same bounds and the same words wherever they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo

from studio.requests.model import FormHint, Frozen, Makes
from studio.requests.sampling import MAX_SEED

Resolution = Literal["256", "480", "720", "768"]
AspectRatio = Literal["16:9", "4:3", "1:1", "3:4", "9:16"]

MAX_TEXT_BYTES = 65_536
"""The framework's own negative prompt is 15,000 characters; this leaves room for four of them."""


def _fits(text: str) -> str:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise ValueError(f"the text has an unpaired surrogate at character {error.start}; send valid Unicode") from None
    if size > MAX_TEXT_BYTES:
        raise ValueError(f"the text has {size:,} bytes; at most {MAX_TEXT_BYTES:,} are accepted")
    return text


def on_one_line(what: str, most: int, *, least: int = 1) -> Callable[[str], str]:
    """What makes a short text of a person's one line with single spaces.

    Args:
        what: it is called in an error, which is a ValueError.
        most: characters that it may have.
        least: characters that it must have; 0 allows an empty one.
    """

    def tidy(text: str) -> str:
        line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
        if len(line) < least:
            raise ValueError(f"{what} is empty; write at least one letter")
        if len(line) > most:
            raise ValueError(f"{what} has {len(line)} characters; at most {most} are accepted")
        return line

    return tidy


def _says_something(text: str) -> str:
    if not text.strip():
        raise ValueError("the prompt is empty; write at least one word")
    return text


def _seeds_exist(count: int, info: ValidationInfo) -> int:
    sampling = info.data.get("sampling")
    if sampling is not None and sampling.seed + count - 1 > MAX_SEED:
        raise ValueError(
            f"{count} results from seed {sampling.seed} need seeds above {MAX_SEED}; use a smaller seed or a lower "
            f"count"
        )
    return count


BoundedText = Annotated[str, AfterValidator(_fits)]

CheckpointName = Annotated[
    BoundedText | None,
    Field(min_length=1, max_length=4096, title="Checkpoint", description="empty uses the default checkpoint"),
    FormHint(hidden=True),
]
Prompt = Annotated[
    BoundedText,
    AfterValidator(_says_something),
    Field(title="Prompt", description="plain text, or a structured caption"),
    FormHint(lines=4),
]
Upsample = Annotated[
    bool,
    Field(title="Upsample", description="let the reasoner rewrite the prompt as a structured caption first"),
    FormHint(fold=True),
]
WrittenFrom = Annotated[
    BoundedText | None,
    Field(title="Original prompt", description="your prompt before it was upsampled"),
    FormHint(hidden=True),
]
NegativePrompt = Annotated[
    BoundedText,
    Field(title="Negative prompt", description="what to keep out"),
    FormHint(fold=True, lines=2),
]
Shape = Annotated[AspectRatio, Field(title="Aspect ratio", description="width to height")]
Size = Annotated[
    Resolution,
    Field(title="Resolution", description="the tier; the exact size in pixels follows from the aspect ratio"),
    FormHint(names=(("256", "256p"), ("480", "480p"), ("720", "720p"), ("768", "768p"))),
]
Count = Annotated[
    int,
    Field(ge=1, le=10, title="Count", description="number of results, each with the next seed"),
    AfterValidator(_seeds_exist),
]
"""A request has it below its `sampling`, whose seed it counts from."""
UseSystemPrompt = Annotated[
    bool,
    Field(title="System prompt", description="put the model's system prompt before your prompt"),
    FormHint(fold=True),
]
UseResolutionTemplate = Annotated[
    bool,
    Field(title="Resolution sentence", description="append a sentence that states the resolution"),
    FormHint(fold=True),
]
UseDurationTemplate = Annotated[
    bool,
    Field(title="Duration sentence", description="append a sentence that states length and frame rate"),
    FormHint(fold=True),
]
SaveLatents = Annotated[
    bool,
    Field(title="Save latents", description="also save the final latents as safetensors"),
    FormHint(fold=True),
    Makes("latents"),
]
MediaId = Annotated[str, Field(pattern=r"^(u[0-9a-f]{16}|[0-9a-f]{12}-\d{1,3})$")]
"""A name in the media store: of something uploaded, or of something made."""


class Adapter(Frozen):
    """One adapter of the data folder's `adapters/`, and its strength: 0 has no effect."""

    name: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z0-9_][A-Za-z0-9._@-]{0,127}$",
            title="Adapter",
            description="a file or folder in adapters/ of the data folder",
        ),
    ]
    scale: Annotated[
        float, Field(ge=-4, le=4, title="Scale", description="strength of the adapter; 1 is as trained")
    ] = 1.0


AdapterField = Annotated[
    Adapter | None, Field(title="Adapter", description="a LoRA adapter on top of the checkpoint"), FormHint(hidden=True)
]

"""A conversation about words, pictures and clips, answered in words."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self, cast

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from studio.requests.fields import AdapterField, BoundedText, CheckpointName, MediaId
from studio.requests.model import FormHint, Frozen
from studio.requests.sampling import MAX_SEED, draw_seed

MAX_SCHEMA_BYTES = 262_144
"""The caption schemas of the technical report (sections A.2 and A.3) take a tenth of it."""

MAX_SCHEMA_DEPTH = 64
"""Objects and lists within one another; the caption schemas have 10. The grammar engine's own JSON reader takes 127."""

MAX_SCHEMA_COUNTS = {
    "minLength": 8_192,
    "minItems": 8_192,
    "minProperties": 8_192,
    "multipleOf": 100_000,
}
"""The most that a schema may require. A longer answer has more than the 32 KiB to whose end the engine looks
(engine.reasoner.closing). Multiples are counted out by the grammar, in time with their size: 0.4 s of this one."""


def checked_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema. Raises ValueError: it is larger, deeper or wants more than an answer can have."""
    layer: list[Any] = [schema]
    for _ in range(MAX_SCHEMA_DEPTH):
        layer = [part for node in layer for part in _parts(node)]
        if not layer:
            break
    else:
        raise ValueError(f"the schema is nested more than {MAX_SCHEMA_DEPTH} levels deep")
    size_bytes = len(json.dumps(schema))
    if size_bytes > MAX_SCHEMA_BYTES:
        raise ValueError(f"the schema has {size_bytes:,} bytes; at most {MAX_SCHEMA_BYTES:,} are accepted")
    return schema


def _parts(node: Any) -> list[Any]:
    """Objects and lists directly inside of one, whose own counts are looked at."""
    if isinstance(node, list):
        values = cast(list[Any], node)
    else:
        for word, most in MAX_SCHEMA_COUNTS.items():
            said = node.get(word)
            if isinstance(said, int | float) and said > most:
                raise ValueError(f"{word} is {said:g} in the schema; the maximum is {most:,}")
        values = cast(dict[str, Any], node).values()
    return [cast(Any, value) for value in values if isinstance(value, dict | list)]


MAX_MESSAGES = 256

MAX_PARTS = 256


class TextPart(Frozen):
    """Words."""

    type: Literal["text"] = "text"
    text: BoundedText


class ImagePart(Frozen):
    """A picture."""

    type: Literal["image"] = "image"
    image: MediaId


class VideoPart(Frozen):
    """A clip, of which frames are taken as the request's `video_fps` or `num_video_frames` say."""

    type: Literal["video"] = "video"
    video: MediaId


Part = Annotated[TextPart | ImagePart | VideoPart, Field(discriminator="type")]


class Message(Frozen):
    """One turn: words alone, or words and media in the order in which they are looked at."""

    role: Literal["system", "user", "assistant"]
    content: BoundedText | Annotated[tuple[Part, ...], Field(min_length=1, max_length=MAX_PARTS)]

    @property
    def media_ids(self) -> tuple[str, ...]:
        """What it shows, in order."""
        if isinstance(self.content, str):
            return ()
        return tuple(
            part.image if isinstance(part, ImagePart) else part.video
            for part in self.content
            if not isinstance(part, TextPart)
        )


class TextSampling(Frozen):
    """How the next token is picked. Defaults are the reasoner's own without thinking (cosmos-framework's table)."""

    max_tokens: Annotated[
        int,
        Field(ge=1, le=65_536, title="Max tokens", description="maximum number of tokens in the answer"),
        FormHint(unit="tokens"),
    ] = 2048
    temperature: Annotated[
        float,
        Field(ge=0, le=2, title="Temperature", description="0 always takes the most likely token"),
        FormHint(row="picking", step=0.05),
    ] = 0.7
    top_p: Annotated[
        float,
        Field(
            gt=0,
            le=1,
            title="Top p",
            description="sample from the most likely tokens whose probabilities add up to this",
        ),
        FormHint(row="picking", step=0.05),
    ] = 0.8
    top_k: Annotated[
        int,
        Field(ge=0, le=10_000, title="Top k", description="sample from this many of the most likely tokens; 0 is all"),
        FormHint(fold=True),
    ] = 20
    repetition_penalty: Annotated[
        float,
        Field(
            gt=0,
            le=2,
            title="Repetition penalty",
            description="above 1 discourages tokens of the prompt and the answer",
        ),
        FormHint(fold=True, step=0.05),
    ] = 1.0
    presence_penalty: Annotated[
        float,
        Field(
            ge=-2, le=2, title="Presence penalty", description="above 0 discourages tokens that the answer already has"
        ),
        FormHint(fold=True, step=0.1),
    ] = 1.5
    frequency_penalty: Annotated[
        float,
        Field(
            ge=-2,
            le=2,
            title="Frequency penalty",
            description="above 0 discourages a token each time that the answer has it",
        ),
        FormHint(fold=True, step=0.1),
    ] = 0.0
    seed: Annotated[
        int,
        Field(ge=0, le=MAX_SEED, title="Seed", description="the same request with the same seed gives the same answer"),
    ] = Field(default_factory=draw_seed)
    stop: Annotated[
        tuple[Annotated[BoundedText, Field(min_length=1, max_length=256)], ...],
        Field(max_length=16, title="Stop strings", description="the answer ends before the first of these"),
        FormHint(hidden=True),
    ] = ()
    logprobs: Annotated[
        bool,
        Field(title="Probabilities", description="return the log probability of each token"),
        FormHint(hidden=True),
    ] = False
    top_logprobs: Annotated[
        int,
        Field(ge=0, le=20, title="Top log probabilities", description="number of most likely alternatives per token"),
        FormHint(hidden=True),
    ] = 0


class Reason(Frozen):
    """Messages to the assistant's next one.

    With a `response_schema` the answer is one JSON object of that schema and nothing else, whatever `max_tokens` is:
    it is closed in time. Its separators are those of Python's `json.dumps`.

    `min_pixels` and `max_pixels` bound what is looked at: of each picture, and of all frames of a clip together.
    """

    kind: Annotated[Literal["reason"], FormHint(hidden=True)] = "reason"
    checkpoint: CheckpointName = None
    adapter: AdapterField = None
    messages: Annotated[tuple[Message, ...], Field(min_length=1, max_length=MAX_MESSAGES), FormHint(hidden=True)]
    sampling: TextSampling = Field(default_factory=TextSampling)
    response_schema: Annotated[
        dict[str, Any] | None,
        Field(title="Schema", description="JSON schema that the answer must match"),
        AfterValidator(lambda schema: schema if schema is None else checked_schema(schema)),
        FormHint(hidden=True),
    ] = None
    video_fps: Annotated[
        float | None,
        Field(
            gt=0,
            le=60,
            title="Frames per second",
            description="frames per second to sample; empty uses the checkpoint's own",
        ),
        FormHint(fold=True),
    ] = None
    num_video_frames: Annotated[
        int | None,
        Field(ge=1, le=768, title="Frames", description="number of frames to sample, evenly over the video"),
        FormHint(fold=True),
    ] = None
    min_pixels: Annotated[
        int | None,
        Field(ge=1, le=2**28, title="Min pixels", description="smaller media are scaled up"),
        FormHint(fold=True),
    ] = None
    max_pixels: Annotated[
        int | None,
        Field(ge=1, le=2**28, title="Max pixels", description="larger media are scaled down"),
        FormHint(fold=True),
    ] = None

    enable_thinking: Annotated[
        bool | None,
        Field(title="Thinking", description="switch of some checkpoints' chat templates; empty leaves it unset"),
        FormHint(hidden=True),
    ] = None

    @field_validator("max_pixels")
    @classmethod
    def _most_is_not_below_least(cls, most: int | None, given: ValidationInfo) -> int | None:
        least = given.data.get("min_pixels")
        if most is not None and least is not None and least > most:
            raise ValueError(f"min_pixels is {least}, above max_pixels, {most}")
        return most

    @property
    def media_ids(self) -> tuple[str, ...]:
        """Everything that is shown, each once, in the order of first use."""
        return tuple(dict.fromkeys(media for message in self.messages for media in message.media_ids))

    @model_validator(mode="after")
    def _ends_with_a_question(self) -> Self:
        if self.messages[-1].role == "assistant":
            raise ValueError("the last message is the assistant's; end with a user message")
        return self

    @model_validator(mode="after")
    def _nothing_cuts_the_object(self) -> Self:
        if self.response_schema is not None and self.sampling.stop:
            raise ValueError("response_schema and sampling.stop are both given; stop strings would cut the answer")
        return self

    @model_validator(mode="after")
    def _frames_are_counted_one_way(self) -> Self:
        if self.video_fps is not None and self.num_video_frames is not None:
            raise ValueError("video_fps and num_video_frames are both given; use one of them")
        return self

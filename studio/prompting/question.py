"""What is asked of a reasoner, whoever answers: the resident one or an OpenAI-compatible endpoint."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Protocol

from pydantic import Field

from studio.requests import MAX_SEED, Frozen

SYSTEM = "You are a helpful assistant."
"""The system prompt that the reasoner was trained under (report, 6.3.2)."""


class TextPart(Frozen):
    """Words."""

    type: Literal["text"] = "text"
    text: str


class ImagePart(Frozen):
    """A picture: a data URI, or whatever address the answering side can read."""

    type: Literal["image"] = "image"
    url: str


class VideoPart(Frozen):
    """A clip: a data URI, a `file://` path, or whatever address the answering side can read."""

    type: Literal["video"] = "video"
    url: str


Part = Annotated[TextPart | ImagePart | VideoPart, Field(discriminator="type")]
MediaPart = Annotated[ImagePart | VideoPart, Field(discriminator="type")]


class Message(Frozen):
    """One turn. Media stand before the words, as the reasoner was trained."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]


class ReasonerSampling(Frozen):
    """How tokens are drawn."""

    temperature: float = Field(default=0.7, ge=0, le=2, description="0 always takes the likeliest token")
    top_p: float = Field(default=0.8, gt=0, le=1)
    top_k: int = Field(default=20, ge=0, le=10_000)
    presence_penalty: float = Field(default=1.5, ge=-2, le=2)
    repetition_penalty: float = Field(default=1.0, gt=0, le=2)
    seed: int = Field(default=3407, ge=0, le=MAX_SEED, description="One seed is one answer")
    max_tokens: int = Field(default=20_000, ge=1, le=100_000, description="Of one answer, at most")


UPSAMPLING = ReasonerSampling()
"""The upsampler's setting (the framework's prompt templates)."""
PLAIN = ReasonerSampling(max_tokens=4096)
"""Answering at once (the reasoner's prompt guide)."""
THINKING = ReasonerSampling(temperature=0.6, top_p=0.95, presence_penalty=0.0, max_tokens=4096)
"""Thinking before it answers (the same guide)."""


class Question(Frozen):
    """A conversation to be continued by one answer.

    Attributes:
        messages: the last one is the user's.
        sampling: how tokens are drawn.
        answer_schema: a JSON schema that the answer is constrained to, where the answering side can.
        video_fps: frames a second that are looked at in clips; none leaves it to the answering side.
    """

    messages: tuple[Message, ...]
    sampling: ReasonerSampling = PLAIN
    answer_schema: dict[str, Any] | None = None
    video_fps: float | None = Field(default=None, gt=0, le=60)


class Ask(Protocol):
    """Something that answers questions: an async function from a question to the answer's text.

    Thinking may stand in the text, in `<think>`. It raises StudioErrors only.
    """

    async def __call__(self, question: Question, /) -> str:
        """The answer."""
        ...


def said(role: Literal["system", "user", "assistant"], text: str, *media: ImagePart | VideoPart) -> Message:
    """A turn of media and words."""
    return Message(role=role, parts=(*media, TextPart(text=text)))


def asked_alone(text: str, *media: ImagePart | VideoPart) -> tuple[Message, ...]:
    """A conversation of one user message under the system prompt."""
    return said("system", SYSTEM), said("user", text, *media)

"""What is asked of a reasoner, whoever answers: the resident one or an OpenAI-compatible endpoint."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from pydantic import Field

from studio.captions import UnusableAnswer
from studio.errors import BadInput, TooLarge
from studio.prompting.templates import fill
from studio.requests import MAX_SEED, Frozen

SYSTEM = "You are a helpful assistant."
"""The system prompt that the reasoner was trained under (report, 6.3.2)."""


class PlainText(Frozen):
    """Words."""

    type: Literal["text"] = "text"
    text: str


class ImageUrl(Frozen):
    """A picture: a data URI, or whatever address the answering side can read."""

    type: Literal["image"] = "image"
    url: str


class VideoUrl(Frozen):
    """A clip: a data URI, a `file://` path, or whatever address the answering side can read."""

    type: Literal["video"] = "video"
    url: str


Part = Annotated[PlainText | ImageUrl | VideoUrl, Field(discriminator="type")]
MediaPart = Annotated[ImageUrl | VideoUrl, Field(discriminator="type")]


class Turn(Frozen):
    """One turn. Media stand before the words, as the reasoner was trained."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]


class ReasonerSampling(Frozen):
    """How tokens are drawn."""

    temperature: float = Field(default=0.7, ge=0, le=2, description="0 always takes the most likely token")
    top_p: float = Field(default=0.8, gt=0, le=1)
    top_k: int = Field(default=20, ge=0, le=10_000)
    presence_penalty: float = Field(default=1.5, ge=-2, le=2)
    repetition_penalty: float = Field(default=1.0, gt=0, le=2)
    seed: int = Field(default=3407, ge=0, le=MAX_SEED, description="The same seed gives the same answer")
    max_tokens: int = Field(default=20_000, ge=1, le=100_000, description="Maximum number of tokens per answer")


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
        num_video_frames: instead of it, so many, evenly over the clip.
        min_pixels, max_pixels: that each picture, or all frames of a clip together, are scaled to.
    """

    messages: tuple[Turn, ...]
    sampling: ReasonerSampling = PLAIN
    answer_schema: dict[str, Any] | None = None
    video_fps: float | None = Field(default=None, gt=0, le=60)
    num_video_frames: int | None = Field(default=None, ge=1, le=768)
    min_pixels: int | None = None
    max_pixels: int | None = None


class Ask(Protocol):
    """Something that answers questions: an async function from a question to the answer's text.

    Thinking may stand in the text, in `<think>`. It raises StudioErrors only.
    """

    async def __call__(self, question: Question, /) -> str:
        """The answer."""
        ...


def said(role: Literal["system", "user", "assistant"], text: str, *media: ImageUrl | VideoUrl) -> Turn:
    """A turn of media and words."""
    return Turn(role=role, parts=(*media, PlainText(text=text)))


def asked_alone(text: str, *media: ImageUrl | VideoUrl) -> tuple[Turn, ...]:
    """A conversation of one user message under the system prompt."""
    return said("system", SYSTEM), said("user", text, *media)


MAX_IMAGE_BYTES = 20 * 1024 * 1024
MAX_VIDEO_BYTES = 200 * 1024 * 1024

_IMAGES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


def attach_image(path: Path) -> ImageUrl:
    """A picture file as part of a message.

    Raises:
        BadInput: it cannot be read, or is no PNG, JPEG, WebP or GIF.
        TooLarge: more than 20 MiB.
    """
    raw = _content(path, MAX_IMAGE_BYTES)
    mime = next((mime for start, mime in _IMAGES.items() if raw.startswith(start)), "")
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        mime = "image/webp"
    if not mime:
        raise BadInput(f"{path} is not an image; expected a PNG, JPEG, WebP or GIF file.", param="image")
    return ImageUrl(url=_data_uri(mime, raw))


def attach_video(path: Path) -> VideoUrl:
    """A clip file as part of a message.

    Raises:
        BadInput: it cannot be read, or is neither MP4 or MOV nor Matroska or WebM nor AVI.
        TooLarge: more than 200 MiB.
    """
    raw = _content(path, MAX_VIDEO_BYTES)
    if raw[4:8] == b"ftyp":
        mime = "video/quicktime" if raw[8:10] == b"qt" else "video/mp4"
    elif raw.startswith(b"\x1aE\xdf\xa3"):
        mime = "video/webm" if path.suffix.lower() == ".webm" else "video/x-matroska"
    elif raw[:4] == b"RIFF" and raw[8:12] == b"AVI ":
        mime = "video/x-msvideo"
    else:
        raise BadInput(f"{path} is not a video; expected an MP4, MOV, MKV, WebM or AVI file.", param="video")
    return VideoUrl(url=_data_uri(mime, raw))


def _content(path: Path, most: int) -> bytes:
    try:
        size = path.stat().st_size
        if size > most:
            raise TooLarge(
                f"{path} has {size:,} bytes; at most {most:,} can be sent with a question.",
                hint="Let the endpoint read it from its path or address.",
            )
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None


def _data_uri(mime: str, raw: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(raw).decode()}"


Read = TypeVar("Read")

MAX_ECHO = 4000
"""Characters of a useless answer that are shown to the model again."""


class Usable(NamedTuple, Generic[Read]):
    """An answer that could be read: what it says, its text, and which attempt it was, counted from 1."""

    said: Read
    text: str
    attempt: int


async def first_usable(
    ask: Ask, question: Question, read: Callable[[str], Read], *, attempts: int, retry: str
) -> Usable[Read]:
    """Ask until an answer can be read: again with the beginning of the last answer, what is wrong with it, and another
    seed.

    Args:
        ask: who answers.
        question: what is asked.
        read: makes sense of an answer, or raises UnusableAnswer.
        attempts: at most.
        retry: what is said of a useless answer, with `$why` in it.

    Raises:
        UnusableAnswer: no answer could be read; it says why the last could not.
        StudioError: whatever `ask` raises.
    """
    asked, last = question, UnusableAnswer("the question is empty")
    for attempt in range(1, attempts + 1):
        text = await ask(asked)
        try:
            return Usable(read(text), text, attempt)
        except UnusableAnswer as error:
            last = error
        # Each retry sees only the latest failure: earlier ones would fill the context and teach their mistakes.
        turns = (said("assistant", text[:MAX_ECHO] or "(nothing)"), said("user", fill(retry, why=last.why)))
        seed = (question.sampling.seed + attempt) % (MAX_SEED + 1)
        sampling = question.sampling.model_copy(update={"seed": seed})
        asked = question.model_copy(update={"messages": question.messages + turns, "sampling": sampling})
    raise last

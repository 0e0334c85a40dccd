"""A person's words to the structured caption that the generator was trained on, through a reasoner.

The contract is that of the technical report, 6.3.2, B.1 and B.2 (B.3 is `opening`): one user message of four tagged
blocks, answered by one JSON object that is checked, mended where that is safe, and otherwise asked for again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from studio.captions import (
    Caption,
    CaptionKind,
    CheckedCaption,
    Controls,
    Paragraph,
    Repair,
    UnusableAnswer,
    answer_schema,
    check_answer,
    serialise,
    split_thought,
)
from studio.captions.answer_schema import FIRST, MEDIA
from studio.captions.checking import IMAGINATION, MODELS
from studio.captions.timing import clock
from studio.errors import EngineError
from studio.prompting.opening import opening_question, read_opening
from studio.prompting.question import (
    UPSAMPLING,
    Ask,
    MediaPart,
    Question,
    ReasonerSampling,
    asked_alone,
    first_usable,
)
from studio.prompting.templates import fill, load_refining_texts, output_template, upsample_texts, without_tags
from studio.prompting.word_diff import WordDiff, compare_words
from studio.requests import MAX_TEXT_BYTES, Frozen
from studio.requests.transfer_video import HintName
from studio.rules.capabilities import Prompting

UpsampleMode = Literal["text_to_image", "text_to_video", "image_to_video", "video_to_video", "transfer"]

MEDIA_OF: dict[UpsampleMode, str | None] = {
    "text_to_image": None,
    "text_to_video": None,
    "image_to_video": "image",
    "video_to_video": "video",
    "transfer": "video",
}
"""What is attached in each mode: one of it, in a transfer one for each clip that is followed."""

Followed = Literal["source"] | HintName
"""What an attached clip of a transfer is: what controls are computed from, or a control."""
MAX_ATTEMPTS = 10


def _says_something(words: str) -> str:
    if not words.strip():
        raise ValueError("the prompt is empty; write at least one word")
    if len(words.encode(errors="replace")) > MAX_TEXT_BYTES:
        raise ValueError(f"the prompt is larger than {MAX_TEXT_BYTES:,} bytes")
    return words


class Upsampling(Frozen):
    """A wish for a better prompt.

    Attributes:
        mode: what is to be made, from what.
        prompt: the person's words.
        controls: canvas, length and frame rate of what will be generated.
        media: the first picture, the clip that is continued, or those that are followed; nothing for the text modes.
        followed: what each of a transfer's clips is, in their order; empty for the other modes.
        prompting: how the checkpoint wants its prompts; a paragraph is for clips from an image alone.
        attempts: answers that are asked for, at most.
    """

    mode: UpsampleMode
    prompt: Annotated[str, AfterValidator(_says_something)]
    controls: Controls
    media: tuple[MediaPart, ...] = ()
    followed: tuple[Followed, ...] = ()
    prompting: Prompting = "caption"
    sampling: ReasonerSampling = UPSAMPLING
    attempts: int = Field(default=3, ge=1, le=MAX_ATTEMPTS)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if (self.mode == "transfer") != bool(self.followed):
            raise ValueError(
                f"followed is {list(self.followed)}; it is required for a transfer and not allowed otherwise"
            )
        wanted = MEDIA_OF[self.mode]
        count = len(self.followed) or 1
        came = [part.type for part in self.media]
        if came != ([wanted] * count if wanted else []):
            takes = f"{'one' if count == 1 else count} {wanted}" if wanted else "no media"
            raise ValueError(f"{self.mode} needs {takes}, but got {came}")
        if (self.kind == "video") != (self.controls.last_s is not None):
            raise ValueError(f"{self.mode} needs controls of {'a video' if self.kind == 'video' else 'an image'}")
        return self

    @property
    def is_paragraph(self) -> bool:
        """Whether a paragraph is written, with a negative prompt, in place of a structured caption."""
        return self.prompting == "paragraph" and self.mode == "image_to_video"

    @property
    def kind(self) -> CaptionKind:
        """Of the caption."""
        return "image" if self.mode == "text_to_image" else "video"


class Upsampled(Frozen):
    """A better prompt.

    Attributes:
        prompt: what the generator reads: the caption as one line of JSON.
        negative_prompt: written for just these words, with a paragraph; else empty.
        caption: the same, typed.
        scene_imagination: what the reasoner wrote before it.
        thought: what it thought, if it did.
        repairs: what was mended in its answer.
        attempts: answers that it took.
        words: where the person's words went.
    """

    prompt: str
    negative_prompt: str = ""
    caption: Caption | Paragraph
    scene_imagination: str
    thought: str
    repairs: tuple[Repair, ...]
    attempts: int
    words: WordDiff


def upsample_question(wish: Upsampling) -> Question:
    """The first question: one user message of four tagged blocks, its media before it."""
    if wish.is_paragraph:
        return opening_question(load_refining_texts(), wish.prompt, wish.media[0], wish.sampling)
    text = upsample_message(wish.mode, wish.prompt, wish.controls, wish.followed, wish.prompting)
    return Question(
        messages=asked_alone(text, *wish.media),
        sampling=wish.sampling,
        answer_schema=answer_schema(wish.kind, wish.controls),
    )


def upsample_message(
    mode: UpsampleMode,
    prompt: str,
    controls: Controls,
    followed: Sequence[Followed] = (),
    prompting: Prompting = "caption",
) -> str:
    """The four blocks as text; `followed` says what a transfer's attached clips are."""
    texts = upsample_texts()
    is_dense = prompting == "dense_caption" and mode == "text_to_image"
    own = texts.modes["text_to_image_dense" if is_dense else mode]
    kind: CaptionKind = "image" if mode == "text_to_image" else "video"
    model = MODELS[kind]
    first = FIRST[kind]
    names = [*first, *(name for name in model.model_fields if name not in (*first, *MEDIA)), *controls.media]
    given = {IMAGINATION: "the scene in your own words, before anything else"}
    given |= dict.fromkeys(controls.media, "as task_constraints says")
    last = clock(controls.last_s) if controls.last_s is not None else ""
    attached = "; ".join(f"clip {number}, {texts.attached[name]}" for number, name in enumerate(followed, 1))
    numbered = [f"{number}. {line}" for number, line in enumerate(own.constraints, 1)]
    return fill(
        texts.message,
        tag=own.tag,
        instructions=own.instructions,
        description=without_tags(prompt.strip()),
        constraints=fill("\n".join(numbered), controls=spelled_controls(controls), last=last, attached=attached),
        template=output_template(model, names, given),
    )


def spelled_controls(controls: Controls) -> str:
    """`duration="7s", fps=24, aspect_ratio="16,9", resolution={"H": 480, "W": 832}`, as B.1 writes them."""
    media = controls.media
    spelled: list[str] = []
    if "duration" in media:
        spelled.append(f'duration="{media["duration"]}"')
    if "fps" in media:
        spelled.append(f"fps={media['fps']}")
    spelled.append(f'aspect_ratio="{media["aspect_ratio"]}"')
    spelled.append(f'resolution={{"H": {controls.height}, "W": {controls.width}}}')
    return ", ".join(spelled)


def read_upsampled(wish: Upsampling, answer: str) -> Upsampled:
    """An answer checked against what was wished for.

    Raises:
        UnusableAnswer: it cannot be used.
    """
    if wish.is_paragraph:
        return _paragraph(wish, answer)
    checked: CheckedCaption = check_answer(answer, wish.kind, wish.controls, words=wish.prompt)
    return Upsampled(
        prompt=serialise(checked.caption),
        caption=checked.caption,
        scene_imagination=checked.scene_imagination,
        thought=checked.thought,
        repairs=checked.repairs,
        attempts=1,
        words=compare_words(wish.prompt, checked.caption),
    )


def _paragraph(wish: Upsampling, answer: str) -> Upsampled:
    pair = read_opening(answer)
    paragraph = Paragraph.model_validate_json(pair.prompt)
    return Upsampled(
        prompt=pair.prompt,
        negative_prompt=pair.negative_prompt,
        caption=paragraph,
        scene_imagination="",
        thought=split_thought(answer).thought,
        repairs=(),
        attempts=1,
        words=compare_words(wish.prompt, paragraph),
    )


async def upsample(ask: Ask, wish: Upsampling) -> Upsampled:
    """Ask until an answer holds.

    Raises:
        EngineError: none did, and why the last did not.
        StudioError: whatever `ask` raises.
    """
    texts = upsample_texts()
    try:
        usable = await first_usable(
            ask, upsample_question(wish), partial(read_upsampled, wish), attempts=wish.attempts, retry=texts.retry
        )
    except UnusableAnswer as error:
        raise EngineError(
            f"The reasoner gave no usable caption in {wish.attempts} attempts: {error.why}",
            param="prompt",
            hint="Generate with the prompt as it is, shorten it, or use another reasoner.",
        ) from None
    return usable.said.model_copy(update={"attempts": usable.attempt})

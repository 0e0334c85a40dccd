"""What a server answers when it is asked for what its reasoner can do: upsampled prompts and tasks."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from studio.captions import Caption, Paragraph, Repair
from studio.prompting import ReasonerTask, Upsampled
from studio.prompting.word_diff import UserWord
from studio.requests import MAX_SEED, Frozen
from studio.requests.fields import AdapterField

MAX_ADDRESS = 96 * 2**20
"""Characters: 64 MiB as a data URI, and room to spare."""


class PromptDiff(Frozen):
    """Where a person's words went.

    Attributes:
        words: every one of them, and its places in the caption.
        lost: those that stand nowhere.
        share_kept: of those that were looked up, 0 to 1.
        kept_by: the words that each text of the caption keeps, by its path.
    """

    words: tuple[UserWord, ...]
    lost: tuple[UserWord, ...]
    share_kept: float
    kept_by: dict[str, tuple[str, ...]]


class UpsampleAnswer(Frozen):
    """`POST /v1/upsample`.

    Attributes:
        prompt: what the generator reads: the caption as one line of JSON.
        negative_prompt: written for just these words, by checkpoints whose prompt is a paragraph; else empty.
        caption: the same, typed.
        repaired: what was mended in the reasoner's answer.
        diff: where the person's words went.
        scene_imagination: what the reasoner wrote before the caption.
        thought: what it thought, if it did.
        attempts: answers that it took.
    """

    prompt: str
    negative_prompt: str = ""
    caption: Caption | Paragraph
    repaired: tuple[Repair, ...]
    diff: PromptDiff
    scene_imagination: str
    thought: str
    attempts: int

    @classmethod
    def of(cls, done: Upsampled) -> UpsampleAnswer:
        """The same as an answer."""
        words = done.words
        diff = PromptDiff(words=words.words, lost=words.lost, share_kept=words.share_kept, kept_by=words.kept_by)
        return cls(
            prompt=done.prompt,
            negative_prompt=done.negative_prompt,
            caption=done.caption,
            repaired=done.repairs,
            diff=diff,
            scene_imagination=done.scene_imagination,
            thought=done.thought,
            attempts=done.attempts,
        )


class TaskList(Frozen):
    """`GET /v1/tasks`."""

    tasks: tuple[ReasonerTask, ...]


class TaskRequest(Frozen):
    """`POST /v1/tasks/{name}`.

    Attributes:
        media: the picture or clip that is asked about: an id of the store, or any address that a chat may show.
        words: what a person says, by the task's fields.
        adapter: that the reasoner wears for the answer.
        thinking: instead of the task's own choice.
        seed: instead of the task's own.
        max_tokens: likewise.
    """

    media: Annotated[str, Field(min_length=1, max_length=MAX_ADDRESS)]
    words: dict[str, str] = Field(default_factory=dict)
    adapter: AdapterField = None
    thinking: bool | None = None
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=65_536)] | None = None

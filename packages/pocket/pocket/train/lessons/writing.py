"""Lessons of the reasoner: from episodes to questions and answers, in the very words that the studio asks with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerBase

from engine.reasoner import Footage
from engine.reasoner.prompt import PromptWriter
from engine.reasoner.sight import read_placeholders
from engine.reasoner.vocabulary import Vocabulary
from pocket.train.lessons.critic import critic_answer, critic_question
from pocket.train.lessons.rewriting import rewriting
from pocket.train.lessons.seeing import squares_of
from pocket.world.captioning import clip_facts
from pocket.world.episode import Episode, Wording
from studio.captions import Controls, analysis_schema
from studio.captions.answer_schema import FIRST, MEDIA
from studio.captions.checking import IMAGINATION
from studio.prompting.captioning import analysis_question
from studio.prompting.question import SYSTEM, PlainText, VideoUrl
from studio.prompting.tasks import VIDEO_FPS
from studio.prompting.templates import CaptionTexts, caption_texts, fill
from studio.prompting.upsampling import UpsampleMode, upsample_message
from studio.requests import AspectRatio
from studio.requests.reason import Reason
from studio.rules.canvas import CANVASES
from studio.sight import choose_frames, read_sight


def captioning(episode: Episode, full: Wording) -> tuple[tuple[str, str], tuple[str, str]]:
    """A clip captioned in two turns, by the studio's own questions.

    The analysis of the clip and the narrative that follows it, each as (question, answer).

    Args:
        full: its caption with every field.
    """
    controls = Controls.of_clip(clip_facts(episode))
    asked = analysis_question(VideoUrl(url=""), controls, texts())
    question = "".join(part.text for part in asked.messages[-1].parts if isinstance(part, PlainText))
    caption = json.loads(full.caption)
    analysis = {name: caption[name] for name in analysis_schema(controls)["properties"] if name in caption}
    return (question, json.dumps(analysis)), (fill(texts().narrative), caption["temporal_caption"])


@cache
def texts() -> CaptionTexts:
    """What is asked with, as shipped."""
    return caption_texts()


SHOWN = "u" + "0" * 16
"""The media id of what a lesson shows."""

TASKS = ("boxes", "points", "intervals", "caption")
"""Questions that are tasks of the studio."""

_Looked = tuple[NDArray[np.uint8], NDArray[np.uint8]]
"""Frames, and what stands where in them."""

UPSAMPLED = 3
"""Short wishes of an episode that are turned into its full caption."""

REWRITTEN_EVERY = 3
"""One still of so many has its prompt written anew: seven times as many words as in another lesson, a tenth of all."""


@dataclass(frozen=True)
class Exchange:
    """One question and its right answer.

    Attributes:
        shows: what is shown with it: the first frame, the clip, or nothing.
        is_task: it is asked under the system prompt, as the studio asks its tasks; people ask with and without.
        before: the question and the answer that it follows in the same conversation, if any.
    """

    question: str
    answer: str
    shows: Literal["image", "video", "nothing"]
    is_task: bool = True
    before: tuple[str, str] | None = None


@dataclass(frozen=True)
class Lesson:
    """The same as the reasoner reads it.

    Attributes:
        tokens: int32 [U], question and answer.
        answer_at: index of the answer's first token.
        positions: float32 [3, U].
        places: int64, indexes of the tokens that stand for what is shown.
        frames: uint8 [T, height, width, 3] as it is looked at, T even; None where nothing is shown.
        squares: what stands where in them, see `pocket.train.lessons.seeing.squares_of`.
    """

    tokens: np.ndarray
    answer_at: int
    positions: np.ndarray
    places: np.ndarray
    frames: np.ndarray | None = field(repr=False)
    squares: np.ndarray | None = field(repr=False)

    @property
    def grid(self) -> tuple[int, int, int] | None:
        """(t, h, w) in patches of what is shown."""
        if self.frames is None:
            return None
        length, height, width, _ = self.frames.shape
        return length // 2, height // 16, width // 16


def exchanges(episode: Episode) -> Iterator[Exchange]:
    """Everything that can be asked about an episode."""
    seen = "image" if episode.view == "still" else "video"
    for index, question in enumerate(episode.questions):
        is_task = question.kind in TASKS or index % 2 == 0
        yield Exchange(question.question, question.answer, seen, is_task)
    if episode.view == "still":
        for critique in episode.critiques:
            yield Exchange(critic_question(critique.prompt), critic_answer(critique), seen)
        if episode.seed % REWRITTEN_EVERY == 0:
            yield from _rewritten(episode)
    fullest = [wording for wording in episode.wordings if wording.detail == "rich"] or list(episode.wordings)
    for index, wording in enumerate(episode.wordings[:UPSAMPLED]):
        yield from _upsampled(episode, wording, fullest[index % len(fullest)])
    if episode.view == "clip" and fullest:
        analysis, narrative = captioning(episode, fullest[episode.seed % len(fullest)])
        yield Exchange(*analysis, "video")
        yield Exchange(*narrative, "video", before=analysis)


def _rewritten(episode: Episode) -> Iterator[Exchange]:
    shape = shape_of(episode)
    rewritten = rewriting(episode, shape) if shape is not None else None
    if rewritten is not None:
        yield Exchange(*rewritten, "nothing")


def _upsampled(episode: Episode, wish: Wording, full: Wording) -> Iterator[Exchange]:
    controls = controls_of(episode)
    if controls is None:
        return
    modes: list[UpsampleMode] = ["text_to_image"] if episode.view == "still" else ["text_to_video", "image_to_video"]
    for mode in modes:
        question = upsample_message(mode, wish.prose, controls)
        kind = "image" if mode == "text_to_image" else "video"
        shows = "image" if mode == "image_to_video" else "nothing"
        yield Exchange(question, upsampled_answer(full, kind, controls), shows)


def shape_of(episode: Episode) -> AspectRatio | None:
    """Of its pictures; none for a size that is no canvas."""
    height, width = episode.frames.shape[1:3]
    return next((shape for shape, size in CANVASES["256"].items() if size == (width, height)), None)


def controls_of(episode: Episode) -> Controls | None:
    """The canvas, length and rate as captions say them; none for a size that is no canvas."""
    shape = shape_of(episode)
    if shape is None:
        return None
    if episode.view == "still":
        return Controls.of_image("256", shape)
    return Controls.of_video("256", shape, len(episode.frames), float(episode.fps))


def upsampled_answer(full: Wording, kind: str, controls: Controls) -> str:
    """A caption in the order in which an upsampler writes it, scene first, controls last."""
    caption: dict[str, Any] = json.loads(full.caption)
    first = FIRST["image" if kind == "image" else "video"]
    written = {IMAGINATION: full.prose} | {name: caption[name] for name in first[1:] if name in caption}
    written |= {name: value for name, value in caption.items() if name not in MEDIA and name not in written}
    return json.dumps(written | controls.media)


class LessonWriter:
    """From exchanges to lessons, with the engine's own prompt writer.

    Args:
        folder: with the processors' files, see `engine.speck.layout.write_processors`.
        size: rows of the word tables.
    """

    def __init__(self, folder: Path, tokenizer: PreTrainedTokenizerBase, size: int) -> None:
        assert isinstance(tokenizer.eos_token_id, int)
        self._end = tokenizer.eos_token_id
        self.vocabulary = Vocabulary(tokenizer, size, frozenset([self._end]))
        self.sight = read_sight(folder, is_edge=False)
        self._shown: tuple[Episode, str, Footage, _Looked] | None = None
        self._writer = PromptWriter(self.vocabulary, self.sight, read_placeholders(self.vocabulary))

    def write(self, episode: Episode, exchange: Exchange) -> Lesson:
        """One lesson."""
        kind = exchange.shows
        first, *later = [*(exchange.before or ()), exchange.question]
        content: list[dict[str, str]] = [{"type": "text", "text": first}]
        if kind != "nothing":
            content.insert(0, {"type": kind, kind: SHOWN})
        messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        messages += [{"role": role, "content": text} for role, text in zip(("assistant", "user"), later, strict=False)]
        if exchange.is_task:
            messages.insert(0, {"role": "system", "content": SYSTEM})
        request = Reason.model_validate({"messages": messages, "video_fps": VIDEO_FPS if kind == "video" else None})
        shown, (frames, squares) = (None, (None, None)) if kind == "nothing" else self._footage(episode, request, kind)
        prompt = self._writer.write(request, {} if shown is None else {SHOWN: shown})
        answer = [*self.vocabulary.encode(exchange.answer), self._end]
        positions = prompt.next_position + np.arange(len(answer), dtype=np.float32)
        lesson = Lesson(
            tokens=np.array([*prompt.tokens, *answer], np.int32),
            answer_at=len(prompt.tokens),
            positions=np.concatenate([prompt.positions.numpy(), np.tile(positions, (3, 1))], 1),
            places=prompt.shown[0].places if shown is not None else np.zeros(0, np.int64),
            frames=frames,
            squares=squares,
        )
        assert frames is None or prompt.shown[0].patches.grid == lesson.grid, "frames are not looked at as they are"
        return lesson

    def _footage(self, episode: Episode, request: Reason, kind: Literal["image", "video"]) -> tuple[Footage, _Looked]:
        """What is shown, and how it is looked at: the same arrays for all lessons of an episode."""
        if self._shown is None or self._shown[0] is not episode or self._shown[1] != kind:
            if kind == "image":
                chosen, footage = [0], Footage(episode.frames[:1])
            else:
                chosen = list(choose_frames(len(episode.frames), float(episode.fps), request, self.sight))
                footage = Footage(episode.frames[chosen], tuple(index / episode.fps for index in chosen))
            # In whole patches of two: the last one is repeated.
            even = chosen + chosen[-1:] * (len(chosen) % 2)
            self._shown = episode, kind, footage, (episode.frames[even], squares_of(episode, even))
        return self._shown[2:]

"""Questions with their answers as the reasoner reads them: its own chat, frames and patches, and the answer behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from backend.media.clip_reader import stream_frames
from backend.media.pictures import decode_picture, is_picture
from backend.media.timeline import read_timeline
from engine.reasoner import Footage
from engine.reasoner.prompt import PromptWriter, Shown
from studio.errors import NotAllowed
from studio.requests import parse_as
from studio.requests.reason import Reason
from studio.sight import bounds_of, choose_frames, seen_size
from studio.tuning import ReasonerRecipe


@dataclass(frozen=True)
class Said:
    """A question and its answer before the one that is learnt.

    Attributes:
        media: files that it shows, in order.
    """

    question: str
    media: tuple[Path, ...]
    answer: str


@dataclass(frozen=True)
class Conversation:
    """A question, what it is about, and the answer that is learnt.

    Attributes:
        name: data set and row, for people.
        media: files that it shows, in order.
        earlier: of the same conversation; it is read and not learnt.
    """

    name: str
    system: str
    question: str
    media: tuple[Path, ...]
    answer: str
    earlier: tuple[Said, ...] = ()

    @property
    def all_media(self) -> tuple[Path, ...]:
        """Every file that is shown, in order."""
        return (*(path for said in self.earlier for path in said.media), *self.media)


@dataclass(frozen=True)
class Reading:
    """The same in tokens.

    Attributes:
        tokens: int64 [U], question and answer.
        answer_at: index of the answer's first token.
        positions: float32 [3, U].
        shown: what is looked at, and where.
    """

    tokens: NDArray[np.int64]
    answer_at: int
    positions: Tensor
    shown: tuple[Shown, ...]


class ConversationReader:
    """From conversations to what a checkpoint reads of them."""

    def __init__(self, writer: PromptWriter, recipe: ReasonerRecipe) -> None:
        self._writer, self._recipe = writer, recipe

    def read(self, conversation: Conversation) -> Reading:
        """Look at the media and write the chat.

        Raises:
            BadInput: a file cannot be decoded, a text holds a token that stands for one, or it is more than a request
                may have (`studio.requests.reason`).
            NotAllowed: something is shown to a checkpoint that cannot see.
        """
        request, footage = self._request(conversation)
        prompt = self._writer.write(request, footage)
        vocabulary = self._writer.vocabulary
        answer = [*vocabulary.encode(conversation.answer), min(vocabulary.ends)]
        behind = prompt.next_position + torch.arange(len(answer), dtype=torch.float32)
        return Reading(
            np.array([*prompt.tokens, *answer], np.int64),
            len(prompt.tokens),
            torch.cat([prompt.positions, behind.expand(3, -1)], 1),
            prompt.shown,
        )

    def frames(self, conversation: Conversation) -> NDArray[np.uint8] | None:
        """What is looked at first, uint8 [T, height, width, 3]; none where nothing is shown."""
        _, footage = self._request(conversation)
        return next(iter(footage.values())).frames if footage else None

    def words(self, reading: Reading) -> str:
        """The chat up to the answer."""
        return str(self._writer.vocabulary.tokenizer.decode(reading.tokens[: reading.answer_at].tolist()))

    def _request(self, conversation: Conversation) -> tuple[Reason, dict[str, Footage]]:
        every = conversation.all_media
        if every and self._writer.sight is None:
            raise NotAllowed("This checkpoint has no vision encoder: it reads only text.", param="checkpoint")
        names = [f"u{number:016x}" for number in range(len(every))]
        kinds = ["image" if is_picture(path) else "video" for path in every]
        messages = _messages(conversation, list(zip(kinds, names, strict=True)))
        asked = {"video_fps": self._recipe.fps, "num_video_frames": self._recipe.num_frames}
        request = parse_as(Reason, {"messages": messages, **asked})
        footage: dict[str, Footage] = {}
        longest = 1
        chosen: dict[str, tuple[int, ...]] = {}
        for name, kind, path in zip(names, kinds, every, strict=True):
            if kind == "video":
                chosen[name] = self._choose(path, request)
                longest = max(longest, len(chosen[name]))
        # The recipe's pixels are of a frame, a request's of all frames of a video together.
        bounds = {"min_pixels": self._recipe.min_pixels, "max_pixels": self._recipe.max_pixels}
        given = {bound: pixels * longest for bound, pixels in bounds.items() if pixels is not None}
        request = parse_as(Reason, {"messages": messages, **asked, **given})
        for name, path in zip(names, every, strict=True):
            footage[name] = self._video(path, chosen[name], request) if name in chosen else _image(path)
        return request, footage

    def _choose(self, path: Path, request: Reason) -> tuple[int, ...]:
        timeline = read_timeline(path)
        assert self._writer.sight is not None
        return choose_frames(len(timeline.ticks), float(timeline.mean_rate), request, self._writer.sight)

    def _video(self, path: Path, chosen: Sequence[int], request: Reason) -> Footage:
        """Its frames, reduced where they are looked at smaller than they are, as the server sends them."""
        assert self._writer.sight is not None
        timeline = read_timeline(path)
        times_s = tuple(float((timeline.ticks[at] - timeline.ticks[0]) * timeline.time_base) for at in chosen)
        height, width = next(iter(stream_frames(path, timeline, chosen[:1]))).shape[:2]
        bounds = bounds_of(request, self._writer.sight, is_clip=True)
        rows, columns = seen_size(height, width, self._writer.sight, bounds, len(chosen))
        seen = (columns, rows) if rows * columns < width * height else None
        frames = np.stack([*stream_frames(path, timeline, chosen, size=seen)])
        return Footage(frames, times_s, None if seen is None else (width, height))


def _messages(conversation: Conversation, shown: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """The chat up to the answer that is learnt.

    Args:
        shown: kind and name of every file, in order.
    """
    left = iter(shown)

    def asked(question: str, media: tuple[Path, ...]) -> dict[str, Any]:
        parts: list[dict[str, str]] = [{"type": kind, kind: name} for kind, name in islice(left, len(media))]
        return {"role": "user", "content": [*parts, {"type": "text", "text": question}] if parts else question}

    messages: list[dict[str, Any]] = []
    if conversation.system:
        messages.append({"role": "system", "content": conversation.system})
    for said in conversation.earlier:
        messages += [asked(said.question, said.media), {"role": "assistant", "content": said.answer}]
    return [*messages, asked(conversation.question, conversation.media)]


def _image(path: Path) -> Footage:
    return Footage(decode_picture(path)[0][None])

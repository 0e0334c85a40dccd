"""A conversation as the tokens, positions and sights that the reasoner reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engine.reasoner.pixels import Patches, to_patches
from engine.reasoner.sight import END_TOKEN, IMAGE_TOKEN, START_TOKEN, VIDEO_TOKEN, Footage, Placeholders
from engine.reasoner.vocabulary import Vocabulary
from studio.errors import BadInput, BrokenCheckpoint, NotAllowed
from studio.requests.reason import ImagePart, Reason, TextPart
from studio.sight import Sight, bounds_of

CLIP = re.compile("|".join(map(re.escape, (START_TOKEN + VIDEO_TOKEN + END_TOKEN, VIDEO_TOKEN, IMAGE_TOKEN))))


@dataclass(frozen=True)
class Shown:
    """A picture or clip and the places of its tokens.

    Attributes:
        places: indexes into the prompt, rising, int64.
    """

    patches: Patches
    places: np.ndarray


@dataclass(frozen=True)
class Prompt:
    """What is read before the answer.

    Attributes:
        tokens: ids.
        keys: int64 [P], equal for two prompts as far as the same is read: ids, and of a sight its digest.
        positions: [3, P] float32: time, height, width.
        next_position: of the first token of the answer, on all axes.
        shown: in order.
    """

    tokens: tuple[int, ...]
    keys: np.ndarray
    positions: Tensor
    next_position: int
    shown: tuple[Shown, ...]


@dataclass(frozen=True)
class PromptWriter:
    """From messages to prompts, for one checkpoint.

    Attributes:
        sight: none where the checkpoint cannot see.
    """

    vocabulary: Vocabulary
    sight: Sight | None
    placeholders: Placeholders | None

    def write(self, request: Reason, media: Mapping[str, Footage]) -> Prompt:
        """Render the chat, put what is shown in its places and number the tokens.

        Raises:
            NotAllowed: something is shown to a checkpoint that cannot see, or its template has no switch for thinking.
            BadInput: a picture cannot be looked at, or a text holds a token that stands for one.
        """
        if request.enable_thinking and not self.vocabulary.knows_thinking:
            raise NotAllowed(
                "This checkpoint's chat template has no thinking switch.",
                param="enable_thinking",
                hint="Ask for it in the prompt: reason in <think> first, then answer.",
            )
        patches = self._look(request, media)
        text = self.vocabulary.render(_chat(request), request.enable_thinking)
        tokens = self.vocabulary.encode(self._with_places(text, patches))
        grid = [_merged_grid(entry, self.sight) for entry in patches]
        return _numbered(tokens, patches, grid, self.placeholders)

    def _look(self, request: Reason, media: Mapping[str, Footage]) -> list[Patches]:
        """Patches of everything that is shown, in order; what is shown twice is cut up once."""
        cut: dict[str, Patches] = {}
        shown: list[Patches] = []
        for index, message in enumerate(request.messages):
            parts = () if isinstance(message.content, str) else message.content
            for place, part in enumerate(parts):
                if isinstance(part, TextPart):
                    _check_words(part.text, f"messages.{index}.content.{place}.text")
                    continue
                param = f"messages.{index}.content.{place}"
                if self.sight is None or self.placeholders is None:
                    raise NotAllowed(
                        "This checkpoint has no vision encoder: it reads only text.",
                        param=param,
                        hint="Remove images and videos, or load a checkpoint with vision_encoder/.",
                    )
                name = part.image if isinstance(part, ImagePart) else part.video
                assert isinstance(part, ImagePart) != bool(media[name].times_s)
                if name not in cut:
                    cut[name] = to_patches(
                        media[name],
                        self.sight,
                        bounds_of(request, self.sight, is_clip=bool(media[name].times_s)),
                        param,
                    )
                shown.append(cut[name])
            if isinstance(message.content, str):
                _check_words(message.content, f"messages.{index}.content")
        return shown

    def _with_places(self, text: str, patches: list[Patches]) -> str:
        """The chat with a placeholder for every token of what is shown."""
        waiting = iter(patches)
        num_places = 0

        def fill(match: re.Match[str]) -> str:
            nonlocal num_places
            num_places += 1
            shown = next(waiting, None)
            return "" if shown is None else self._place(match[0], shown)

        filled = CLIP.sub(fill, text)
        if num_places != len(patches):
            raise BrokenCheckpoint(
                f"The chat template has {num_places} places for {len(patches)} images and videos.", param="checkpoint"
            )
        return filled

    def _place(self, found: str, patches: Patches) -> str:
        assert self.sight is not None
        _, rows, columns = _merged_grid(patches, self.sight)
        if not patches.is_clip:
            return found.replace(IMAGE_TOKEN, IMAGE_TOKEN * (rows * columns))
        frame = START_TOKEN + VIDEO_TOKEN * (rows * columns) + END_TOKEN
        frames = "".join(f"<{time_s:.1f} seconds>{frame}" for time_s in patches.times_s)
        return f"{START_TOKEN}{frames}{END_TOKEN}" if self.sight.wraps_clip and found != VIDEO_TOKEN else frames


def _chat(request: Reason) -> list[dict[str, object]]:
    """The messages as a chat template reads them."""
    return [
        {
            "role": message.role,
            "content": message.content
            if isinstance(message.content, str)
            else [
                {"type": "text", "text": part.text} if isinstance(part, TextPart) else {"type": part.type}
                for part in message.content
            ],
        }
        for message in request.messages
    ]


def _check_words(text: str, param: str) -> None:
    for token in (IMAGE_TOKEN, VIDEO_TOKEN):
        if token in text:
            raise BadInput(f"The text has {token}, which is reserved for media.", param=param, hint="Remove it.")


def _merged_grid(patches: Patches, sight: Sight | None) -> tuple[int, int, int]:
    assert sight is not None
    frames, rows, columns = patches.grid
    return frames, rows // sight.merge, columns // sight.merge


def _numbered(
    tokens: list[int],
    patches: list[Patches],
    grids: list[tuple[int, int, int]],
    placeholders: Placeholders | None,
) -> Prompt:
    """Positions as Qwen3-VL has them: words count on all axes at once; a picture stands at one time, its rows and
    columns count from there, and words go on behind its longer side. A clip is a picture for each of its times.
    """
    ids = np.array(tokens, dtype=np.int64)
    keys, positions = ids.copy(), np.empty((3, len(ids)), np.float32)
    at = here = 0
    shown: list[Shown] = []
    for entry, (frames, rows, columns) in zip(patches, grids, strict=True):
        assert placeholders is not None
        sign = placeholders.video if entry.is_clip else placeholders.image
        places: list[np.ndarray] = []
        for _ in range(frames):
            start = at + int(np.argmax(ids[at:] == sign))
            size = rows * columns
            assert (ids[start : start + size] == sign).all()
            positions[:, at:start] = here + np.arange(start - at)
            here += start - at
            grid = np.indices((1, rows, columns)).reshape(3, -1)
            positions[:, start : start + size] = here + grid
            here += max(rows, columns)
            at = start + size
            places.append(np.arange(start, at))
        where = np.concatenate(places)
        # Below any token id: negative, and its own for every place of a sight.
        keys[where] = -1 - ((entry.digest + np.arange(len(where), dtype=np.uint64)) >> np.uint64(1)).astype(np.int64)
        shown.append(Shown(entry, where))
    positions[:, at:] = here + np.arange(len(ids) - at)
    return Prompt(tuple(tokens), keys, torch.from_numpy(positions), here + len(ids) - at, tuple(shown))

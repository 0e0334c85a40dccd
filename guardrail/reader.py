"""What reads: NVIDIA's two text checks, a blocklist and Qwen3Guard, and its two on frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from guardrail.eyes import ContentFilter, FaceBlur

LOOKS_PER_S = 2.0
"""How many frames of a second of a clip the content filter sees (cosmos_guardrail.py, 0.3.2: is_safe_file)."""


@dataclass(frozen=True)
class Seen:
    """What came of a look at frames.

    Attributes:
        reason: why they are not safe; empty where they are.
        frames: uint8 [n, height, width, 3] with faces made unrecognisable; none where nothing had to be changed.
    """

    safe: bool
    reason: str = ""
    frames: NDArray[np.uint8] | None = None


class Reader(Protocol):
    """Something that reads texts and looks at frames."""

    def load(self) -> str:
        """Load what it needs; a word on it for people. Raises whatever is wrong."""
        ...

    def read(self, text: str) -> tuple[bool, str]:
        """Whether a text is safe, and why not. Raises when it cannot tell."""
        ...

    def look(self, frames: NDArray[np.uint8], first: int, fps: float) -> Seen:
        """Whether frames are safe, and what they are to be replaced by. Raises when it cannot tell.

        Args:
            frames: uint8 [n, height, width, 3], which may be written to.
            first: index of the first of them in their clip.
            fps: of the clip; 0 for a picture.
        """
        ...


class CosmosReader:
    """cosmos-guardrail 0.3.

    Args:
        device: where the models compute, as PyTorch names it.
        content_filter: whether frames are classified before faces are blurred. The package's own checker has left this
            out since 0.3 ("too many false positives"), and blurs faces alone.
    """

    def __init__(self, device: str = "cpu", *, content_filter: bool = True) -> None:
        self._device = device
        self._blocklist: Any = None
        self._guard: Any = None
        self._filter = ContentFilter() if content_filter else None
        self._blur = FaceBlur()

    def load(self) -> str:
        """Load all of them, which fetches them the first time."""
        from cosmos_guardrail.cosmos_guardrail import (  # pyright: ignore[reportMissingImports] - in its own environment
            COSMOS_GUARDRAIL_CHECKPOINT,
            Blocklist,
            Qwen3Guard,
        )

        self._blocklist = Blocklist(COSMOS_GUARDRAIL_CHECKPOINT)
        self._guard = Qwen3Guard().to(self._device)
        self._blur.load(self._device)
        if self._filter is None:
            return (
                "prompts are checked by a blocklist and Qwen3Guard; faces in frames are blurred, and frames are not "
                "classified"
            )
        self._filter.load(self._device)
        return "prompts are checked by a blocklist and Qwen3Guard; frames pass a content filter, and faces are blurred"

    def read(self, text: str) -> tuple[bool, str]:
        """Ask both."""
        safe, why = self._blocklist.is_safe(text)
        if not safe:
            return False, str(why)
        # Not `is_safe`: that answers yes when the model breaks (cosmos_guardrail.py, 0.3.2).
        safe, why = self._guard.extract_label_and_categories(text)
        return bool(safe), str(why)

    def look(self, frames: NDArray[np.uint8], first: int, fps: float) -> Seen:
        """Two frames of a second are classified; of all of them the faces are blurred."""
        if self._filter is not None:
            every = max(1, round(fps / LOOKS_PER_S))
            for index, frame in enumerate(frames):
                if (first + index) % every == 0 and (what := self._filter.fault_of(frame)) is not None:
                    where = f"frame {first + index}" if fps else "the image"
                    return Seen(False, f"{where} was classified as {what}")
        return Seen(True, frames=self._blur.blurred(frames))

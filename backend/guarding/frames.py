"""Having generated frames looked at before they are written: asked by the worker, who alone has them.

The contract is in `guardrail/__main__.py`. What does not pass is never a file, not even for a moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import httpx
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from studio.errors import GuardrailBlocked, GuardrailLost

NUM_TOGETHER = 8
"""Frames of one question: between two of them a job can be cancelled."""

PATIENCE_S = 120.0
"""For one question: on a CPU, faces in 1280x720 take about a second a frame."""


class _FramesVerdict(BaseModel):
    safe: bool
    reason: str = ""


class FrameGuard:
    """The worker's side of the guardrail.

    Args:
        url: where it answers; none is a server without one.
        transport: in place of the network, for tests.
    """

    def __init__(self, url: str | None, transport: httpx.BaseTransport | None = None) -> None:
        # A connection a question: on loopback that is nothing, and there is none to be closed.
        alone = httpx.Limits(max_keepalive_connections=0)
        patience = httpx.Timeout(PATIENCE_S, connect=2.0)
        self._http = (
            None
            if url is None
            else httpx.Client(base_url=url, timeout=patience, limits=alone, trust_env=False, transport=transport)
        )

    def begin(self, pieces: Iterable[NDArray[np.uint8]], fps: float) -> SeenFrames:
        """Frames of one result, on their way through the guardrail.

        Args:
            pieces: uint8 [n, height, width, 3].
            fps: of the clip; 0 for a picture.
        """
        return SeenFrames(self, pieces, fps)

    def look(self, frames: NDArray[np.uint8], first: int, fps: float) -> NDArray[np.uint8]:
        """Have a few frames looked at; what comes back has no faces.

        Raises:
            GuardrailBlocked: they are not safe.
            GuardrailLost: it does not answer, or there is none.
        """
        if self._http is None:
            raise GuardrailLost(
                "This job's words were read by a guardrail that is not there any more; its frames are not kept unseen.",
                hint="Start the server with --guardrail-url, or retry the job, which is marked anew then.",
            )
        count, height, width, _ = frames.shape
        said = {"count": count, "height": height, "width": width, "first": first, "fps": fps}
        try:
            response = self._http.post("/frames", params=said, content=np.ascontiguousarray(frames).tobytes())
            response.raise_for_status()
            if response.headers.get("content-type") == "application/octet-stream":
                return np.frombuffer(response.content, np.uint8).reshape(frames.shape)
            answer = _FramesVerdict.model_validate_json(response.content)
        except (httpx.HTTPError, ValidationError, ValueError) as error:
            raise GuardrailLost(
                f"The guardrail does not say what is in the frames ({type(error).__name__}); nothing is kept unseen.",
                hint="Start it again, wait until it is on, and retry the job.",
            ) from None
        if not answer.safe:
            raise GuardrailBlocked(
                f"The guardrail does not let what was made through: {answer.reason[:300] or 'no reason given'}.",
                hint="Write the prompt in other words, or take another seed.",
            )
        return frames


class SeenFrames:
    """Frames that have been looked at, piece by piece.

    Attributes:
        is_changed: whether some came back other than they were, so far.
    """

    def __init__(self, guard: FrameGuard, pieces: Iterable[NDArray[np.uint8]], fps: float) -> None:
        self._guard = guard
        self._pieces = pieces
        self._fps = fps
        self.is_changed = False

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        """Pieces of uint8 [n, height, width, 3], of as many frames in all. Raises as `FrameGuard.look`."""
        first = 0
        for piece in self._pieces:
            for start in range(0, len(piece), NUM_TOGETHER):
                frames = piece[start : start + NUM_TOGETHER]
                seen = self._guard.look(frames, first, self._fps)
                self.is_changed |= seen is not frames
                first += len(frames)
                yield seen

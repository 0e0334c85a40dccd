"""Asking the guardrail, and never running in silence what it has not read.

Without one, jobs are marked `not_installed`. With one that is configured and does not answer, guarded requests are
refused until it does. What it is asked and what it answers is written down in `guardrail/__main__.py`.

Generated frames are looked at before they are written: the worker asks, who alone has them. What does not pass is never
a file, not even for a moment.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import httpx
import numpy as np
import structlog
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from studio.errors import GuardrailBlocked, GuardrailLost
from studio.events import GuardrailStatus
from studio.jobs import Verdict
from studio.requests import Request
from studio.settings import ServerSettings

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
                "The guardrail that checked this job's prompt is no longer running, so its frames cannot be checked "
                "and were discarded.",
                hint="Start the server with --guardrail-url, or retry the job.",
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
                f"The guardrail could not check the frames ({type(error).__name__}); the result was discarded.",
                hint="Restart the guardrail, wait until it is on, and retry the job.",
            ) from None
        if not answer.safe:
            raise GuardrailBlocked(
                f"The guardrail blocked the result: {answer.reason[:300] or 'no reason given'}.",
                hint="Reword the prompt, or use another seed.",
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


log = structlog.get_logger("orrery.guardrail")

POLL_S = 2.0
STARTING_S = 0.5
"""Between two looks at one that loads its models, while a job waits for it."""

ANSWER_S = 30.0
"""For a prompt of 64 KiB on a CPU."""

_NOT_INSTALLED = "No guardrail is installed: prompts are not checked."


READ_FIELDS = ("prompt", "negative_prompt", "written_from")


def read_fields(request: Request) -> tuple[str, ...]:
    """The texts of a request that are read, one for each of `READ_FIELDS`; empty where it has none."""
    return tuple(getattr(request, param, None) or "" for param in READ_FIELDS)


class _State(BaseModel):
    """`GET /state`."""

    state: Literal["starting", "on", "failed"]
    detail: str = ""


class _TextVerdict(BaseModel):
    """`POST /text`."""

    safe: bool
    reason: str = ""


class Guard:
    """The server's side of the guardrail.

    Args:
        settings: where it answers, and whether nothing may run without it.
        tell: is called with every change of its state.
        transport: in place of the network, for tests.
    """

    def __init__(
        self,
        settings: ServerSettings,
        tell: Callable[[GuardrailStatus], None],
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._required = settings.require_guardrail
        self._tell = tell
        self._http = (
            None
            if settings.guardrail_url is None
            else httpx.AsyncClient(
                base_url=settings.guardrail_url,
                timeout=httpx.Timeout(ANSWER_S, connect=POLL_S),
                trust_env=False,
                transport=transport,
            )
        )
        installed = self._http is not None
        self.status = GuardrailStatus(
            state="starting" if installed else "not_installed",
            detail="" if installed else _NOT_INSTALLED,
            required=self._required,
        )

    async def run(self) -> None:
        """Watch over its state until cancelled; returns at once where there is none."""
        while self._http is not None:
            await self.look()
            await asyncio.sleep(POLL_S)

    async def look(self) -> GuardrailStatus:
        """Ask for its state now."""
        assert self._http is not None
        try:
            answer = await self._http.get("/state", timeout=POLL_S)
            found = _State.model_validate_json(answer.raise_for_status().content)
            self._move(found.state, found.detail)
        except (httpx.HTTPError, ValidationError) as error:
            self._move("failed", f"It does not answer: {type(error).__name__}.")
        return self.status

    async def close(self) -> None:
        """Close the sockets."""
        if self._http is not None:
            await self._http.aclose()

    async def check(self, request: Request, *, wanted: bool | None = None) -> Verdict:
        """What is to be said of a job that asks for this.

        Args:
            wanted: whether the caller wants it checked; none is what the server does by itself, which is to check.

        Raises:
            GuardrailBlocked: it says that the prompt is not safe.
            GuardrailLost: it does not answer, or there is none, and nothing may run without it.
        """
        if self._required and (wanted is False or self._http is None):
            why = "no guardrail is installed" if self._http is None else "the request turns it off"
            raise GuardrailLost(
                f"This server requires a guardrail, but {why}.",
                param="guardrails" if wanted is False else None,
                hint="Install one and start the server with --guardrail-url, or without --require-guardrail.",
            )
        if self._http is None:
            return "not_installed"
        if wanted is False:
            return "off"
        for param, text in zip(READ_FIELDS, read_fields(request), strict=True):
            if text:
                await self.check_text(text, param)
        return "passed"

    def owes(self, verdict: Verdict | None) -> bool:
        """Whether a job of which this was said when it was accepted must be looked at again before it runs.

        It was accepted by a server without a guardrail, or by one that required none.
        """
        if verdict == "passed":
            return False
        return self._required or (self._http is not None and verdict != "off")

    async def check_late(self, request: Request, verdict: Verdict | None) -> Verdict:
        """As `check`, of such a job; waits while the guardrail loads its models. Raises as `check`."""
        while self._http is not None and self.status.state == "starting":
            await asyncio.sleep(STARTING_S)
            await self.look()
        return await self.check(request, wanted=False if verdict == "off" else None)

    async def check_written(self, text: str) -> None:
        """Have read what was written in place of a prompt that had passed. Raises as `check`."""
        if self._http is None:
            raise GuardrailLost(
                "The guardrail that checked this job's prompt is no longer running, so the upsampled prompt cannot "
                "be checked.",
                hint="Start the server with --guardrail-url, or retry the job.",
            )
        await self.check_text(text, "prompt", "upsampled prompt")

    async def check_text(self, text: str, param: str, called: str = "") -> None:
        """Have one text read; returns where there is no guardrail. Raises as `check`.

        Args:
            param: the request's field that it stands in.
            called: what people call it; else as the field.
        """
        if self._http is None:
            return
        try:
            response = await self._http.post("/text", json={"text": text})
            answer = _TextVerdict.model_validate_json(response.raise_for_status().content)
        except (httpx.HTTPError, ValidationError) as error:
            await self.look()
            log.error("guardrail_lost", state=self.status.state, reason=type(error).__name__)
            raise GuardrailLost(
                f"The guardrail does not answer ({self.status.detail or self.status.state}); unchecked prompts are "
                f"not run.",
                hint="Restart the guardrail and wait until it is on, or send guardrails: false if the server allows "
                "it.",
            ) from None
        self._move("on", self.status.detail if self.status.state == "on" else "")
        if not answer.safe:
            raise GuardrailBlocked(
                f"The guardrail blocked this {called or param.replace('_', ' ')}: "
                f"{answer.reason[:300] or 'no reason given'}.",
                param=param,
                hint="Reword it.",
            )

    def _move(self, state: Literal["starting", "on", "failed"], detail: str) -> None:
        status = GuardrailStatus(state=state, detail=detail[:300], required=self._required)
        if status != self.status:
            log.info("guardrail", state=state, detail=detail[:300])
            self.status = status
            self._tell(status)

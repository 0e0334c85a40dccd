"""Conversations that are open, by id: each has a queue that the worker's words come in by."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import structlog

from backend.broadcast import Broadcast
from backend.engine_process import WorkerLost
from backend.fleet import Fleet
from backend.jobs.dispatcher import Spoken
from backend.messages import (
    ConversationEnded,
    ConversationReport,
    ConversationSaid,
    Converse,
    StopConversation,
    Token,
    Usage,
)
from backend.metrics import Metrics
from studio.captions import sparing
from studio.errors import Busy, EngineLost
from studio.jobs import Failure
from studio.presets import ReasonerDefaults
from studio.requests import Reason

log = structlog.get_logger("orrery.reasoning")

MAX_OPEN = 64
"""Conversations at a time. A token of each of them fits into one pass; how much context does is the device's matter,
which refuses the youngest one when it has no more memory."""


@dataclass(frozen=True)
class TextAnswer:
    """A whole answer."""

    text: str
    tokens: tuple[Token, ...]
    usage: Usage
    finish_reason: Literal["stop", "length"]


Told = Callable[[str], None]
"""Gets the text of an answer, piece by piece."""


def unheard(_: str) -> None:
    """Nobody waits for pieces."""


class OpenConversation:
    """An answer while it comes.

    Attributes:
        finish_reason: why it ended, once it has.
        usage: tokens so far.
    """

    def __init__(self) -> None:
        self.finish_reason: Literal["stop", "length"] | None = None
        self.usage = Usage()
        self._reports: asyncio.Queue[ConversationReport] = asyncio.Queue()
        self._held: ConversationEnded | None = None

    def put(self, report: ConversationReport) -> None:
        """What the worker has said."""
        self._reports.put_nowait(report)

    async def said(self) -> ConversationSaid | None:
        """Everything that has come since the last time, as soon as anything has; none after the end.

        Raises:
            StudioError: why there is no answer, or no more of it.
        """
        report = self._held or await self._reports.get()
        self._held = None
        if isinstance(report, ConversationEnded):
            self._held = report
            if report.failure is not None:
                raise report.failure.error()
            self.finish_reason = report.finish_reason
            return None
        while not self._reports.empty():
            following = self._reports.get_nowait()
            if isinstance(following, ConversationEnded):
                self._held = following
            else:
                tokens = (*report.tokens, *following.tokens)
                report = replace(following, text=report.text + following.text, tokens=tokens)
        self.usage = report.usage
        return report

    async def whole(self, told: Told = unheard) -> TextAnswer:
        """The answer, once it is whole; `told` gets its text as it comes. Raises as `said`."""
        text: list[str] = []
        tokens: list[Token] = []
        while (said := await self.said()) is not None:
            told(said.text)
            text.append(said.text)
            tokens += said.tokens
        assert self.finish_reason is not None
        return TextAnswer("".join(text), tuple(tokens), self.usage, self.finish_reason)


def _completed(request: Reason, defaults: ReasonerDefaults, *, as_taught: bool) -> Reason:
    """With a checkpoint's own setting where the request has none."""
    said = request.sampling.model_fields_set | {"leaves_out_empty"}
    own = {name: value for name, value in defaults.model_dump(exclude_none=True).items() if name not in said}
    schema = request.response_schema
    if schema is not None and as_taught and defaults.leaves_out_empty:
        schema = sparing(schema)
    return request.model_copy(update={"sampling": request.sampling.model_copy(update=own), "response_schema": schema})


class ReasoningService:
    """The open conversations. Lives on the event loop's thread; the fleet owns the workers."""

    def __init__(self, fleet: Fleet, metrics: Metrics, broadcast: Broadcast) -> None:
        self._fleet = fleet
        self._metrics = metrics
        self._broadcast = broadcast
        self._open: set[str] = set()

    @property
    def num_open(self) -> int:
        """Conversations that are being answered."""
        return len(self._open)

    @contextmanager
    def converse(
        self, request: Reason, files: Mapping[str, Path], *, counted: bool = True, as_taught: bool = False
    ) -> Generator[OpenConversation]:
        """Open a conversation; leaving the block before its end stops the decoding.

        Args:
            request: what is asked.
            files: everything that it shows, by id.
            counted: whether it is refused when there are too many; the server's own are not.
            as_taught: the studio asks, not a client: its schema asks for no more than the checkpoint was taught to say.

        Raises:
            Busy: so many are open, or the checkpoint is not ready yet.
            Conflict: the checkpoint is not loaded.
            StudioError: the checkpoint failed to load.
        """
        group = self._fleet.group(request.checkpoint)
        request = _completed(request, group.checkpoint.preset.reasoner, as_taught=as_taught)
        if counted and len(self._open) >= MAX_OPEN:
            raise Busy(f"{MAX_OPEN} conversations are open, which is the limit.", hint="Try again in a moment.")
        name = secrets.token_hex(6)
        conversation = OpenConversation()
        hear = partial(self._hear, name, conversation)
        with group.hold() as engine, engine.listening(name, hear):
            self._open.add(name)
            self._tell()
            engine.send(Converse(name, request, dict(files)))
            log.info("conversation_opened", conversation_id=name, num_open=len(self._open), shown=len(files))
            try:
                yield conversation
            finally:
                if name in self._open:
                    self._open.discard(name)
                    self._tell()
                    engine.send(StopConversation(name))
                used = conversation.usage
                self._metrics.tokens.labels("read").inc(used.prompt_tokens)
                self._metrics.tokens.labels("written").inc(used.completion_tokens)
                log.info("conversation_closed", conversation_id=name, tokens=used.completion_tokens)

    async def answer(
        self,
        request: Reason,
        files: Mapping[str, Path],
        *,
        counted: bool = True,
        as_taught: bool = False,
        told: Told = unheard,
    ) -> TextAnswer:
        """A whole answer; `told` gets its text as it comes. Raises as `converse`, and what the engine says against the
        request."""
        await self._fleet.awake(request.checkpoint)
        with self.converse(request, files, counted=counted, as_taught=as_taught) as conversation:
            return await conversation.whole(told)

    def _hear(self, name: str, conversation: OpenConversation, event: Spoken | WorkerLost) -> None:
        if isinstance(event, WorkerLost):
            lost = EngineLost(
                "The worker crashed during this conversation.", hint="Try again. See the server's log for the reason."
            )
            event = ConversationEnded(name, failure=Failure.of(lost))
        assert isinstance(event, ConversationReport)
        if isinstance(event, ConversationSaid):
            self._metrics.pieces.inc()
        else:
            self._open.discard(name)
            self._tell()
        conversation.put(event)

    def _tell(self) -> None:
        self._broadcast.publish("system", {"num_answering": self.num_open})

"""The conversations in the worker's hands: read what they show beside the loop, then a token of each at a time."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from backend.media import MediaStore
from backend.messages import ConversationEnded, ConversationSaid, Converse, Token, Usage
from backend.worker.footage import Looking, read_footage
from backend.worker.server_pipe import ServerPipe
from engine.reasoner import Conversation, Footage, TokenLogprob
from studio.errors import StudioError, rebuild
from studio.jobs import Failure
from studio.requests import Reason

MAX_READ = 2
"""Conversations whose pictures and clips are being read, or have been and were not begun: each may hold a gigabyte."""


class _StoppedError(Exception):
    """The conversation was stopped while its media were read."""


@dataclass(eq=False)
class Talk:
    """A conversation.

    Attributes:
        media: what it shows, as soon as that is read.
        conversation: the engine's part of it, once it has begun.
        stopped: set when nobody listens any more.
        num_told: of its tokens' probabilities, that the server has.
    """

    asked: Converse
    media: Future[dict[str, Footage]] = field(default_factory=Future[dict[str, Footage]])
    conversation: Conversation | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    num_told: int = 0

    @property
    def request(self) -> Reason:
        """What is asked."""
        return self.asked.request

    def heed(self) -> None:
        """Raises _StoppedError once nobody listens."""
        if self.stopped.is_set():
            raise _StoppedError


class Talks:
    """Every open conversation by id. The engine is touched by the loop alone, not from here."""

    def __init__(self, pipe: ServerPipe, store: MediaStore) -> None:
        self._pipe = pipe
        self._store = store
        self._open: dict[str, Talk] = {}
        self._unread: deque[Talk] = deque()
        self._read: set[Talk] = set()
        self._readers = ThreadPoolExecutor(MAX_READ, thread_name_prefix="footage")
        self._looking: Looking | None = None

    def open(self, asked: Converse, looking: Looking) -> None:
        """Take a conversation; one that shows nothing may begin at once."""
        talk = self._open[asked.conversation_id] = Talk(asked)
        self._looking = looking
        if asked.files:
            self._unread.append(talk)
            self._read_next()
        else:
            talk.media.set_result({})

    def stop(self, conversation_id: str) -> None:
        """Drop a conversation, wherever it stands."""
        if talk := self._open.pop(conversation_id, None):
            talk.stopped.set()
            self._read_next()

    @property
    def ready(self) -> list[Talk]:
        """Those that can begin, or whose media could not be read."""
        return [talk for talk in self._open.values() if talk.conversation is None and talk.media.done()]

    @property
    def writing(self) -> dict[Talk, Conversation]:
        """Those that want a token, oldest first."""
        return {talk: talk.conversation for talk in self._open.values() if talk.conversation is not None}

    @property
    def want_turn(self) -> bool:
        """Whether the loop has anything to do for them."""
        return bool(self.ready or self.writing)

    def let_go_of_media(self, talk: Talk) -> None:
        """Its frames are the engine's now, or nobody's; the next ones may be read."""
        self._read.discard(talk)
        talk.media = Future()
        self._read_next()

    def tell(self, talk: Talk, conversation: Conversation) -> None:
        """Report what has come of an answer, and its end."""
        text, name = conversation.take(), talk.asked.conversation_id
        tokens = tuple(map(_token, conversation.logprobs[talk.num_told :]))
        talk.num_told += len(tokens)
        used = conversation.usage
        if text or tokens or conversation.done:
            usage = Usage(used.prompt_tokens, used.completion_tokens, used.cached_tokens)
            self._pipe.report(ConversationSaid(name, text, tokens, usage))
        if conversation.failure is not None:
            self.fail([talk], conversation.failure)
        elif conversation.done:
            self._open.pop(name)
            self._pipe.report(ConversationEnded(name, conversation.finish_reason))

    def fail(self, talks: list[Talk], error: StudioError) -> None:
        """End conversations for a reason; those that nobody listens to any more are left alone."""
        for talk in talks:
            if self._open.pop(talk.asked.conversation_id, None):
                self._pipe.report(ConversationEnded(talk.asked.conversation_id, failure=Failure.of(error)))

    def _read_next(self) -> None:
        self._read = {talk for talk in self._read if not talk.stopped.is_set()}
        while self._unread and len(self._read) < MAX_READ:
            talk = self._unread.popleft()
            if not talk.stopped.is_set():
                assert self._looking is not None
                self._read.add(talk)
                talk.media = self._readers.submit(_footage, talk, self._store, self._looking)
                talk.media.add_done_callback(lambda _: self._pipe.wake())


def _footage(talk: Talk, store: MediaStore, looking: Looking) -> dict[str, Footage]:
    """What a conversation shows. What is raised holds no frame: a talk whose reading broke off would keep them all."""
    try:
        return read_footage(talk.request, talk.asked.files, store, looking, talk.heed)
    except _StoppedError:
        return {}
    except StudioError as error:
        failed = rebuild(error.code, error.message, error.param, error.hint)
    raise failed


def _token(said: TokenLogprob) -> Token:
    return Token(said.spelling, said.logprob, tuple((spelling, logprob) for _, spelling, logprob in said.top))

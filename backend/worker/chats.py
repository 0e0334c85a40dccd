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
class Chat:
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


class Chats:
    """Every open conversation by id. The engine is touched by the loop alone, not from here."""

    def __init__(self, pipe: ServerPipe, store: MediaStore) -> None:
        self._pipe = pipe
        self._store = store
        self._open: dict[str, Chat] = {}
        self._unread: deque[Chat] = deque()
        self._read: set[Chat] = set()
        self._readers = ThreadPoolExecutor(MAX_READ, thread_name_prefix="footage")
        self._looking: Looking | None = None

    def open(self, asked: Converse, looking: Looking) -> None:
        """Take a conversation; one that shows nothing may begin at once."""
        chat = self._open[asked.conversation_id] = Chat(asked)
        self._looking = looking
        if asked.files:
            self._unread.append(chat)
            self._read_next()
        else:
            chat.media.set_result({})

    def stop(self, conversation_id: str) -> None:
        """Drop a conversation, wherever it stands."""
        if chat := self._open.pop(conversation_id, None):
            chat.stopped.set()
            self._read_next()

    @property
    def ready(self) -> list[Chat]:
        """Those that can begin, or whose media could not be read."""
        return [chat for chat in self._open.values() if chat.conversation is None and chat.media.done()]

    @property
    def writing(self) -> dict[Chat, Conversation]:
        """Those that want a token, oldest first."""
        return {chat: chat.conversation for chat in self._open.values() if chat.conversation is not None}

    @property
    def want_turn(self) -> bool:
        """Whether the loop has anything to do for them."""
        return bool(self.ready or self.writing)

    def let_go_of_media(self, chat: Chat) -> None:
        """Its frames are the engine's now, or nobody's; the next ones may be read."""
        self._read.discard(chat)
        chat.media = Future()
        self._read_next()

    def tell(self, chat: Chat, conversation: Conversation) -> None:
        """Report what has come of an answer, and its end."""
        text, name = conversation.take(), chat.asked.conversation_id
        tokens = tuple(map(_token, conversation.logprobs[chat.num_told :]))
        chat.num_told += len(tokens)
        used = conversation.usage
        if text or tokens or conversation.done:
            usage = Usage(used.prompt_tokens, used.completion_tokens, used.cached_tokens)
            self._pipe.report(ConversationSaid(name, text, tokens, usage))
        if conversation.failure is not None:
            self.fail([chat], conversation.failure)
        elif conversation.done:
            self._open.pop(name)
            self._pipe.report(ConversationEnded(name, conversation.finish_reason))

    def fail(self, chats: list[Chat], error: StudioError) -> None:
        """End conversations for a reason; those that nobody listens to any more are left alone."""
        for chat in chats:
            if self._open.pop(chat.asked.conversation_id, None):
                self._pipe.report(ConversationEnded(chat.asked.conversation_id, failure=Failure.of(error)))

    def _read_next(self) -> None:
        self._read = {chat for chat in self._read if not chat.stopped.is_set()}
        while self._unread and len(self._read) < MAX_READ:
            chat = self._unread.popleft()
            if not chat.stopped.is_set():
                assert self._looking is not None
                self._read.add(chat)
                chat.media = self._readers.submit(_footage, chat, self._store, self._looking)
                chat.media.add_done_callback(lambda _: self._pipe.wake())


def _footage(chat: Chat, store: MediaStore, looking: Looking) -> dict[str, Footage]:
    """What a conversation shows. What is raised holds no frame: a chat whose reading broke off would keep them all."""
    try:
        return read_footage(chat.request, chat.asked.files, store, looking, chat.heed)
    except _StoppedError:
        return {}
    except StudioError as error:
        failed = rebuild(error.code, error.message, error.param, error.hint)
    raise failed


def _token(said: TokenLogprob) -> Token:
    return Token(said.spelling, said.logprob, tuple((spelling, logprob) for _, spelling, logprob in said.top))

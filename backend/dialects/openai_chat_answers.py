"""What OpenAI's chat completions answer, whole and in a stream."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field

from backend.messages import ConversationSaid, Token, Usage
from backend.reasoning.service import TextAnswer
from studio.captions.answer import CLOSING, OPENING
from studio.errors import StudioError
from studio.jobs import Failure


class Piece(NamedTuple):
    """What came: of the thought, and of the answer."""

    thought: str
    answer: str


class ThoughtSplitter:
    """An answer that begins with `<think>` is a thought until `</think>`; spaces around both are left out.

    The pieces "<thi", "nk> so", " </think> Yes." give ("", ""), ("so", ""), ("", "Yes.").

    Args:
        thinks: whether thinking is looked for at all; an answer that must match a schema has none.
    """

    def __init__(self, *, thinks: bool = True) -> None:
        self._state = "beginning" if thinks else "speaking"
        self._held = ""

    def feed(self, text: str) -> Piece:
        """What can be told of a piece and of what was held back before it."""
        text, self._held = self._held + text, ""
        thought = ""
        if self._state == "beginning":
            text = self._begin(text)
        if self._state == "thinking":
            before, closed, after = text.partition(CLOSING)
            if closed:
                thought, text, self._state = before.rstrip(), after, "pausing"
            else:
                kept = _end_to_hold(text)
                thought, self._held, text = text[: len(text) - kept], text[len(text) - kept :], ""
        if self._state == "pausing":
            text = text.lstrip()
            self._state = "speaking" if text else "pausing"
        return Piece(thought, text)

    def close(self) -> Piece:
        """What was held back: nothing more comes."""
        held, self._held = self._held, ""
        if self._state == "beginning" and held.startswith(OPENING):
            return Piece("", "")
        return Piece(held.rstrip(), "") if self._state == "thinking" else Piece("", held)

    def _begin(self, text: str) -> str:
        start = text.lstrip()
        if start.startswith(OPENING):
            rest = start.removeprefix(OPENING).lstrip()
            if not rest:  # spaces may follow, which are left out too
                self._held = start
                return ""
            self._state = "thinking"
            return rest
        if OPENING.startswith(start):
            self._held = text
            return ""
        self._state = "speaking"
        return text


def _end_to_hold(text: str) -> int:
    """Characters at the end with which `</think>` may begin, and the spaces before them."""
    tag = next((size for size in range(min(len(CLOSING) - 1, len(text)), 0, -1) if CLOSING.startswith(text[-size:])), 0)
    words = text[: len(text) - tag].rstrip()
    return len(text) - len(words)


DONE = "data: [DONE]\n\n"


class TopLogprob(BaseModel):
    """A token that might have been said."""

    token: str
    bytes: list[int]
    logprob: float


class TokenLogprob(TopLogprob):
    """A token that was said, and the likeliest ones at its place."""

    top_logprobs: list[TopLogprob]


class ChoiceLogprobs(BaseModel):
    """How likely each token was; the one that ends the answer says nothing, and is left out."""

    content: list[TokenLogprob]


class AnswerMessage(BaseModel):
    """The answer; `reasoning_content` is what was thought before it."""

    role: Literal["assistant"] = "assistant"
    content: str
    reasoning_content: str | None = None
    refusal: str | None = None


class ChatChoice(BaseModel):
    """The one choice."""

    index: int = 0
    message: AnswerMessage
    logprobs: ChoiceLogprobs | None = None
    finish_reason: Literal["stop", "length"]


class PromptTokensDetails(BaseModel):
    """Of the prompt's tokens, those that were at hand from another conversation."""

    cached_tokens: int


class ChatUsage(BaseModel):
    """Tokens."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptTokensDetails

    @classmethod
    def of(cls, usage: Usage) -> ChatUsage:
        """In their form."""
        return cls(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            total_tokens=usage.prompt_tokens + usage.completion_tokens,
            prompt_tokens_details=PromptTokensDetails(cached_tokens=usage.cached_tokens),
        )


class ChatCompletion(BaseModel):
    """What `chat.completions.create` reads."""

    id: str = Field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    object: Literal["chat.completion"] = "chat.completion"
    created: int = Field(default_factory=lambda: int(time.time()))
    model: str
    choices: list[ChatChoice]
    usage: ChatUsage


def to_completion(answer: TextAnswer, model: str, *, thinks: bool) -> ChatCompletion:
    """A whole answer."""
    splitter = ThoughtSplitter(thinks=thinks)
    pieces = [splitter.feed(answer.text), splitter.close()]
    thought = "".join(piece.thought for piece in pieces)
    message = AnswerMessage(content="".join(piece.answer for piece in pieces), reasoning_content=thought or None)
    logprobs = ChoiceLogprobs(content=_logprobs(answer.tokens)) if answer.tokens else None
    choice = ChatChoice(message=message, logprobs=logprobs, finish_reason=answer.finish_reason)
    return ChatCompletion(model=model, choices=[choice], usage=ChatUsage.of(answer.usage))


class ChatStream:
    """The events of one streamed answer.

    Args:
        model: the checkpoint's id.
        thinks: whether the answer may begin with a thought.
    """

    def __init__(self, model: str, *, thinks: bool) -> None:
        self._splitter = ThoughtSplitter(thinks=thinks)
        self._head: dict[str, Any] = {
            "id": f"chatcmpl-{secrets.token_hex(12)}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": model,
        }

    def begin(self) -> str:
        """The first event says who speaks."""
        return self._event({"role": "assistant", "content": ""})

    def say(self, said: ConversationSaid) -> str:
        """What has come; nothing where nothing of it can be shown yet."""
        return self._piece(self._splitter.feed(said.text), said.tokens)

    def end(self, finish_reason: str | None) -> str:
        """What was held back, and why the answer ended."""
        return self._piece(self._splitter.close(), ()) + self._event({}, finish_reason=finish_reason)

    def usage(self, usage: Usage) -> str:
        """The event before the last one, where it is asked for."""
        return _data({**self._head, "choices": [], "usage": ChatUsage.of(usage).model_dump()})

    def _piece(self, piece: Piece, tokens: Iterable[Token]) -> str:
        delta: dict[str, Any] = {}
        if piece.thought:
            delta["reasoning_content"] = piece.thought
        if piece.answer:
            delta["content"] = piece.answer
        logprobs = [entry.model_dump() for entry in _logprobs(tokens)]
        return self._event(delta, logprobs={"content": logprobs} if logprobs else None) if delta or logprobs else ""

    def _event(self, delta: dict[str, Any], logprobs: object = None, finish_reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": finish_reason}
        return _data({**self._head, "choices": [choice]})


def failure_event(error: StudioError) -> str:
    """An error after the first word, when the status has been sent: the client raises it."""
    return _data({"error": Failure.of(error).model_dump()})


def _logprobs(tokens: Iterable[Token]) -> list[TokenLogprob]:
    return [
        TokenLogprob(
            **_named(token.spelling, token.logprob),
            top_logprobs=[TopLogprob(**_named(spelling, logprob)) for spelling, logprob in token.top],
        )
        for token in tokens
        if token.spelling
    ]


def _named(spelling: bytes, logprob: float) -> dict[str, Any]:
    """Minus infinity is no JSON: -9999 stands for it, as OpenAI has it."""
    return {
        "token": spelling.decode(errors="replace"),
        "bytes": list(spelling),
        "logprob": max(logprob, -9999.0),
    }


def _data(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value)}\n\n"

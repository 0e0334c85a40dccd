"""`/v1/chat/completions` in OpenAI's form, answered by the resident reasoner."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any, cast

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

from backend.dialects.openai_chat import ChatCall, to_call, to_theirs, with_media
from backend.dialects.openai_chat_answers import DONE, ChatCompletion, ChatStream, failure_event, to_completion
from backend.errors import documented
from backend.messages import ConversationSaid
from backend.reasoning import AnswerStream, OpenConversation
from backend.routes.connections import ClosingStream, kept_alive
from backend.routes.job_call import IdempotencyKey, unless_gone
from backend.services import Parts, Services
from studio.errors import (
    BadInput,
    Busy,
    CheckpointNotFound,
    Conflict,
    EngineError,
    MediaNotFound,
    StudioError,
    TooLarge,
)
from studio.requests import Reason, parse_as

router = APIRouter(prefix="/v1/chat", tags=["openai"])

NOT_STORED = {"cache-control": "no-store"}

EXAMPLE: dict[str, Any] = {
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "media:u0123456789abcdef"}},
                {"type": "text", "text": "What is on the table?"},
            ],
        }
    ],
    "max_tokens": 256,
    "temperature": 0.6,
    "stream": False,
}
BODY: dict[str, Any] = {
    "required": True,
    "content": {"application/json": {"schema": {"type": "object"}, "example": EXAMPLE}},
}


@router.post(
    "/completions",
    response_model=ChatCompletion,
    responses={
        200: {"content": {"text/event-stream": {}}},
        **documented(BadInput, CheckpointNotFound, MediaNotFound, Conflict, TooLarge, Busy, EngineError),
    },
    openapi_extra={"requestBody": BODY},
)
async def complete(request: Request, parts: Parts, key: IdempotencyKey = None) -> Response:
    """Answer a conversation; with `stream`, as server-sent events.

    Disconnecting cancels it. With an Idempotency-Key it goes on instead, and the same call again is sent all of it.
    """
    body = await request.body()
    call = await asyncio.to_thread(_read, body)
    answers = parts.words.answers
    try:
        answer = answers.begin(key, body, partial(_write, call, parts, own_hosts(request)))
        return await answered(request, answer, streamed=call.streamed)
    except StudioError as error:
        raise to_theirs(error) from None


@router.delete("/completions/{key}", status_code=204)
async def stop(key: Annotated[str, Path(examples=["3f2a9c"])], parts: Parts) -> None:
    """Stop the answer, also of a task, that was asked for with this Idempotency-Key, if it is being written."""
    parts.words.answers.stop(key)


async def answered(request: Request, answer: AnswerStream, *, streamed: bool = False) -> Response:
    """A response with an answer: once it is written, or from its first piece on. Raises what its writing raises."""
    with ExitStack() as leaving:
        leaving.callback(answer.leave)
        if not streamed:
            return Response(await unless_gone(request, answer.whole()), media_type="application/json")
        await unless_gone(request, answer.begun())
        return ClosingStream(kept_alive(answer.read()), leaving.pop_all().close, "text/event-stream", NOT_STORED)


async def _write(call: ChatCall, parts: Services, hosts: Collection[str], add: Callable[[str], None]) -> None:
    with ExitStack() as stack:
        model = parts.fleet.catalogue.serving(call.model).id
        asked, conversation = await _begin(call, parts, hosts, stack)
        thinks = asked.response_schema is None
        if not call.streamed:
            add(to_completion(await conversation.whole(), model, thinks=thinks).model_dump_json())
            return
        first = await conversation.said()
        async for event in _stream(ChatStream(model, thinks=thinks), first, conversation, with_usage=call.with_usage):
            add(event)


async def _begin(
    call: ChatCall, parts: Services, hosts: Collection[str], stack: ExitStack
) -> tuple[Reason, OpenConversation]:
    laid = await parts.words.shown_media.lay_out(call.shown, hosts)
    stack.callback(laid.close)
    asked = await asyncio.to_thread(parse_as, Reason, {**with_media(call.payload, laid.ids), "checkpoint": call.model})
    await parts.fleet.engines.awake(asked.checkpoint)
    return asked, stack.enter_context(parts.words.reasoning.converse(asked, laid.files))


async def _stream(
    chat: ChatStream, first: ConversationSaid | None, conversation: OpenConversation, *, with_usage: bool
) -> AsyncGenerator[str]:
    yield chat.begin()
    try:
        said = first
        while said is not None:
            if event := chat.say(said):
                yield event
            said = await conversation.said()
    except StudioError as error:
        yield failure_event(to_theirs(error))
        return
    yield chat.end(conversation.finish_reason)
    if with_usage:
        yield chat.usage(conversation.usage)
    yield DONE


def own_hosts(request: Request) -> tuple[str, ...]:
    """What the caller calls this server, as it stands in an address."""
    return (request.url.netloc,)


def _read(raw: bytes) -> ChatCall:
    try:
        body: object = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadInput("The body is not JSON.", hint="Send an object with content-type application/json.") from None
    if not isinstance(body, dict):
        raise BadInput("The body is not a JSON object.", hint="Send an object with messages.")
    return to_call(cast(dict[str, Any], body))

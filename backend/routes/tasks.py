"""What the reasoner does for a person: `/v1/tasks` about a picture or a clip, and `/v1/upsample` of a prompt."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request
from fastapi.responses import Response

from backend.errors import documented
from backend.routes.dialects.chat import answered, own_hosts
from backend.routes.job_call import IdempotencyKey
from backend.services import Parts, UsesTasks
from studio.errors import (
    BadInput,
    Busy,
    Conflict,
    EngineError,
    MediaNotFound,
    NotFound,
    ServerUnreachable,
    StudioError,
    TooLarge,
)
from studio.jobs import Failure
from studio.prompting import TaskAnswer, Upsampled
from studio.reasoner_answers import TaskList, TaskRequest, UpsampleAnswer
from studio.requests import Adapter, parse_as

router = APIRouter(prefix="/v1/tasks", tags=["reasoner"])

TASK = {"media": "u0123456789abcdef", "words": {"subject": "cups"}}


@router.get("")
async def tasks(tasks: UsesTasks) -> TaskList:
    """List all tasks with their fields."""
    return tasks.listing()


@router.post(
    "/{name}",
    response_model=TaskAnswer,
    responses=documented(NotFound, BadInput, MediaNotFound, Conflict, TooLarge, Busy, EngineError),
)
async def ask(
    name: Annotated[str, Path(examples=["grounding"])],
    asked: Annotated[TaskRequest, Body(examples=[TASK])],
    request: Request,
    parts: Parts,
    key: IdempotencyKey = None,
) -> Response:
    """Run a task. An answer that cannot be read has the reason.

    Disconnecting cancels it. With an Idempotency-Key it goes on instead, and the same call again is sent the answer.
    """
    hosts = own_hosts(request)

    async def write(add: Callable[[str], None]) -> None:
        add((await parts.words.tasks.answer(name, asked, hosts)).model_dump_json())

    return await answered(request, parts.words.answers.begin(key, name.encode() + await request.body(), write))


upsample_router = APIRouter(prefix="/v1/upsample", tags=["reasoner"])

EXAMPLE = {"kind": "generate_video", "prompt": "The arm lifts the cube.", "start_image": "u0123456789abcdef"}


@upsample_router.post(
    "",
    response_model=UpsampleAnswer,
    responses={
        200: {"content": {"text/event-stream": {}}},
        **documented(BadInput, MediaNotFound, Busy, EngineError, ServerUnreachable),
    },
)
async def upsample(
    payload: Annotated[dict[str, Any], Body(examples=[EXAMPLE])],
    request: Request,
    parts: Parts,
    stream: Annotated[bool, Query()] = False,
    adapter: Annotated[
        str | None, Query(description="a LoRA adapter for the reasoner; the request's own is the generator's")
    ] = None,
) -> Response:
    """Upsample the prompt of an image, video or transfer request without running it.

    With `stream`, as server-sent events: `{"text"}` as it is written, at the end `{"answer"}`, or an `{"error"}`.
    Disconnecting cancels it.
    """
    upsampler = parts.words.upsampler
    worn = None if adapter is None else parse_as(Adapter, {"name": adapter})

    async def write(add: Callable[[str], None]) -> None:
        if not stream:
            add(_shown(await upsampler.answer(payload, adapter=worn)))
            return
        begun = False

        def tell(text: str) -> None:
            nonlocal begun
            begun = True
            add(f"data: {json.dumps({'text': text})}\n\n")

        try:
            done = await upsampler.answer(payload, tell, adapter=worn)
            add(f'data: {{"answer": {_shown(done)}}}\n\n')
        except StudioError as error:
            if not begun:
                raise
            add(f'data: {{"error": {Failure.of(error).model_dump_json()}}}\n\n')

    return await answered(request, parts.words.answers.begin(None, b"", write), streamed=stream)


def _shown(done: Upsampled) -> str:
    return UpsampleAnswer.of(done).model_dump_json(exclude_unset=True)

"""What the reasoner does for a person: `/v1/tasks` about a picture or a clip, and `/v1/upsample` of a prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Request
from fastapi.responses import Response

from backend.errors import documented
from backend.routes.chat import answered, own_hosts
from backend.routes.job_call import IdempotencyKey, unless_gone
from backend.services import Parts, UsesTasks, UsesUpsampler
from studio.errors import BadInput, Busy, Conflict, EngineError, MediaNotFound, NotFound, ServerUnreachable, TooLarge
from studio.prompting import TaskAnswer
from studio.reasoner_answers import TaskList, TaskRequest, UpsampleAnswer

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
    response_model_exclude_unset=True,
    responses=documented(BadInput, MediaNotFound, Busy, EngineError, ServerUnreachable),
)
async def upsample(
    payload: Annotated[dict[str, Any], Body(examples=[EXAMPLE])], request: Request, upsampler: UsesUpsampler
) -> UpsampleAnswer:
    """Upsample the prompt of an image, video or transfer request without running it. Disconnecting cancels it."""
    return UpsampleAnswer.of(await unless_gone(request, upsampler.answer(payload)))

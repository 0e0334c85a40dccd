"""What the reasoner does for a person: `/v1/tasks` about a picture or a clip, and `/v1/upsample` of a prompt."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Request

from backend.errors import documented
from backend.routes.chat import own_hosts
from backend.routes.job_call import unless_gone
from backend.services import UsesTasks, UsesUpsampler
from studio.errors import BadInput, Busy, EngineError, MediaNotFound, NotFound, ServerUnreachable, TooLarge
from studio.prompting import TaskAnswer
from studio.reasoner_answers import TaskList, TaskRequest, UpsampleAnswer

router = APIRouter(prefix="/v1/tasks", tags=["reasoner"])

TASK = {"media": "u0123456789abcdef", "words": {"subject": "cups"}}


@router.get("")
async def tasks(tasks: UsesTasks) -> TaskList:
    """List all tasks with their fields."""
    return tasks.listing()


@router.post("/{name}", responses=documented(NotFound, BadInput, MediaNotFound, TooLarge, Busy, EngineError))
async def ask(
    name: Annotated[str, Path(examples=["grounding"])],
    asked: Annotated[TaskRequest, Body(examples=[TASK])],
    request: Request,
    tasks: UsesTasks,
) -> TaskAnswer:
    """Run a task. An answer that cannot be read has the reason. Disconnecting cancels it."""
    return await unless_gone(request, tasks.answer(name, asked, own_hosts(request)))


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

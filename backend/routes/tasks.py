"""`/v1/tasks`: what the reasoner can be asked about a picture or a clip, with typed results."""

from __future__ import annotations

from fastapi import APIRouter, Request

from backend.errors import documented
from backend.routes.chat import own_hosts
from backend.routes.hanging_up import unless_gone
from backend.services import Parts
from studio.errors import BadInput, Busy, EngineError, MediaNotFound, NotFound, TooLarge
from studio.prompting import TaskAnswer
from studio.reasoner_answers import TaskList, TaskRequest

router = APIRouter(prefix="/v1/tasks", tags=["reasoner"])


@router.get("")
async def tasks(parts: Parts) -> TaskList:
    """Every task, with the words that it wants."""
    return parts.tasks.listing()


@router.post("/{name}", responses=documented(NotFound, BadInput, MediaNotFound, TooLarge, Busy, EngineError))
async def ask(name: str, asked: TaskRequest, request: Request, parts: Parts) -> TaskAnswer:
    """Ask one; an answer that could not be read says why. Who hangs up stops it."""
    return await unless_gone(request, parts.tasks.answer(name, asked, own_hosts(request)))

"""`/v1/arena/questions`: the same questions put to several reasoners."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from backend.errors import documented
from backend.routes.hanging_up import unless_gone
from backend.services import Parts
from studio.arena.questions import MAX_QUESTIONS_PAGE, AskedQuestion, GradeAnswers, PutQuestions, QuestionList
from studio.errors import (
    BadInput,
    Busy,
    Conflict,
    EngineError,
    MediaNotFound,
    QuestionNotFound,
    ServerUnreachable,
    StorageError,
)

router = APIRouter(prefix="/v1/arena/questions", tags=["arena"])


@router.post("", status_code=201, responses=documented(BadInput, MediaNotFound, StorageError))
async def put(asked: PutQuestions, parts: Parts) -> QuestionList:
    """Write questions down, with a place for the answer of each reasoner."""
    return await parts.answers.put(asked)


@router.get("")
async def listing(parts: Parts, limit: Annotated[int, Query(ge=1, le=MAX_QUESTIONS_PAGE)] = 50) -> QuestionList:
    """The newest questions with their answers, and the mean grades over all."""
    return await parts.answers.listing(limit)


@router.post("/{question_id}/answers", responses=documented(QuestionNotFound, Conflict, Busy, StorageError))
async def ask(question_id: str, request: Request, parts: Parts) -> AskedQuestion:
    """Ask everybody whose answer is missing, one after the other; each is kept as it comes. Who hangs up stops it."""
    return await unless_gone(request, parts.answers.ask(question_id))


@router.post(
    "/{question_id}/grades",
    responses=documented(QuestionNotFound, BadInput, Conflict, Busy, EngineError, ServerUnreachable),
)
async def grade(question_id: str, asked: GradeAnswers, request: Request, parts: Parts) -> AskedQuestion:
    """Let a judge grade the answers against the person's, 1 to 5. Who hangs up stops it."""
    return await unless_gone(request, parts.answers.grade(question_id, asked))


@router.delete("/{question_id}", responses=documented(QuestionNotFound, StorageError))
async def remove(question_id: str, parts: Parts) -> AskedQuestion:
    """Remove a question and its answers; votes that were cast on them count on."""
    return await parts.answers.remove(question_id)

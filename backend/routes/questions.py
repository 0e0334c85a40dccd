"""`/v1/runs/{id}/questions`: multiple-choice questions from the annotations of a run."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path

from backend.errors import documented
from backend.services import UsesQuestionDrafts
from studio.errors import BadInput, Conflict, DiskFull, MediaNotFound, QuestionNotFound, RunNotFound, StorageError
from studio.evaluation.question_drafts import DecideQuestion, DraftQuestions, QuestionDrafts, SaveQuestions
from studio.evaluation.runs import BenchmarkSummary

router = APIRouter(prefix="/v1/runs", tags=["evaluation"])

RunId = Annotated[str, Path(examples=["7a1f00c3d2e6"])]
DRAFTS = {"per_video": 1, "categories": ["Scene Description"]}
DECISION = {"video": "drive-1", "question": "environment", "by_person": "A"}


@router.post(
    "/{run_id}/questions",
    status_code=202,
    responses=documented(RunNotFound, BadInput, Conflict, DiskFull, StorageError),
)
async def draft(
    run_id: RunId, asked: Annotated[DraftQuestions, Body(examples=[DRAFTS])], questions: UsesQuestionDrafts
) -> QuestionDrafts:
    """Draw multiple-choice questions about each annotated video. A reasoner answers each from the annotation alone,
    another, or the same, from the video. Sending it again continues with what was not asked.
    """
    return await questions.start(run_id, asked)


@router.get("/{run_id}/questions", responses=documented(RunNotFound, BadInput))
async def drafts(run_id: RunId, questions: UsesQuestionDrafts) -> QuestionDrafts:
    """List the questions so far with both answers and what people decided."""
    return await questions.drafts(run_id)


@router.patch("/{run_id}/questions", responses=documented(RunNotFound, QuestionNotFound, BadInput, StorageError))
async def decide(
    run_id: RunId, said: Annotated[DecideQuestion, Body(examples=[DECISION])], questions: UsesQuestionDrafts
) -> QuestionDrafts:
    """Decide the answer to a question, or remove the question."""
    return await questions.decide(run_id, said)


@router.post(
    "/{run_id}/questions/benchmark",
    status_code=201,
    responses=documented(RunNotFound, BadInput, MediaNotFound, DiskFull, StorageError),
)
async def save(
    run_id: RunId, asked: Annotated[SaveQuestions, Body(examples=[{"name": "av-vqa"}])], questions: UsesQuestionDrafts
) -> BenchmarkSummary:
    """Save the questions whose answer is known as a benchmark."""
    return await questions.save(run_id, asked)

"""`/v1/hue`: videos rated by people and reasoners, one question with one fact at a time."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path, Query

from backend.errors import documented
from backend.services import UsesHue, UsesHueTasks
from studio.arena.votes import VoterName
from studio.errors import (
    BadInput,
    Busy,
    Conflict,
    DiskFull,
    MediaNotFound,
    QuestionNotFound,
    RatingNotFound,
    StorageError,
    StudyNotFound,
)
from studio.evaluation.hue import Said
from studio.hue_studies import (
    MAX_ANSWERS_PAGE,
    AddHueQuestion,
    CreateHueStudy,
    HueAnswerPage,
    HueBankQuestion,
    HueNext,
    HuePrompt,
    HueRated,
    HueResults,
    HueStudy,
    HueStudyList,
    HueTask,
    RateVideo,
    SetHueDomain,
    StartHueTask,
)

router = APIRouter(prefix="/v1/hue", tags=["evaluation"])

VIDEO, QUESTION = "uc1c1c1c1c1c1c1c1", "p1-7f00c3d2"
StudyId = Annotated[str, Path(examples=["5be81f00c3d2"])]
PromptId = Annotated[str, Path(examples=["p1"])]
QuestionId = Annotated[str, Path(examples=[QUESTION])]
RatingId = Annotated[str, Path(examples=["90ab12cd34ef"])]
STUDY = {"title": "Cups", "videos": [{"media": VIDEO, "prompt": "A cup falls.", "real": True}]}
BANK = {"prompt": "p1", "text": "Is there exactly one cup?", "dimension": "semantic_alignment", "author": "ada"}
RATING = {"video": VIDEO, "question": QUESTION, "said": "yes", "rater": "ada"}


@router.get("")
async def list_studies(hue: UsesHue, limit: Annotated[int, Query(ge=1, le=500)] = 100) -> HueStudyList:
    """List studies, newest first."""
    return await hue.listing(limit)


@router.post("", status_code=201, responses=documented(BadInput, MediaNotFound, Busy, DiskFull, StorageError))
async def create(asked: Annotated[CreateHueStudy, Body(examples=[STUDY])], hue: UsesHue) -> HueStudy:
    """Create a study from videos of the library, or from all videos of a comparison or batch (`batch`)."""
    return await hue.create(asked)


@router.get("/{study_id}", responses=documented(StudyNotFound))
async def get(study_id: StudyId, hue: UsesHue) -> HueStudy:
    """Get a study with its prompts, questions and tasks as they are now."""
    return await hue.get(study_id)


@router.delete("/{study_id}", status_code=204, responses=documented(StudyNotFound, Conflict))
async def remove(study_id: StudyId, hue: UsesHue) -> None:
    """Delete a study with its questions and ratings; its videos stay in the library."""
    await hue.remove(study_id)


@router.post("/{study_id}/questions", status_code=201, responses=documented(StudyNotFound, BadInput, Conflict))
async def add_question(
    study_id: StudyId, asked: Annotated[AddHueQuestion, Body(examples=[BANK])], hue: UsesHue
) -> HueBankQuestion:
    """Add a question whose desirable answer is Yes; at most 20 per prompt."""
    return await hue.add_question(study_id, asked)


@router.delete(
    "/{study_id}/questions/{question_id}", status_code=204, responses=documented(StudyNotFound, QuestionNotFound)
)
async def remove_question(study_id: StudyId, question_id: QuestionId, hue: UsesHue) -> None:
    """Remove a question. Its ratings stay on record; adding the same text again restores them."""
    await hue.remove_question(study_id, question_id)


@router.patch("/{study_id}/prompts/{prompt_id}", responses=documented(StudyNotFound, BadInput, Conflict))
async def set_domain(
    study_id: StudyId,
    prompt_id: PromptId,
    asked: Annotated[SetHueDomain, Body(examples=[{"domain": "physics"}])],
    hue: UsesHue,
) -> HuePrompt:
    """Set the domain of a prompt."""
    return await hue.set_domain(study_id, prompt_id, asked)


@router.post("/{study_id}/tasks", status_code=202, responses=documented(StudyNotFound, BadInput, Conflict, Busy))
async def start_task(
    study_id: StudyId,
    asked: Annotated[StartHueTask, Body(examples=[{"task": "questions", "reasoner": "speck"}])],
    hue: UsesHue,
    tasks: UsesHueTasks,
) -> HueTask:
    """Let a reasoner write the missing questions, or answer all questions. A restart continues it."""
    return await tasks.start(await hue.get(study_id), asked)


@router.post("/{study_id}/tasks/stop", responses=documented(StudyNotFound, Conflict))
async def stop_task(
    study_id: StudyId,
    asked: Annotated[StartHueTask, Body(examples=[{"task": "questions", "reasoner": "speck"}])],
    hue: UsesHue,
    tasks: UsesHueTasks,
) -> HueTask:
    """Stop a reasoner and keep what it has done. Starting it again continues it. One that has ended stays as it is."""
    return await tasks.stop(await hue.get(study_id), asked)


@router.get("/{study_id}/next", responses=documented(StudyNotFound, BadInput))
async def next_card(study_id: StudyId, rater: Annotated[VoterName, Query()], hue: UsesHue) -> HueNext:
    """Get the next video and question for a person. Two people answer each; a third where they differ."""
    return await hue.next(study_id, rater)


@router.post(
    "/{study_id}/ratings", status_code=201, responses=documented(StudyNotFound, QuestionNotFound, BadInput, Conflict)
)
async def rate(study_id: StudyId, said: Annotated[RateVideo, Body(examples=[RATING])], hue: UsesHue) -> HueRated:
    """Answer a question about a video with `yes`, `no` or `unclear`. Sending it again returns the stored rating."""
    return await hue.rate(study_id, said)


@router.get("/{study_id}/ratings", responses=documented(StudyNotFound, BadInput))
async def ratings(
    study_id: StudyId,
    hue: UsesHue,
    model: Annotated[str, Query(description="only videos of this row")] = "",
    said: Annotated[Said | None, Query(description="only what people decided so")] = None,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_ANSWERS_PAGE)] = 50,
) -> HueAnswerPage:
    """List answered questions with all ratings: what is wrong with which video."""
    return await hue.answers(study_id, model=model, said=said, offset=offset, limit=limit)


@router.delete("/{study_id}/ratings/{rating_id}", responses=documented(StudyNotFound, RatingNotFound))
async def undo(study_id: StudyId, rating_id: RatingId, hue: UsesHue) -> HueRated:
    """Withdraw a rating."""
    return await hue.undo(study_id, rating_id)


@router.get("/{study_id}/scores", responses=documented(StudyNotFound))
async def scores(study_id: StudyId, hue: UsesHue) -> HueResults:
    """Compute the scores of the ratings so far: per checkpoint, dimension, domain and video, with 95 % intervals."""
    return await hue.scores(study_id)

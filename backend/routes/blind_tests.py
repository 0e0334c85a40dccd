"""`/v1/blind-tests`: two policies at the same tasks, judged by people who do not know which is which."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path, Query

from backend.errors import documented
from backend.services import UsesBlindTests
from studio.arena.votes import VoterName
from studio.blind_tests import (
    AddBlindPair,
    BlindNext,
    BlindPair,
    BlindPairList,
    BlindScores,
    BlindTest,
    BlindTestList,
    BlindVerdict,
    CreateBlindTest,
    GiveVerdict,
)
from studio.errors import (
    BadInput,
    Conflict,
    DiskFull,
    MediaNotFound,
    PairNotFound,
    StorageError,
    StudyNotFound,
    VoteNotFound,
)

router = APIRouter(prefix="/v1/blind-tests", tags=["evaluation"])

TestId = Annotated[str, Path(examples=["b11d00c3d2e5"])]
VerdictId = Annotated[str, Path(examples=["b11d00c3d2e6"])]
VIDEO = "uc1c1c1c1c1c1c1c1"
TEST = {"title": "Lift a cup", "policies": ["base", "tuned"], "seed": 7}
PAIR = {
    "id": "cup left of the bowl",
    "task": "Pick up the cup.",
    "episodes": [{"policy": "base", "videos": [VIDEO]}, {"policy": "tuned", "videos": [VIDEO], "success": True}],
}
VERDICT = {"pair": 1, "better": "second", "progress": [0.5, 1.0], "rater": "ada"}


@router.get("")
async def list_tests(tests: UsesBlindTests, limit: Annotated[int, Query(ge=1, le=500)] = 100) -> BlindTestList:
    """List blind tests, newest first."""
    return await tests.listing(limit)


@router.post("", status_code=201, responses=documented(BadInput, DiskFull, StorageError))
async def create(asked: Annotated[CreateBlindTest, Body(examples=[TEST])], tests: UsesBlindTests) -> BlindTest:
    """Create a blind test of two policies; `seed` draws which goes first at each task."""
    return await tests.create(asked)


@router.get("/scores")
async def all_scores(tests: UsesBlindTests) -> BlindScores:
    """Get the scores of all policies over all blind tests: Bradley–Terry ratings with 95 % intervals, and progress."""
    return await tests.scores(None)


@router.get("/{test_id}", responses=documented(StudyNotFound))
async def get(test_id: TestId, tests: UsesBlindTests) -> BlindTest:
    """Get a blind test."""
    return await tests.get(test_id)


@router.delete("/{test_id}", status_code=204, responses=documented(StudyNotFound))
async def remove(test_id: TestId, tests: UsesBlindTests) -> None:
    """Delete a blind test with its pairs and verdicts; the videos stay in the library."""
    await tests.remove(test_id)


@router.get("/{test_id}/pairs", responses=documented(StudyNotFound))
async def pairs(test_id: TestId, tests: UsesBlindTests) -> BlindPairList:
    """List the pairs with their policies. To judge, ask for `next` instead."""
    return await tests.pairs(test_id)


@router.post(
    "/{test_id}/pairs", status_code=201, responses=documented(StudyNotFound, BadInput, MediaNotFound, Conflict)
)
async def add_pair(
    test_id: TestId, asked: Annotated[AddBlindPair, Body(examples=[PAIR])], tests: UsesBlindTests
) -> BlindPair:
    """Add what both policies did at one task. The same pair again is kept once."""
    return await tests.add_pair(test_id, asked)


@router.get("/{test_id}/next", responses=documented(StudyNotFound))
async def next_pair(
    test_id: TestId, rater: Annotated[VoterName, Query(examples=["ada"])], tests: UsesBlindTests
) -> BlindNext:
    """Get the next pair for this person, without names, in the drawn order."""
    return await tests.next(test_id, rater)


@router.post("/{test_id}/verdicts", status_code=201, responses=documented(StudyNotFound, PairNotFound, Conflict))
async def judge(
    test_id: TestId, said: Annotated[GiveVerdict, Body(examples=[VERDICT])], tests: UsesBlindTests
) -> BlindVerdict:
    """Say which episode was better, or that none was, and how far each came, from 0 to 1."""
    return await tests.judge(test_id, said)


@router.delete("/{test_id}/verdicts/{verdict_id}", responses=documented(StudyNotFound, VoteNotFound))
async def undo(test_id: TestId, verdict_id: VerdictId, tests: UsesBlindTests) -> BlindVerdict:
    """Withdraw a verdict."""
    return await tests.undo(test_id, verdict_id)


@router.get("/{test_id}/scores", responses=documented(StudyNotFound))
async def scores(test_id: TestId, tests: UsesBlindTests) -> BlindScores:
    """Get the scores of this test's two policies."""
    return await tests.scores(test_id)

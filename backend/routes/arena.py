"""`/v1/arena`: blind pairs, votes on them, the rankings that follow, and questions put to several reasoners."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Body, Path, Query, Request
from fastapi.responses import Response

from backend.arena.pairing import Wish
from backend.errors import documented
from backend.routes.job_call import unless_gone
from backend.services import UsesArena, UsesJudge, UsesQuestions, UsesReasoners
from studio.arena import (
    AskJudge,
    CastVote,
    NextPair,
    Pair,
    ReasonerList,
    Standings,
    Vote,
    VotedBy,
    VoteList,
    Voters,
)
from studio.arena.questions import MAX_QUESTIONS_PAGE, AskedQuestion, GradeAnswers, PutQuestions, QuestionList
from studio.arena.votes import MAX_SKIPPED, MAX_VOTES_PAGE, PairKind, VoterName
from studio.errors import (
    BadInput,
    Busy,
    Conflict,
    EngineError,
    MediaNotFound,
    PairNotFound,
    QuestionNotFound,
    ServerUnreachable,
    StorageError,
    VoteNotFound,
)
from studio.requests import shown

router = APIRouter(prefix="/v1/arena", tags=["arena"])

SIDES = ("u0123456789abcdef", "u123456789abcdef0")
PairId = Annotated[str, Path(examples=[".".join(SIDES)])]
VoteId = Annotated[str, Path(examples=["90ab12cd34ef"])]
QuestionId = Annotated[str, Path(examples=["c41f7be2a905"])]
VOTE = {
    "pair": ".".join(SIDES),
    "left": SIDES[0],
    "voter": "ada",
    "choices": {"prompt": "left", "overall": "tie"},
}
QUESTIONS = {"questions": [{"text": "What does the arm hold?"}], "reasoners": ["speck"]}
EXPORTS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


@router.get("/pairs/next", responses=documented(BadInput))
async def next_pair(
    arena: UsesArena,
    voter: Annotated[VoterName, Query()],
    by: VotedBy = "person",
    contest: str | None = None,
    domain: str | None = None,
    kind: PairKind | None = None,
    skip: Annotated[tuple[str, ...], Query(max_length=MAX_SKIPPED)] = (),
) -> NextPair:
    """Get the next pair for a voter. The vote reveals in what the two differ."""
    wish = Wish(contest=contest, domain=domain, kind=kind, skipped=frozenset(skip))
    return await arena.next_pair(wish, voter, by)


@router.get("/pairs/{pair_id}", responses=documented(BadInput, PairNotFound))
async def pair(pair_id: PairId, arena: UsesArena, voter: Annotated[VoterName, Query()], by: VotedBy = "person") -> Pair:
    """Get a pair again, with its sides as this voter saw them."""
    return await arena.pair(pair_id, voter, by)


@router.post("/votes", status_code=201, responses=documented(BadInput, PairNotFound, Conflict, StorageError))
async def cast(said: Annotated[CastVote, Body(examples=[VOTE])], reasoners: UsesReasoners, arena: UsesArena) -> Vote:
    """Vote on a pair. The answer reveals the sides. Sending the same vote again returns the stored vote."""
    if said.by == "reasoner" and said.voter in {reasoner.name for reasoner in reasoners.listing()}:
        raise BadInput(
            f"{shown(said.voter)} is a reasoner of this server and votes by itself.",
            param="voter",
            hint="Vote under your own name, or use POST /v1/arena/judgements.",
        )
    return await arena.cast(said)


@router.get("/votes", responses=documented(BadInput))
async def votes(
    arena: UsesArena,
    voter: str | None = None,
    contest: str | None = None,
    revoked: bool = False,
    limit: Annotated[int, Query(ge=1, le=MAX_VOTES_PAGE)] = 100,
) -> VoteList:
    """List the newest votes; withdrawn ones only with `revoked`."""
    return await arena.list_votes(voter, contest, revoked, limit)


@router.get("/votes/export", response_class=Response, responses=documented(BadInput))
async def export(arena: UsesArena, format: Literal["csv", "json"] = "csv", revoked: bool = False) -> Response:
    """Download all votes as a file, oldest first."""
    headers = {"content-disposition": f'attachment; filename="orrery-votes.{format}"', "cache-control": "no-store"}
    return Response(await arena.export(format, revoked), media_type=EXPORTS[format], headers=headers)


@router.delete("/votes/{vote_id}", responses=documented(VoteNotFound, StorageError))
async def revoke(vote_id: VoteId, arena: UsesArena) -> Vote:
    """Withdraw a vote. It no longer counts, but stays on record with the time."""
    return await arena.revoke(vote_id)


@router.get("/standings")
async def standings(
    arena: UsesArena, contest: str | None = None, voters: Voters = "person", kind: PairKind | None = None
) -> Standings:
    """Get the rankings of one contest, per axis and domain, and how far reasoners agree with people."""
    return await arena.standings(contest, voters, kind)


@router.get("/reasoners", responses=documented(BadInput))
async def reasoners(reasoners: UsesReasoners) -> ReasonerList:
    """List the models that can vote, answer and grade: checkpoints, and the endpoints of `reasoners.toml`."""
    return ReasonerList(reasoners=reasoners.listing())


@router.post(
    "/judgements",
    status_code=201,
    responses=documented(BadInput, PairNotFound, MediaNotFound, Conflict, Busy, EngineError, ServerUnreachable),
)
async def judge(
    asked: Annotated[AskJudge, Body(examples=[{"judge": "speck", "contest": "sampling.flow_shift"}])],
    request: Request,
    judge: UsesJudge,
) -> Vote:
    """Let a reasoner vote on a pair. Disconnecting cancels it."""
    return await unless_gone(request, judge.vote(asked))


@router.post("/questions", status_code=201, responses=documented(BadInput, MediaNotFound, StorageError))
async def put(asked: Annotated[PutQuestions, Body(examples=[QUESTIONS])], questions: UsesQuestions) -> QuestionList:
    """Add questions for the reasoners to answer."""
    return await questions.put(asked)


@router.get("/questions")
async def listing(
    questions: UsesQuestions, limit: Annotated[int, Query(ge=1, le=MAX_QUESTIONS_PAGE)] = 50
) -> QuestionList:
    """List the newest questions with their answers, and the mean grades over all questions."""
    return await questions.listing(limit)


@router.post("/questions/{question_id}/answers", responses=documented(QuestionNotFound, Conflict, Busy, StorageError))
async def ask(question_id: QuestionId, request: Request, questions: UsesQuestions) -> AskedQuestion:
    """Ask each reasoner whose answer is missing, one by one. Disconnecting stops it; finished answers are kept."""
    return await unless_gone(request, questions.ask(question_id))


@router.post(
    "/questions/{question_id}/grades",
    responses=documented(QuestionNotFound, BadInput, Conflict, Busy, EngineError, ServerUnreachable),
)
async def grade(
    question_id: QuestionId,
    asked: Annotated[GradeAnswers, Body(examples=[{"judge": "speck"}])],
    request: Request,
    questions: UsesQuestions,
) -> AskedQuestion:
    """Let a judge grade the answers against the person's, 1 to 5. Disconnecting cancels it."""
    return await unless_gone(request, questions.grade(question_id, asked))


@router.delete("/questions/{question_id}", responses=documented(QuestionNotFound, StorageError))
async def remove(question_id: QuestionId, questions: UsesQuestions) -> AskedQuestion:
    """Delete a question and its answers. Votes on them still count."""
    return await questions.remove(question_id)

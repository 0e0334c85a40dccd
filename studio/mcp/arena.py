"""The arena's tools. Their names, arguments and docstrings are what an agent sees."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from studio.arena import Axis, CastVote, Choice, NextPair, Standings, Vote, Voters
from studio.arena.votes import MAX_REASON, MAX_SKIPPED, QUESTIONS, PairKind
from studio.client import StudioClient
from studio.errors import VoteNotFound
from studio.requests import parse_as, shown

Voter = Annotated[str, Field(description="your name, the same in every call; each voter has one vote per pair")]
Contest = Annotated[
    str | None, Field(description="the field in which the two differ, for example sampling.guidance_scale")
]
Choices = Annotated[
    dict[Axis, Choice],
    Field(
        description="your choice per axis; overall is required, omit an axis that you cannot judge; bad means neither. "
        + "; ".join(f"{axis}: {question}" for axis, question in QUESTIONS.items())
    ),
]


class ArenaTools:
    """What an agent may do in the arena. It votes as a reasoner, never as a person."""

    def __init__(self, client: StudioClient) -> None:
        self._client = client

    async def deal_pair(
        self,
        voter: Voter,
        contest: Contest = None,
        kind: PairKind | None = None,
        skip: Annotated[list[str] | None, Field(max_length=MAX_SKIPPED, description="ids of pairs to skip")] = None,
    ) -> NextPair:
        """Get two results of one request that differ in one field, revealed after the vote; empty when no pair is left.

        Look at both sides, of clips at all_frames, then vote.
        """
        return await self._client.arena.deal(voter, "reasoner", contest=contest, kind=kind, skip=skip or ())

    async def vote(
        self,
        pair_id: str,
        left: Annotated[str, Field(description="id of the side that deal_pair showed as left")],
        voter: Voter,
        choices: Choices,
        reason: Annotated[str, Field(max_length=MAX_REASON)] = "",
    ) -> Vote:
        """Vote for the better side of a pair. It counts as a reasoner's vote and is compared with people's votes.

        The answer says what the two sides were: values of the field `contest`.
        """
        said = {"pair": pair_id, "left": left, "voter": voter, "choices": choices, "by": "reasoner", "reason": reason}
        return await self._client.arena.vote(parse_as(CastVote, said))

    async def take_back_vote(self, vote_id: str, voter: Voter) -> Vote:
        """Withdraw one of your votes. It no longer counts, and you may vote on the pair again."""
        listed = (await self._client.arena.votes_of(voter)).votes
        if not any(vote.id == vote_id and vote.by == "reasoner" for vote in listed):
            raise VoteNotFound(
                f"{shown(voter)} has no active vote {shown(vote_id)}.",
                param="vote_id",
                hint="The vote tool returns the id.",
            )
        return await self._client.arena.take_back(vote_id)

    async def get_standings(
        self,
        contest: Annotated[
            str | None, Field(description="the field to rank; empty uses checkpoint, or the field with the most votes")
        ] = None,
        voters: Voters = "person",
    ) -> Standings:
        """Get the ranking of checkpoints, or of the values of another field, by votes, per axis and domain.

        A rating of 1000 is the mean, 400 points are odds of 10 to 1, low to high is 95 %; `why` says why there is none.
        `agreement` is how often a voter said what people said; an empty voter is people among themselves.
        """
        return await self._client.arena.standings(contest, voters)

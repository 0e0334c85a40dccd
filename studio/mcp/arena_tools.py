"""The arena's tools. Their names, arguments and docstrings are what an agent sees."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from studio.arena import Axis, CastVote, Choice, Voters
from studio.arena.votes import MAX_REASON, MAX_SKIPPED
from studio.client import StudioClient
from studio.errors import VoteNotFound
from studio.mcp.arena_answers import DealAnswer, StandingsAnswer, VoteAnswer
from studio.requests import parse_as, shown

Voter = Annotated[str, Field(description="your own name, the same in every call: a voter has one vote on a pair")]
Contest = Annotated[str | None, Field(description="the field that the two differ in, as sampling.guidance_scale")]


class ArenaTools:
    """What an agent may do in the arena. It votes as a reasoner, never as a person."""

    def __init__(self, client: StudioClient) -> None:
        self._client = client

    async def deal_pair(
        self,
        voter: Voter,
        contest: Contest = None,
        kind: Literal["image", "video", "answer"] | None = None,
        skip: Annotated[
            list[str] | None, Field(max_length=MAX_SKIPPED, description="ids of pairs not to be dealt now")
        ] = None,
    ) -> DealAnswer:
        """Two results of one request that differ in one thing, which is told after the vote.

        Look at both sides, of clips at all_frames, then vote.
        """
        return DealAnswer.of(
            await self._client.arena.deal(voter, "reasoner", contest=contest, kind=kind, skip=skip or ())
        )

    async def vote(
        self,
        pair_id: str,
        left: Annotated[str, Field(description="id of the side that was dealt as left")],
        voter: Voter,
        choices: Annotated[
            dict[Axis, Choice],
            Field(description="by axis; overall is needed, an axis that you cannot judge is left out; bad is neither"),
        ],
        reason: Annotated[str, Field(max_length=MAX_REASON)] = "",
    ) -> VoteAnswer:
        """Say which side of a pair is better; it counts among reasoners' votes, and is compared with people's."""
        said = {"pair": pair_id, "left": left, "voter": voter, "choices": choices, "by": "reasoner", "reason": reason}
        return VoteAnswer.of(await self._client.arena.vote(parse_as(CastVote, said)))

    async def take_back_vote(self, vote_id: str, voter: Voter) -> VoteAnswer:
        """Take a vote of your own back: it counts no more, and you may vote on its pair again."""
        listed = (await self._client.arena.votes_of(voter)).votes
        if not any(vote.id == vote_id and vote.by == "reasoner" for vote in listed):
            raise VoteNotFound(
                f"{shown(voter)} has no vote {shown(vote_id)} that counts.",
                param="vote_id",
                hint="vote answers its id.",
            )
        return VoteAnswer.of(await self._client.arena.take_back(vote_id))

    async def get_standings(
        self,
        contest: Annotated[str | None, Field(description="none is checkpoint, or the most voted")] = None,
        voters: Voters = "person",
    ) -> StandingsAnswer:
        """How checkpoints, or the values of another field, rank by the votes, on each axis and in each domain."""
        return StandingsAnswer.of(await self._client.arena.standings(contest, voters))

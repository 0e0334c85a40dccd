"""What a server can be asked about its arena."""

from __future__ import annotations

from collections.abc import Sequence

from studio.arena import CastVote, NextPair, Standings, Vote, VotedBy, Voters
from studio.arena.votes import MAX_VOTES_PAGE, PairKind, VoteList
from studio.client.connection import Connection


class ArenaCalls:
    """The arena of one server, as `StudioClient.arena`. Everything raises StudioErrors."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def deal(
        self,
        voter: str,
        by: VotedBy = "person",
        *,
        contest: str | None = None,
        kind: PairKind | None = None,
        skip: Sequence[str] = (),
    ) -> NextPair:
        """The pair that a voter should look at next, if one is left.

        Args:
            voter: their name.
            by: what they are.
            contest, kind: of the pair; none is any.
            skip: pairs that they do not want to see now.
        """
        named = {"contest": contest, "kind": kind}
        params = {"voter": voter, "by": by, **{name: value for name, value in named.items() if value is not None}}
        return await self._connection.ask(
            "GET", "/v1/arena/pairs/next", NextPair, params={**params, "skip": list(skip)}
        )

    async def vote(self, said: CastVote) -> Vote:
        """Vote; the answer says what the sides were. Raises BadInput, PairNotFound, Conflict."""
        return await self._connection.ask("POST", "/v1/arena/votes", Vote, json=said.model_dump(mode="json"))

    async def votes_of(self, voter: str) -> VoteList:
        """Their newest votes that count, as many as one answer holds."""
        return await self._connection.ask(
            "GET", "/v1/arena/votes", VoteList, params={"voter": voter, "limit": MAX_VOTES_PAGE}
        )

    async def take_back(self, vote_id: str) -> Vote:
        """Take a vote back: it counts no more. Raises VoteNotFound."""
        return await self._connection.ask("DELETE", f"/v1/arena/votes/{vote_id}", Vote)

    async def standings(self, contest: str | None = None, voters: Voters = "person") -> Standings:
        """The rankings of one contest; none is the one over checkpoints, or the most voted."""
        params = {"voters": voters} if contest is None else {"voters": voters, "contest": contest}
        return await self._connection.ask("GET", "/v1/arena/standings", Standings, params=params)

"""The verbs of `/v1/arena`: pairs, votes and rankings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import structlog
from sqlalchemy import select
from sqlalchemy.orm import Session

from backend.arena.pairing import Match, Pairing, VoteCounts, Wish, deal, left_of
from backend.arena.votes import cast_vote, counts_of, every_vote, list_votes, revoke_vote, votes_as_csv
from backend.broadcast import LibraryNews
from backend.database import Database
from backend.database.tables import AnswerRow, ArtefactRow
from backend.media import MediaStore
from studio.arena import (
    Axis,
    CastVote,
    Choice,
    NextPair,
    Pair,
    Side,
    Standings,
    Vote,
    VotedBy,
    VoteList,
    Voters,
    axes_of,
    draw_up_standings,
)
from studio.arena.votes import PairKind
from studio.errors import BadInput, PairNotFound
from studio.media import MediaReference
from studio.requests import shown

T = TypeVar("T")

log = structlog.get_logger("orrery.arena")

_FACTS = ("type", "url", "thumbnail_url", "width", "height", "num_frames", "fps", "duration_s", "has_sound")


class ArenaService:
    """Pairs of what the library holds, and what people and reasoners say of them.

    Pairs are found again when the library or the answers have changed, rankings when a vote has come or gone.
    """

    def __init__(self, database: Database, news: LibraryNews, store: MediaStore) -> None:
        self._database = database
        self._news = news
        self._store = store
        self._pairing = Pairing(store)
        self._finding = asyncio.Lock()
        self._pairs: tuple[object, dict[str, Match]] = (None, {})
        self._votes: tuple[Vote, ...] | None = None
        self._counts = VoteCounts()
        self._standings: dict[tuple[str | None, Voters, PairKind | None], Standings] = {}
        self._num_answered = 0
        self._num_written = 0

    async def next_pair(self, wish: Wish, voter: str, by: VotedBy = "person") -> NextPair:
        """The pair that a voter should see now, if there is one left."""
        while True:
            matches = await self.matches()
            await self.votes()
            # Tens of thousands of pairs take a tenth of a second.
            dealt = asyncio.to_thread(deal, tuple(matches.values()), self._counts, wish, by, voter)
            match, num_pairs, num_left = await dealt
            if match is None:
                return NextPair(pair=None, num_pairs=num_pairs, num_left=num_left)
            try:
                pair = await self._shown(match, left_of(match, by, voter))
            except PairNotFound:  # a side has gone since the pairs were found; they are found anew without it
                continue
            return NextPair(pair=pair, num_pairs=num_pairs, num_left=num_left)

    async def pair(self, pair_id: str, voter: str, by: VotedBy = "person") -> Pair:
        """A pair again, with the sides that this voter was shown. Raises PairNotFound, also where a file is gone."""
        match = await self.match(pair_id)
        await self.votes()
        return await self._shown(match, left_of(match, by, voter))

    async def match(self, pair_id: str) -> Match:
        """What is known of a pair. Raises PairNotFound."""
        found = (await self.matches()).get(pair_id)
        if found is None:
            raise PairNotFound(
                f"There is no pair {shown(pair_id)}.",
                param="pair",
                hint="One side may have been deleted. GET /v1/arena/pairs/next returns another pair.",
            )
        return found

    async def cast(self, said: CastVote) -> Vote:
        """Keep the vote of a person, or of an agent.

        Raises:
            PairNotFound: there is no such pair.
            BadInput: it has no such side or axis.
            Conflict: the voter has voted otherwise on it.
        """
        match = await self.match(said.pair)
        return await self.keep(match, said.left, said.choices, said.by, said.voter, said.reason)

    async def keep(
        self, match: Match, left: str, choices: Mapping[Axis, Choice], by: VotedBy, voter: str, reason: str = ""
    ) -> Vote:
        """Keep anybody's vote on a pair. Raises as `cast`."""
        if left not in match.values:
            raise BadInput(f"left is {shown(left)}, which is not a side of {match.id}.", param="left")
        axes = axes_of(match.kind, sound=match.sound)
        strange = next((axis for axis in choices if axis not in axes), None)
        if strange is not None:
            raise BadInput(
                f"{strange} cannot be judged on this pair; its axes are {', '.join(axes)}.", param=f"choices.{strange}"
            )
        vote = await self._write(lambda session: cast_vote(session, match, left, choices, by, voter, reason))
        log.info("vote_cast", vote_id=vote.id, contest=vote.contest, by=by)
        return vote

    async def revoke(self, vote_id: str) -> Vote:
        """Take a vote back. Raises VoteNotFound."""
        return await self._write(lambda session: revoke_vote(session, vote_id))

    async def list_votes(self, voter: str | None, contest: str | None, revoked: bool, limit: int) -> VoteList:
        """The newest votes."""
        return await self._database.look(
            lambda session: list_votes(session, voter=voter, contest=contest, revoked=revoked, limit=limit)
        )

    async def export(self, form: str, revoked: bool) -> str:
        """All votes as CSV, or as a JSON list, the oldest first."""
        votes = await self._database.look(lambda session: every_vote(session, revoked=revoked))
        if form == "csv":
            return await asyncio.to_thread(votes_as_csv, votes)
        return await asyncio.to_thread(_votes_as_json, votes)

    async def standings(self, contest: str | None, voters: Voters, kind: PairKind | None = None) -> Standings:
        """The rankings of one contest, over all sorts of results or one."""
        votes = await self.votes()
        key = (contest, voters, kind)
        if key not in self._standings:
            wanted = [vote for vote in votes if kind in (None, vote.kind)]
            done = await asyncio.to_thread(draw_up_standings, wanted, contest, voters)
            if votes is not self._votes:
                return done
            if len(self._standings) > 64:
                self._standings.clear()
            self._standings[key] = done
        return self._standings[key]

    async def matches(self) -> dict[str, Match]:
        """Every pair by its id."""
        async with self._finding:
            now = (self._news.revision, self._num_answered)
            if self._pairs[0] != now:
                self._pairs = (now, await self._database.look(self._pairing.pairs))
            return self._pairs[1]

    async def votes(self) -> Sequence[Vote]:
        """Those that count."""
        if self._votes is not None:
            return self._votes
        written = self._num_written
        votes = tuple(await self._database.look(every_vote))
        self._counts = counts_of(votes)
        if written == self._num_written:  # none came or went meanwhile
            self._votes = votes
        return votes

    def forget(self) -> None:
        """Know nothing of what was read: the library was emptied, or an import brought votes and questions."""
        self._num_written += 1
        self._votes = None
        self._counts = VoteCounts()
        self._standings.clear()
        self._pairing = Pairing(self._store)
        self._pairs = (None, {})

    def answered(self) -> None:
        """Answers have come or gone: there may be other pairs."""
        self._num_answered += 1

    async def _shown(self, match: Match, left: str) -> Pair:
        right = match.second if left == match.first else match.first

        def look(session: Session) -> dict[str, Side]:
            if match.kind == "answer":
                rows = session.scalars(select(AnswerRow).where(AnswerRow.id.in_((left, right))))
                return {row.id: Side(id=row.id, text=row.text) for row in rows}
            found = session.scalars(select(ArtefactRow).where(ArtefactRow.id.in_((left, right))))
            return {row.id: side_of(row) for row in found if self._store.holds(row.id, row.reference["mime"])}

        sides = await self._database.look(look)
        if len(sides) < 2:
            self._pairs = (None, {})
            raise PairNotFound(f"A side of {match.id} was just deleted.", param="pair", hint="Get the next pair.")
        return Pair(
            id=match.id,
            kind=match.kind,
            domain=match.domain,
            prompt=match.words,
            given=match.given,
            axes=axes_of(match.kind, sound=match.sound),
            left=sides[left],
            right=sides[right],
            num_votes=self._counts.by_pair[match.id],
        )

    async def _write(self, act: Callable[[Session], T]) -> T:
        done = await self._database.write(act)
        self._num_written += 1
        self._votes = None
        self._standings.clear()
        return done


def side_of(row: ArtefactRow) -> Side:
    """An artefact without anything that says where it comes from."""
    reference = MediaReference.model_validate(row.reference)
    facts = {name: getattr(reference, name) for name in _FACTS}
    return Side(id=row.id, spritesheet_url=f"{reference.url}/spritesheet" if row.type == "video" else None, **facts)


def _votes_as_json(votes: Sequence[Vote]) -> str:
    said = [vote.model_dump(mode="json") for vote in votes]
    return json.dumps({"votes": said}, ensure_ascii=False, indent=1)

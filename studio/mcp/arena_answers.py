"""What the arena's tools answer."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from studio.arena import Axis, NextPair, Side, Standings, Vote
from studio.arena.votes import QUESTIONS


class DealtSide(BaseModel):
    """One side of a pair: a picture or clip to be looked at, or an answer's text."""

    id: str
    type: str | None
    text: str | None
    size: str | None
    duration_s: float | None
    has_sound: bool | None

    @classmethod
    def of(cls, side: Side) -> DealtSide:
        """From a pair's side."""
        return cls(
            id=side.id,
            type=side.type,
            text=side.text,
            size=f"{side.width}x{side.height}" if side.width else None,
            duration_s=side.duration_s,
            has_sound=side.has_sound,
        )


class DealtPair(BaseModel):
    """Two results of one request but for one thing. `axes` says what each vote is about; `given` are media ids."""

    pair_id: str
    prompt: str
    given: list[str]
    axes: dict[Axis, str]
    left: DealtSide
    right: DealtSide


class DealAnswer(BaseModel):
    """What is to be voted on next; `pair` is null once nothing is left."""

    pair: DealtPair | None
    num_left: int

    @classmethod
    def of(cls, dealt: NextPair) -> DealAnswer:
        """From what was dealt."""
        pair = dealt.pair
        if pair is None:
            return cls(pair=None, num_left=dealt.num_left)
        shown = DealtPair(
            pair_id=pair.id,
            prompt=pair.prompt,
            given=list(pair.given),
            axes={axis: QUESTIONS[axis] for axis in pair.axes},
            left=DealtSide.of(pair.left),
            right=DealtSide.of(pair.right),
        )
        return cls(pair=shown, num_left=dealt.num_left)


class VoteAnswer(BaseModel):
    """A vote, and what the two sides were: values of the field `contest`."""

    vote_id: str
    contest: str
    left: str
    right: str

    @classmethod
    def of(cls, vote: Vote) -> VoteAnswer:
        """From a vote."""
        return cls(vote_id=vote.id, contest=vote.contest, left=vote.left.value, right=vote.right.value)


class Ranked(BaseModel):
    """One contestant; without a rating there were too few votes, or nothing connects it with the others."""

    contestant: str
    rank: int | None
    rating: float | None
    low: float | None
    high: float | None
    num_votes: int
    why_unrated: str | None


class RankedAxis(BaseModel):
    """One ranking, the best first; an empty `domain` is all of them."""

    axis: Axis
    domain: str
    rows: list[Ranked]


class StandingsAnswer(BaseModel):
    """The rankings of one contest. 1000 is the mean, 400 points are odds of 10 to 1, low to high is 95 %.

    `agreement` is how often a voter said what people said; an empty voter is people among themselves.
    """

    contest: str
    contests: list[str]
    num_votes: int
    min_votes: int
    tables: list[RankedAxis]
    agreement: list[dict[str, Any]]

    @classmethod
    def of(cls, standings: Standings) -> StandingsAnswer:
        """From the standings."""
        tables = [
            RankedAxis(
                axis=table.axis,
                domain=table.domain,
                rows=[
                    Ranked(why_unrated=row.why, **row.model_dump(include=set(Ranked.model_fields)))
                    for row in table.rows
                ],
            )
            for table in standings.tables
        ]
        return cls(
            contest=standings.contest,
            contests=[contest.name for contest in standings.contests],
            num_votes=standings.num_votes,
            min_votes=standings.min_votes,
            tables=tables,
            agreement=[each.model_dump() for each in standings.agreement],
        )

"""The arena: which of two results is better, said blind, and the rankings that follow. Pure data and arithmetic."""

from studio.arena.agreement import Agreement, agreements, wilson
from studio.arena.axes import Axis, Choice, axes_of
from studio.arena.difference import fields_of, is_compared, shown_value
from studio.arena.domains import domain_of
from studio.arena.standings import Standings, draw_up_standings, rank_votes
from studio.arena.votes import (
    AskJudge,
    CastVote,
    Contestant,
    NextPair,
    Pair,
    Reasoner,
    ReasonerList,
    Side,
    Vote,
    VotedBy,
    VoteList,
    Voters,
    pair_id,
)

__all__ = [
    "Agreement",
    "AskJudge",
    "Axis",
    "CastVote",
    "Choice",
    "Contestant",
    "NextPair",
    "Pair",
    "Reasoner",
    "ReasonerList",
    "Side",
    "Standings",
    "Vote",
    "VoteList",
    "VotedBy",
    "Voters",
    "agreements",
    "axes_of",
    "domain_of",
    "draw_up_standings",
    "fields_of",
    "is_compared",
    "pair_id",
    "rank_votes",
    "shown_value",
    "wilson",
]

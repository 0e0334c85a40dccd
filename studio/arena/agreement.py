"""How often reasoners vote as people do, and people as each other."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

from studio.arena.axes import Axis, Choice
from studio.arena.votes import Vote
from studio.requests import Frozen

Z_95 = 1.959964
"""Of a normal variable, 95 % lie within so many standard deviations."""


class Agreement(Frozen):
    """How often two of a pair's voters said the same.

    Attributes:
        voter: a reasoner against people; empty for people among themselves.
        axis: of the votes.
        num_pairs: that both have voted on.
        share: of the answers that were the same, the mean over pairs; all four answers count as different.
        low, high: Wilson's 95 % interval of it for so many pairs.
    """

    voter: str
    axis: Axis
    num_pairs: int
    share: float
    low: float
    high: float


def wilson(share: float, num: int) -> tuple[float, float]:
    """The 95 % interval of a share of `num` (Wilson, 1927): 8 of 10 is 0.49 to 0.94."""
    if num == 0:
        return 0.0, 1.0
    squared = Z_95**2
    middle = (share + squared / (2 * num)) / (1 + squared / num)
    half = Z_95 * math.sqrt(share * (1 - share) / num + squared / (4 * num**2)) / (1 + squared / num)
    return max(0.0, middle - half), min(1.0, middle + half)


def agreements(votes: Sequence[Vote], axes: Sequence[Axis]) -> tuple[Agreement, ...]:
    """Each reasoner against people, then people among themselves; only where a pair has both.

    Several people on one pair are no independent trials, so that each pair counts once, with the mean of its answers.
    """
    found: list[Agreement] = []
    for axis in axes:
        people, reasoners = _by_pair(votes, axis)
        for voter in sorted({name for said in reasoners.values() for name in said}):
            shares = [
                sum(said[voter] == other for other in people[pair]) / len(people[pair])
                for pair, said in reasoners.items()
                if voter in said and pair in people
            ]
            found += _summed(voter, axis, shares)
        among = [
            sum(one == other for one, other in combinations(said, 2)) / math.comb(len(said), 2)
            for said in people.values()
            if len(said) > 1
        ]
        found += _summed("", axis, among)
    return tuple(found)


def _by_pair(votes: Sequence[Vote], axis: Axis) -> tuple[Mapping[str, list[str]], Mapping[str, dict[str, str]]]:
    """What people said of each pair, and what each reasoner did: the id of the better side, or `tie` or `bad`."""
    people: defaultdict[str, list[str]] = defaultdict(list)
    reasoners: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for vote in votes:
        choice = vote.choices.get(axis)
        if choice is None:
            continue
        said = _meant(vote, choice)
        if vote.by == "person":
            people[vote.pair].append(said)
        else:
            reasoners[vote.pair][vote.voter] = said
    return people, reasoners


def _meant(vote: Vote, choice: Choice) -> str:
    return {"left": vote.left.id, "right": vote.right.id}.get(choice, choice)


def _summed(voter: str, axis: Axis, shares: Sequence[float]) -> list[Agreement]:
    if not shares:
        return []
    share = sum(shares) / len(shares)
    low, high = wilson(share, len(shares))
    return [Agreement(voter=voter, axis=axis, num_pairs=len(shares), share=share, low=low, high=high)]

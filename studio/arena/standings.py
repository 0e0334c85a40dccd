"""Rankings from votes: Bradley–Terry strengths with intervals, for each axis, over all domains and for each.

Beside them stands how often reasoners vote as people do, and people as each other.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from studio.arena.strengths import Array, connected, draw_wins, fit_strengths, prior_wins
from studio.arena.votes import Axis, Choice, Vote, Voters
from studio.evaluation.statistics import QUANTILES, wilson
from studio.requests import Frozen


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


MIN_VOTES = 10
"""That a contestant needs before it is ranked; of ten, the interval of an even record is still 350 points wide."""
NUM_DRAWS = 1000
POINTS = 400 / math.log(10)
"""Of a strength of 1: 400 points are odds of 10 to 1, as in chess."""
MEAN_RATING = 1000.0

AXIS_ORDER: tuple[Axis, ...] = ("prompt", "physics", "geometry", "sound", "correct", "overall")


class Standing(Frozen):
    """One contestant in one table.

    Attributes:
        contestant: a value of the field that is compared.
        rating: 1000 is the mean of the ranked; 400 points more are odds of 10 to 1. None without enough votes.
        low, high: its 95 % interval.
        rank: 1 + how many others have their whole interval above it; several may share one.
        num_votes: in which it stood; wins, losses, ties and bad add up to them.
        why: why it has no rating: `few_votes`, or `never_met` where nothing connects it with the others.
    """

    contestant: str
    rating: float | None = None
    low: float | None = None
    high: float | None = None
    rank: int | None = None
    num_votes: int
    wins: int
    losses: int
    ties: int
    bad: int
    why: str | None = None


class StandingsTable(Frozen):
    """One axis, over all domains (`domain` is empty) or in one of them."""

    axis: Axis
    domain: str
    num_votes: int
    rows: tuple[Standing, ...]


class Contest(Frozen):
    """A field that results were compared by, and how many votes there are."""

    name: str
    num_votes: int


class Standings(Frozen):
    """`GET /v1/arena/standings`.

    Attributes:
        contest: the field whose values are ranked; empty while nobody has voted.
        contests: all that votes were cast in, the most voted first.
        min_votes: that a contestant needs.
        agreement: of reasoners with people, and of people with each other, in this contest.
    """

    contest: str
    contests: tuple[Contest, ...]
    voters: Voters
    num_votes: int
    num_voters: int
    min_votes: int = MIN_VOTES
    tables: tuple[StandingsTable, ...]
    agreement: tuple[Agreement, ...]


def draw_up_standings(votes: Sequence[Vote], contest: str | None = None, voters: Voters = "person") -> Standings:
    """The rankings of one contest.

    Args:
        votes: all that count.
        contest: the field; none takes `checkpoint` where it was voted on, else the most voted.
        voters: whose votes are ranked; agreement is always among all.
    """
    counted = Counter(vote.contest for vote in votes)
    contests = tuple(Contest(name=name, num_votes=num) for name, num in counted.most_common())
    chosen = contest or ("checkpoint" if "checkpoint" in counted else contests[0].name if contests else "")
    there = [vote for vote in votes if vote.contest == chosen]
    ranked = [vote for vote in there if voters in ("everybody", vote.by)]
    domains = ["", *sorted({vote.domain for vote in ranked})]
    axes: list[Axis] = [axis for axis in AXIS_ORDER if any(axis in vote.choices for vote in ranked)]
    tables = [
        StandingsTable(axis=axis, domain=domain, num_votes=len(said), rows=rank_votes(said, axis))
        for axis in axes
        for domain in domains
        if (said := [vote for vote in ranked if axis in vote.choices and domain in ("", vote.domain)])
    ]
    return Standings(
        contest=chosen,
        contests=contests,
        voters=voters,
        num_votes=len(ranked),
        num_voters=len({(vote.by, vote.voter) for vote in ranked}),
        tables=tuple(tables),
        agreement=agreements(there, AXIS_ORDER),
    )


def rank_votes(votes: Sequence[Vote], axis: Axis, *, num_draws: int = NUM_DRAWS) -> tuple[Standing, ...]:
    """One table, the best first, those without enough votes last. Both-bad counts as a tie, and is told in `bad`."""
    names = sorted({side.value for vote in votes for side in (vote.left, vote.right)})
    index = {name: number for number, name in enumerate(names)}
    wins, ties, bad = (np.zeros((len(names), len(names))) for _ in range(3))
    for vote in votes:
        left, right = index[vote.left.value], index[vote.right.value]
        match vote.choices[axis]:
            case "left":
                wins[left, right] += 1
            case "right":
                wins[right, left] += 1
            case "tie":
                ties[left, right] += 1
                ties[right, left] += 1
            case "bad":
                bad[left, right] += 1
                bad[right, left] += 1
    level = ties + bad
    games = wins + wins.T + level
    enough = [number for number in range(len(names)) if games[number].sum() >= MIN_VOTES]
    # Who is left out must not bind the others together; who has enough votes against those left out may end with none.
    group = [enough[number] for number in connected(games[np.ix_(enough, enough)])] if enough else []
    rated = _rate(wins[np.ix_(group, group)], level[np.ix_(group, group)], num_draws) if len(group) > 1 else {}
    by_number = {group[place]: figures for place, figures in rated.items()}
    rows: list[Standing] = []
    for number, name in enumerate(names):
        rating, low, high, rank = by_number.get(number, (None, None, None, None))
        rows.append(
            Standing(
                contestant=name,
                rating=rating,
                low=low,
                high=high,
                rank=rank,
                num_votes=int(games[number].sum()),
                wins=int(wins[number].sum()),
                losses=int(wins[:, number].sum()),
                ties=int(ties[number].sum()),
                bad=int(bad[number].sum()),
                why=None if rating is not None else "never_met" if number in enough else "few_votes",
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.rating is None, -(row.rating or 0), -row.num_votes, row.contestant)))


def _rate(wins: Array, level: Array, num_draws: int) -> dict[int, tuple[float, float, float, int]]:
    """By contestant: rating, the ends of its interval, rank."""
    best = fit_strengths(wins + level / 2 + prior_wins(wins + wins.T + level))
    drawn = fit_strengths(draw_wins(wins, level, num_draws, np.random.default_rng(0)))
    low, high = np.quantile(drawn, QUANTILES, axis=0)
    ranks = [1 + int((low > most).sum()) for most in high]
    points = [[round(MEAN_RATING + POINTS * float(strength), 1) for strength in each] for each in (best, low, high)]
    return dict(enumerate(zip(*points, ranks, strict=True)))

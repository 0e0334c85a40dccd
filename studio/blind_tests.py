"""Blind tests: two policies do the same task in turns, and a person says which did better without knowing who was who.

The comparison is that of RoboArena (Atreya et al., arXiv 2506.18123): a preference and a progress for each policy on
one scene, and strengths by Bradley and Terry over all of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from studio.arena.standings import Standing, rank_votes
from studio.arena.votes import Choice, Contestant, Side, Vote, VoterName, pair_id
from studio.evaluation.statistics import bootstrap
from studio.library import Title
from studio.requests import Frozen
from studio.requests.fields import BoundedText, MediaId

Better = Literal["first", "second", "tie"]
"""Which episode was better, in the order in which they are shown."""

PolicyName = Annotated[BoundedText, Field(min_length=1, max_length=256)]
TaskId = Annotated[str, Field(min_length=1, max_length=300)]

MAX_VIDEOS = 4
"""Of an episode: one for each camera."""

CHOICES: Mapping[Better, Choice] = {"first": "left", "second": "right", "tie": "tie"}


class CreateBlindTest(Frozen):
    """`POST /v1/blind-tests`.

    Attributes:
        policies: the two, by the names that their rows have.
        seed: draws which of them goes first at each task.
    """

    title: Title = ""
    policies: tuple[PolicyName, PolicyName]
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0

    @model_validator(mode="after")
    def _are_two(self) -> Self:
        if self.policies[0] == self.policies[1]:
            raise ValueError(f"policies names {self.policies[0]!r} twice; expected two different names")
        return self


class BlindTest(CreateBlindTest):
    """A blind test as it is now.

    Attributes:
        num_pairs: tasks that both policies have done.
        num_verdicts: by anybody.
    """

    id: str
    created_at: datetime
    num_pairs: int = 0
    num_verdicts: int = 0


class BlindTestList(Frozen):
    """`GET /v1/blind-tests`: the newest first."""

    tests: tuple[BlindTest, ...]


class BlindEpisode(Frozen):
    """What one policy did at a task.

    Attributes:
        policy: one of the test's two.
        videos: of the library, one for each camera.
        success: as it was measured; none where nobody did.
    """

    policy: PolicyName
    videos: Annotated[tuple[MediaId, ...], Field(min_length=1, max_length=MAX_VIDEOS)]
    success: bool | None = None


class AddBlindPair(Frozen):
    """`POST /v1/blind-tests/{test}/pairs`: both policies at one task. The same task again is kept once.

    Attributes:
        id: of the task: of a simulated scene its name with its seed, of a real one any name.
        task: the instruction.
        episodes: of both policies, in any order.
    """

    id: TaskId
    task: BoundedText
    episodes: tuple[BlindEpisode, BlindEpisode]


class RecordedEpisode(Frozen):
    """An episode in a file of recorded pairs; `videos` are files beside it, one for each camera."""

    policy: PolicyName
    videos: Annotated[tuple[str, ...], Field(min_length=1, max_length=MAX_VIDEOS)]
    success: bool | None = None


class RecordedPair(Frozen):
    """A line of a file of recorded pairs: an `AddBlindPair` whose videos are not sent yet."""

    id: TaskId
    task: BoundedText
    episodes: tuple[RecordedEpisode, RecordedEpisode]


class BlindPair(AddBlindPair):
    """A pair as it is kept; `number` counts from 1 in the order in which they came."""

    number: int


class BlindPairList(Frozen):
    """`GET /v1/blind-tests/{test}/pairs`: in the order in which they came."""

    pairs: tuple[BlindPair, ...]


class GiveVerdict(Frozen):
    """`POST /v1/blind-tests/{test}/verdicts`.

    Attributes:
        pair: number of the pair.
        better: which episode was.
        progress: of the first and of the second episode, how much of the task was done, 0 to 1.
    """

    pair: Annotated[int, Field(ge=1)]
    better: Better
    progress: tuple[Annotated[float, Field(ge=0, le=1)], Annotated[float, Field(ge=0, le=1)]]
    rater: VoterName


class BlindVerdict(GiveVerdict):
    """A verdict as it was written down."""

    id: str
    created_at: datetime


class BlindCard(Frozen):
    """Two episodes of one task, without anything that says whose they are.

    Attributes:
        sides: the videos of the first and of the second episode.
    """

    pair: int
    task: str
    sides: tuple[tuple[Side, ...], tuple[Side, ...]]


class BlindNext(Frozen):
    """`GET /v1/blind-tests/{test}/next`.

    Attributes:
        card: none where nothing is left for this rater.
        num_left: pairs that this rater has not judged.
        num_done: pairs that this rater has judged.
        last: the rater's newest verdict, which can be undone.
    """

    card: BlindCard | None
    num_left: int
    num_done: int
    last: BlindVerdict | None = None


class PolicyScore(Frozen):
    """One policy over all verdicts that count.

    Attributes:
        rating: 1000 is the mean; 400 points more are odds of 10 to 1. None below ten verdicts.
        low, high: its 95 % interval.
        progress: mean progress, 0 to 1, with its 95 % interval; none without a verdict.
        num_successes, num_measured: episodes that succeeded, of those whose success was measured.
    """

    policy: str
    rating: float | None = None
    low: float | None = None
    high: float | None = None
    num_verdicts: int
    wins: int
    losses: int
    ties: int
    progress: float | None = None
    progress_low: float | None = None
    progress_high: float | None = None
    num_successes: int = 0
    num_measured: int = 0


class BlindScores(Frozen):
    """`GET /v1/blind-tests/{test}/scores`, the best first; `GET /v1/blind-tests/scores` is over all tests."""

    policies: tuple[PolicyScore, ...]
    num_verdicts: int
    num_raters: int


def ordered(test: CreateBlindTest, task: str) -> tuple[str, str]:
    """Which policy goes first at a task, and which second: drawn by the seed, and the same whenever it is asked for.

    Args:
        test: with its policies and seed.
        task: id of the task.
    """
    one, other = sorted(test.policies)
    return (one, other) if zlib.crc32(f"{test.seed} {task}".encode()) % 2 == 0 else (other, one)


def in_order(test: CreateBlindTest, pair: AddBlindPair) -> tuple[BlindEpisode, BlindEpisode]:
    """The episodes of a pair as they are shown."""
    by_policy = {episode.policy: episode for episode in pair.episodes}
    first, second = ordered(test, pair.id)
    return by_policy[first], by_policy[second]


Judged = tuple[CreateBlindTest, BlindPair, BlindVerdict]
"""A verdict with what it is about."""


def draw_up_blind(judged: Iterable[Judged], pairs: Sequence[BlindPair]) -> BlindScores:
    """The scores of policies: strengths and intervals of `studio.arena.standings`, and the mean progress.

    Args:
        judged: all verdicts that count, of one test or of several.
        pairs: all pairs of those tests, whose successes are counted.
    """
    given = [(in_order(test, pair), verdict) for test, pair, verdict in judged]
    standings = {row.contestant: row for row in rank_votes([_vote(*each) for each in given], "overall")}
    progress: dict[str, list[float]] = {}
    for episodes, verdict in given:
        for episode, share in zip(episodes, verdict.progress, strict=True):
            progress.setdefault(episode.policy, []).append(share)
    measured: dict[str, list[bool]] = {}
    for episode in (episode for pair in pairs for episode in pair.episodes):
        measured.setdefault(episode.policy, [])
        if episode.success is not None:
            measured[episode.policy].append(episode.success)
    names = [*standings, *sorted(set(measured) - set(standings))]
    return BlindScores(
        policies=tuple(
            _score(name, standings.get(name), progress.get(name, ()), measured.get(name, ())) for name in names
        ),
        num_verdicts=len(given),
        num_raters=len({verdict.rater for _, verdict in given}),
    )


def _score(policy: str, row: Standing | None, progress: Sequence[float], measured: Sequence[bool]) -> PolicyScore:
    low, high = bootstrap(progress) if progress else (None, None)
    return PolicyScore(
        policy=policy,
        rating=row.rating if row else None,
        low=row.low if row else None,
        high=row.high if row else None,
        num_verdicts=row.num_votes if row else 0,
        wins=row.wins if row else 0,
        losses=row.losses if row else 0,
        ties=row.ties if row else 0,
        progress=sum(progress) / len(progress) if progress else None,
        progress_low=low,
        progress_high=high,
        num_successes=sum(measured),
        num_measured=len(measured),
    )


def _vote(episodes: tuple[BlindEpisode, BlindEpisode], verdict: BlindVerdict) -> Vote:
    """A verdict as the arena counts votes."""
    left, right = (Contestant(id=episode.videos[0], value=episode.policy) for episode in episodes)
    return Vote(
        id=verdict.id,
        pair=pair_id(left.id, right.id),
        kind="video",
        contest="policy",
        domain="",
        left=left,
        right=right,
        choices={"overall": CHOICES[verdict.better]},
        voter=verdict.rater,
        created_at=verdict.created_at,
    )

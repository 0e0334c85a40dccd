"""Cosmos-HUE: videos judged by questions with one fact each, where Yes is always the desirable answer.

Two raters answer each question about each video; where they differ a third decides. Unclear counts as No (Cosmos 3
report, 6.2.2 and appendix F):

    HUE(video) = Yes / questions,    HUE(model) = Σ Yes / Σ questions.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

from studio.errors import BadInput
from studio.evaluation.statistics import wilson
from studio.requests import Frozen, shown

Dimension = Literal["semantic_alignment", "physical_laws", "geometric_reasoning", "visual_integrity"]
HueDomain = Literal["common_sense", "av", "robotics", "industry", "human", "physics", "misc"]
Said = Literal["yes", "no", "unclear"]

Key = TypeVar("Key", bound=str)

DIMENSIONS: dict[Dimension, str] = {
    "semantic_alignment": "Semantic alignment",
    "physical_laws": "Physical laws",
    "geometric_reasoning": "Geometric reasoning",
    "visual_integrity": "Visual integrity",
}
DOMAINS: dict[HueDomain, str] = {
    "common_sense": "Common sense",
    "av": "Autonomous vehicles",
    "robotics": "Robotics",
    "industry": "Industry",
    "human": "Human",
    "physics": "Physics",
    "misc": "Miscellaneous",
}

Z_NORMAL = 1.96
"""Of the report's interval."""


class HueQuestion(Frozen):
    """One fact about the videos of one prompt."""

    id: str
    prompt: str
    text: str
    dimension: Dimension


class HueVideo(Frozen):
    """One video that was made of a prompt, whose questions are asked of it."""

    id: str
    prompt: str
    domain: HueDomain
    model: str


class HueRating(Frozen):
    """One rater's answer to one question about one video."""

    video: str
    question: str
    rater: str
    said: Said


class HueFigure(Frozen):
    """A share of Yes.

    Attributes:
        value: 0 to 1; none without an answer.
        low, high: value ± 1.96 · √(p (1 − p) / n), within 0 to 1.
        n: answers that count.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0


class HueAgreement(Frozen):
    """How often the first two raters of a question said the same, with Wilson's 95 % interval."""

    share: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0


class HueScores(Frozen):
    """One model's scores.

    Attributes:
        overall: over all answers.
        dimensions, domains: of those that have answers or questions.
        videos: HUE(video) of each.
        agreement: of the first two raters.
        undecided: questions about videos that need a first, second or third rating; they do not count.
    """

    model: str
    overall: HueFigure
    dimensions: dict[Dimension, HueFigure]
    domains: dict[HueDomain, HueFigure]
    videos: dict[str, HueFigure]
    agreement: HueAgreement
    undecided: int


def decided(ratings: Sequence[HueRating], *, alone: bool = False) -> Said | None:
    """What the raters of one question about one video come to, in the order in which they answered.

    Two that agree decide, else the third does; none while an answer is missing.

    Args:
        ratings: of one question about one video.
        alone: they are of one rater, as of a reasoner, whose answer decides.
    """
    if alone:
        return ratings[0].said if ratings else None
    if len(ratings) >= 2 and ratings[0].said == ratings[1].said:
        return ratings[0].said
    return ratings[2].said if len(ratings) >= 3 else None


def score_model(
    model: str,
    videos: Iterable[HueVideo],
    questions: Iterable[HueQuestion],
    ratings: Iterable[HueRating],
    *,
    alone: bool = False,
) -> HueScores:
    """A model's scores.

    Args:
        model: whose videos count.
        videos: of any models.
        questions: of all prompts.
        ratings: in the order in which they were given. People and reasoners are scored apart: pass those of one kind.
        alone: they are of one rater, whose answers decide.

    Raises:
        BadInput: a rating is of no question of its video's prompt, or a rater answered one twice.
    """
    by_prompt: defaultdict[str, list[HueQuestion]] = defaultdict(list)
    for question in questions:
        by_prompt[question.prompt].append(question)
    own = [video for video in videos if video.model == model]
    known = {(video.id, question.id) for video in own for question in by_prompt[video.prompt]}
    given = _by_pair(ratings, known, {video.id for video in own})
    answers = [
        _Decision(video, question, decided(given.get((video.id, question.id), []), alone=alone))
        for video in own
        for question in by_prompt[video.prompt]
    ]
    counted = [answer for answer in answers if answer.said is not None]
    return HueScores(
        model=model,
        overall=_figure(counted),
        dimensions=_grouped(counted, lambda answer: answer.question.dimension),
        domains=_grouped(counted, lambda answer: answer.video.domain),
        videos=_grouped(counted, lambda answer: answer.video.id),
        agreement=_agreement(given),
        undecided=len(answers) - len(counted),
    )


class _Decision(NamedTuple):
    video: HueVideo
    question: HueQuestion
    said: Said | None


def _by_pair(
    ratings: Iterable[HueRating], known: set[tuple[str, str]], videos: set[str]
) -> dict[tuple[str, str], list[HueRating]]:
    """Ratings of each question about each of these videos, in their order."""
    found: defaultdict[tuple[str, str], list[HueRating]] = defaultdict(list)
    for rating in ratings:
        if rating.video not in videos:
            continue
        pair = (rating.video, rating.question)
        if pair not in known:
            raise BadInput(
                f"The question {shown(rating.question)} is not asked about the video {rating.video}.", param="ratings"
            )
        if any(rating.rater == other.rater for other in found[pair]):
            raise BadInput(
                f"{rating.rater} has answered the question {rating.question} about the video {rating.video} twice; "
                "expected one answer.",
                param="ratings",
            )
        found[pair].append(rating)
    return found


def _grouped(decisions: Sequence[_Decision], key: Callable[[_Decision], Key]) -> dict[Key, HueFigure]:
    groups: defaultdict[Key, list[_Decision]] = defaultdict(list)
    for decision in decisions:
        groups[key(decision)].append(decision)
    return {name: _figure(found) for name, found in groups.items()}


def _figure(decisions: Sequence[_Decision]) -> HueFigure:
    count = len(decisions)
    if not count:
        return HueFigure()
    share = sum(decision.said == "yes" for decision in decisions) / count
    half = Z_NORMAL * math.sqrt(share * (1 - share) / count)
    return HueFigure(value=share, low=max(0.0, share - half), high=min(1.0, share + half), n=count)


def _agreement(given: Mapping[tuple[str, str], Sequence[HueRating]]) -> HueAgreement:
    return _share([ratings[0].said == ratings[1].said for ratings in given.values() if len(ratings) > 1])


def _share(same: Sequence[bool]) -> HueAgreement:
    if not same:
        return HueAgreement()
    share = sum(same) / len(same)
    low, high = wilson(share, len(same))
    return HueAgreement(share=share, low=low, high=high, n=len(same))


def rater_agreement(one: Iterable[HueRating], other: Iterable[HueRating]) -> HueAgreement:
    """How often two sides come to the same answer, as people and a reasoner.

    Args:
        one, other: ratings of each side, in their order; of a side with one rater its answer counts.
    """
    said = [_sides(ratings) for ratings in (one, other)]
    return _share([said[0][pair] == said[1][pair] for pair in said[0] if pair in said[1]])


def _sides(ratings: Iterable[HueRating]) -> dict[tuple[str, str], Said]:
    given: defaultdict[tuple[str, str], list[HueRating]] = defaultdict(list)
    for rating in ratings:
        given[rating.video, rating.question].append(rating)
    sides: dict[tuple[str, str], Said] = {}
    for pair, found in given.items():
        said = decided(found, alone=len(found) == 1)
        if said is not None:
            sides[pair] = said
    return sides

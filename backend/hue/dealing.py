"""Which question a person sees next, and what the ratings come to."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from studio.evaluation.hue import HueFigure, HueRating, HueScores, decided, rater_agreement, score_model
from studio.hue_studies import (
    HueAnswer,
    HuePair,
    HueRated,
    HueReasonerScores,
    HueResults,
    HueStudy,
)

ByPair = Mapping[tuple[str, str], Sequence[HueRated]]


def by_pair(ratings: Iterable[HueRated]) -> ByPair:
    """Ratings of each question about each video, in their order."""
    found: defaultdict[tuple[str, str], list[HueRated]] = defaultdict(list)
    for rated in ratings:
        found[rated.video, rated.question].append(rated)
    return found


def open_pairs(study: HueStudy, ratings: Iterable[HueRated], rater: str) -> list[HuePair]:
    """What a person may still answer: pairs that people have not decided and that this one has not answered.

    All questions about a video follow each other, so that it is loaded once. Videos come in an order of each rater's
    own, so that neither their place nor what was before them tells who made them.
    """
    given = by_pair(rated for rated in ratings if rated.by == "person")
    order = {video.id: zlib.crc32(f"{study.id} {rater} {video.id}".encode()) for video in study.videos}

    def is_open(pair: HuePair) -> bool:
        answers = given.get((pair.video.id, pair.question.id), ())
        return decided(answers) is None and all(answer.rater != rater for answer in answers)

    return sorted(filter(is_open, study.pairs()), key=lambda pair: order[pair.video.id])


def draw_up_hue(study: HueStudy, ratings: Iterable[HueRated]) -> HueResults:
    """The scores of a study by people, and by each reasoner apart. Ratings of removed questions do not count."""
    asked = {(pair.video.id, pair.question.id) for pair in study.pairs()}
    counted = [rated for rated in ratings if (rated.video, rated.question) in asked]
    people = [rated for rated in counted if rated.by == "person"]
    reasoners: defaultdict[str, list[HueRated]] = defaultdict(list)
    for rated in counted:
        if rated.by == "reasoner":
            reasoners[rated.rater].append(rated)
    return HueResults(
        real=tuple(dict.fromkeys(video.model for video in study.videos if video.real)),
        people=_scores(study, people),
        num_raters=len({rated.rater for rated in people}),
        reasoners=tuple(
            HueReasonerScores(
                reasoner=name, models=_scores(study, given, alone=True), agreement=rater_agreement(people, given)
            )
            for name, given in sorted(reasoners.items())
        ),
    )


def _scores(study: HueStudy, ratings: Sequence[HueRating], *, alone: bool = False) -> tuple[HueScores, ...]:
    real = {video.model for video in study.videos if video.real}
    videos = study.as_hue_videos()
    scores = [score_model(model, videos, study.questions, ratings, alone=alone) for model in study.models]
    return tuple(sorted(scores, key=lambda score: (score.model not in real, -_value(score.overall), score.model)))


def _value(figure: HueFigure) -> float:
    return -1.0 if figure.value is None else figure.value


def answers_of(study: HueStudy, ratings: Iterable[HueRated]) -> list[HueAnswer]:
    """Pairs that somebody has answered, video by video."""
    given = by_pair(ratings)
    texts = {prompt.id: prompt.text for prompt in study.prompts}
    return [
        HueAnswer(
            video=video,
            prompt=texts[video.prompt],
            question=question,
            decided=decided([rated for rated in found if rated.by == "person"]),
            ratings=tuple(found),
        )
        for video, question in study.pairs()
        if (found := given.get((video.id, question.id)))
    ]

"""Blind tests: the drawn order, and what verdicts come to."""

from datetime import UTC, datetime

import pytest

from studio.blind_tests import (
    Better,
    BlindEpisode,
    BlindPair,
    BlindVerdict,
    CreateBlindTest,
    draw_up_blind,
    in_order,
    ordered,
)
from studio.errors import BadInput
from studio.requests import parse_as

TEST = CreateBlindTest(policies=("base", "tuned"), seed=3)
VIDEOS = {"base": "u0000000000000001", "tuned": "u0000000000000002"}


def pair(number: int, **success: bool) -> BlindPair:
    one, other = (
        BlindEpisode(policy=name, videos=(VIDEOS[name],), success=success.get(name)) for name in TEST.policies
    )
    return BlindPair(id=f"task {number}", task="Lift.", episodes=(one, other), number=number)


def won(by: str | None, about: BlindPair, progress: tuple[float, float] = (0.0, 1.0)) -> BlindVerdict:
    """A verdict for a policy, wherever it was shown; progress is of base and tuned."""
    first = in_order(TEST, about)[0].policy
    better: Better = "tie" if by is None else "first" if by == first else "second"
    shown = progress if first == "base" else progress[::-1]
    return BlindVerdict(
        id=str(about.number), pair=about.number, better=better, progress=shown, rater="ada", created_at=NOW
    )


NOW = datetime.now(UTC)


def test_the_order_is_drawn_by_the_seed_and_stays():
    orders = [ordered(TEST, f"task {number}") for number in range(40)]
    assert orders == [ordered(TEST, f"task {number}") for number in range(40)]
    assert 5 < sum(first == "base" for first, _ in orders) < 35
    turned = CreateBlindTest(policies=("tuned", "base"), seed=3)
    assert [ordered(turned, f"task {number}") for number in range(40)] == orders
    other = CreateBlindTest(policies=("base", "tuned"), seed=4)
    assert [ordered(other, f"task {number}") for number in range(40)] != orders


def test_two_names_of_one_policy_are_no_test():
    with pytest.raises(BadInput, match="names 'base' twice"):
        parse_as(CreateBlindTest, {"policies": ["base", "base"]})


def test_nine_verdicts_in_ten_for_one_policy():
    pairs = [pair(number, base=False, tuned=number % 2 == 0) for number in range(1, 11)]
    verdicts = [won("base" if about.number == 1 else "tuned", about) for about in pairs]

    scores = draw_up_blind([(TEST, *each) for each in zip(pairs, verdicts, strict=True)], pairs)

    best, worst = scores.policies
    assert (best.policy, best.wins, best.losses, best.ties) == ("tuned", 9, 1, 0)
    assert (worst.policy, worst.wins, worst.losses) == ("base", 1, 9)
    # Half a win is added to each side: odds of 9.5 to 1.5 are 400 log10(19/3) points, around the mean of 1000.
    assert best.rating is not None
    assert worst.rating is not None
    assert best.rating - worst.rating == pytest.approx(320.6, abs=0.2)
    assert best.low is not None
    assert worst.high is not None
    assert best.low > worst.high
    assert (best.progress, worst.progress) == (1, 0)
    assert (best.num_successes, best.num_measured) == (5, 10)


def test_ties_count_for_both_and_few_verdicts_give_no_rating():
    about = pair(1)
    scores = draw_up_blind([(TEST, about, won(None, about, progress=(0.25, 0.75)))], [about])
    assert {each.policy: (each.ties, each.rating, each.progress) for each in scores.policies} == {
        "base": (1, None, 0.25),
        "tuned": (1, None, 0.75),
    }
    assert (scores.num_verdicts, scores.num_raters) == (1, 1)


def test_policies_that_nobody_has_judged_are_listed():
    scores = draw_up_blind([], [pair(1)])
    assert [(each.policy, each.num_verdicts, each.progress) for each in scores.policies] == [
        ("base", 0, None),
        ("tuned", 0, None),
    ]

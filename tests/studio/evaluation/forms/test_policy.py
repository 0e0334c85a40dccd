"""Episodes of a policy: what each says, and the rates of several."""

from collections.abc import Callable

import pytest

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation import Answer, Benchmark, draw_up
from studio.evaluation.episodes import EpisodeResult
from studio.evaluation.forms import check
from studio.evaluation.forms.policy import POLICY

LIFTED = EpisodeResult(
    success=True, reached=True, grasped=True, lifted=True, wrong_object=False, stopped="", seconds=2.5, answer_s=0.3
)
STOPPED = EpisodeResult(success=False, reached=True, wrong_object=False, stopped="clamp_rate", seconds=1.0)


@pytest.fixture
def lifts(benchmark_of: Callable[..., Benchmark]) -> Benchmark:
    return benchmark_of(
        "policy",
        {"question": "get the red one", "category": "vague"},
        {"question": "pick up the red cube", "category": "default"},
    )


def test_a_result_survives_being_written_and_read(lifts: Benchmark):
    reading = POLICY.read(lifts.items[0], lifts, LIFTED.to_text())

    assert EpisodeResult.model_validate(reading) == LIFTED


def test_what_nobody_measured_has_no_value(lifts: Benchmark):
    values = POLICY.measure(lifts.items[0], lifts, {"success": True}).values

    assert values == {"task_success": 1.0}


@pytest.mark.parametrize("text", ["", "it worked", "{}", '{"success": "often"}', '{"success": true, "score": 2}'])
def test_anything_else_cannot_be_read(lifts: Benchmark, text: str):
    with pytest.raises(UnusableAnswer):
        POLICY.read(lifts.items[0], lifts, text)


def test_rates_are_by_level_with_wilsons_interval(lifts: Benchmark):
    first, second = lifts.items
    answers = [Answer(item=first.id, text=LIFTED.to_text()), Answer(item=second.id, text=STOPPED.to_text())]

    scores = draw_up(lifts, answers)

    assert scores.headline == "task_success"
    assert {group.name: group.value("task_success") for group in scores.categories} == {"vague": 1.0, "default": 0.0}
    assert scores.overall.value("stopped") == 0.5
    assert scores.overall.value("grasped") == 1.0, "of the one that says it"
    assert scores.overall.value("success_s") == 2.5
    rate = scores.overall.measurements[0]
    assert (rate.low, rate.high) == pytest.approx((0.0945, 0.9055), abs=1e-3)


def test_a_policy_needs_an_instruction_and_is_asked_by_no_reasoner(
    lifts: Benchmark, benchmark_of: Callable[..., Benchmark]
):
    with pytest.raises(BadInput, match="instruction"):
        check(benchmark_of("policy", {"question": " "}))
    with pytest.raises(BadInput, match="reasoner"):
        POLICY.question(lifts.items[0], lifts, (), 0)

"""How old what is executed may be, whatever a policy sends and however slowly it is played."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robot.chunk import LASTS_S, MAX_ROWS, STALE_AFTER_S
from robot.commands import Approve, Run
from robot.faults import StopReason
from robot.playing import Rung
from robot.playing.player import HOLD_AFTER_S, STOP_AFTER_S
from robot_fakes import PERIOD_S, Reply, Rig, stay, sway

SLACK_S = 2 * PERIOD_S
HUNG = Reply(99.0)


def play(rig: Rig, run: Run, seconds: float = 20) -> tuple[float, float, float]:
    """When the last row was executed, the arm came to rest, and was stopped: seconds after the last answer."""
    rig.start(run)
    rig.seconds(seconds)
    answered_s = max(report.tick.began_s for report in rig.reports if report.answered is not None)
    executed_s = max(report.tick.began_s for report in rig.reports if report.wanted is not None)
    rested_s = next(report.tick.began_s for report in rig.reports if report.rung is Rung.REST)
    stopped_s = next(report.tick.began_s for report in rig.reports if report.session.stop is not None)
    return executed_s - answered_s, rested_s - answered_s, stopped_s - answered_s


@pytest.mark.parametrize("num_rows", [8, 32, 3000])
@pytest.mark.parametrize(("mode", "speed"), [("live", 1.0), ("rehearsal", 1.0), ("rehearsal", 0.3), ("rehearsal", 0.1)])
@pytest.mark.parametrize("horizon", [1, 16, 32])
def test_a_policy_that_hangs_is_a_hold_and_then_a_stop_at_any_speed(
    num_rows: int, mode: str, speed: float, horizon: int
):
    answers = iter([Reply(0.2, stay(num_rows))])
    rig = Rig(lambda seen: next(answers, HUNG))

    executed_s, rested_s, stopped_s = play(rig, Run.model_validate({"mode": mode, "speed": speed, "horizon": horizon}))

    assert executed_s <= LASTS_S
    assert rested_s <= executed_s + HOLD_AFTER_S + SLACK_S
    assert stopped_s <= executed_s + STOP_AFTER_S + SLACK_S
    assert rig.loop.view.stop is StopReason.STALE


def test_a_chunk_that_is_too_long_is_cut_and_the_operator_reads_it_once():
    rig = Rig(lambda seen: Reply(0.2, stay(3000)))
    rig.start(Run(horizon=32))

    rig.seconds(10)

    assert {len(report.answered.rows) for report in rig.reports if report.answered is not None} == {MAX_ROWS}
    assert [event.words for report in rig.reports for event in report.events if event.code == "too_long"] == [
        "The policy answers 3,000 rows; only the first 32 are executed."
    ]
    assert rig.state == "running"


@pytest.mark.parametrize("speed", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("latency_s", [0.2, 1.0, 1.9])
def test_slow_motion_asks_for_new_chunks_before_the_old_ones_time_is_over(speed: float, latency_s: float):
    rig = Rig(lambda seen: Reply(latency_s, stay()))
    rig.start(Run(mode="rehearsal", speed=speed))
    rig.seconds(8)
    first = len(rig.reports)

    rig.seconds(20)

    assert all(report.wanted is not None for report in rig.reports[first:])


def test_a_policy_that_comes_back_and_never_answers_stops_as_if_it_had_not():
    answers = iter([Reply(0.1, stay())])
    rig = Rig(lambda seen: next(answers, HUNG))
    rig.start()
    rig.seconds(1)
    first = len(rig.reports)

    for _ in range(40):
        rig.policy.connected = False
        rig.tick(3)
        rig.policy.connected = True
        rig.tick()

    since = rig.reports[first:]
    rested_s = next(report.tick.began_s for report in since if report.rung is Rung.REST) - since[0].tick.began_s
    stopped_s = next(report.tick.began_s for report in since if report.session.stop is not None) - since[0].tick.began_s
    assert rested_s <= HOLD_AFTER_S + SLACK_S
    assert stopped_s <= STOP_AFTER_S + SLACK_S
    assert rig.loop.view.stop is StopReason.STALE


def test_a_policy_that_comes_back_is_asked_at_once_and_its_answer_is_what_counts():
    rig = Rig(lambda seen: Reply(0.3, stay()))
    rig.start(Run(horizon=32))
    rig.seconds(0.6)
    rig.policy.connected = False
    rig.tick(3)
    rig.policy.connected = True
    asked = len(rig.policy.asked)

    rig.tick()
    assert len(rig.policy.asked) == asked + 1
    first = len(rig.reports)
    rig.seconds(5)

    assert all(report.wanted is not None for report in rig.reports[first:])


def test_a_machine_that_stood_still_plays_nothing_of_before():
    answers = iter([Reply(0.2, sway())])
    rig = Rig(lambda seen: next(answers, HUNG))
    rig.start()
    rig.seconds(1)
    rig.clock.now_s += 3.0

    assert rig.tick().wanted is None


def test_a_person_may_take_their_time_over_a_chunk_and_its_time_begins_with_their_yes():
    rig = Rig(lambda seen: Reply(0.2, stay()))
    rig.start(Run(mode="approve"))
    rig.seconds(2)
    rig.policy.connected = False
    rig.seconds(3)
    rig.policy.connected = True
    rig.seconds(60)
    first = len(rig.reports)

    rig.tell(Approve()).result(0)
    rig.seconds(2.0)

    assert sum(report.wanted is not None for report in rig.reports[first:]) > 28


@dataclass
class Whims:
    """Of one run: how each question is answered, and what becomes of the link meanwhile."""

    answers: list[tuple[int, float]]
    link: list[tuple[int, str]]


WHIMS = st.builds(
    Whims,
    st.lists(
        st.tuples(
            st.sampled_from([1, 3, 8, 31, 32, 33, 50, 400]), st.sampled_from([0.0, 0.2, 0.7, 1.6, 2.4, 4.0, 4.95, 99.0])
        ),
        min_size=1,
        max_size=12,
    ),
    st.lists(st.tuples(st.integers(1, 40), st.sampled_from(["redial", "lose", "find", "late", "stall"])), max_size=20),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(WHIMS, st.floats(0.1, 1.0), st.integers(1, 32), st.sampled_from(["live", "rehearsal", "shadow"]))
def test_no_executed_row_is_older_than_the_ladder_allows(whims: Whims, speed: float, horizon: int, mode: str):
    answers = iter(whims.answers * 40)

    def answer() -> Reply:
        num_rows, after_s = next(answers, (1, 99.0))
        return Reply(after_s, stay(num_rows))

    rig = Rig(lambda seen: answer())
    rig.start(Run.model_validate({"mode": mode, "speed": speed, "horizon": horizon}))
    played_at_s, seen_at_s, came_at_s = rig.clock.now_s, -math.inf, -math.inf

    def tick() -> None:
        nonlocal played_at_s, seen_at_s, came_at_s
        report = rig.tick()
        now_s = report.tick.began_s
        if report.splice is not None and report.answered is not None:
            seen_at_s, came_at_s = report.answered.observed_at_s, report.answered.received_at_s
        if report.wanted is not None:
            assert now_s - seen_at_s <= STALE_AFTER_S + 1e-6
            assert now_s - came_at_s <= LASTS_S + 1e-6
            played_at_s = now_s
        if rig.loop.view.stop is None and report.rung in (Rung.PLAY, Rung.COAST):
            assert now_s - played_at_s <= HOLD_AFTER_S + SLACK_S or len(rig.policy.asked) == 1

    for num_ticks, what in [*whims.link, (150, "nothing")]:
        for _ in range(num_ticks):
            tick()
            if rig.loop.view.stop is not None:
                return
        match what:
            case "redial":
                rig.policy.connected = False
                tick()
                rig.policy.connected = True
            case "lose" | "find":
                rig.policy.connected = what == "find"
            case "late" | "stall":
                rig.clock.now_s += 0.05 if what == "late" else 1.0
            case _:
                pass
    assert np.isfinite(rig.arm.positions).all()

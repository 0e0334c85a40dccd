"""The robot room's own loop under a clock that is turned by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pocket.report.closed_loop import ClosedLoop, try_it
from pocket.report.deciding import as_scripted, doing_nothing
from pocket.report.pacing import answers_after_s
from pocket.report.tables import NUM_NAMED

EXAM = ClosedLoop()


def test_the_scripted_policy_lifts_the_named_thing_and_nobody_else_does():
    errand, other = EXAM.tasks(2, 0)

    assert EXAM.mark(errand, EXAM.truth(errand)) == {
        "policy_reach": 1,
        "policy_grasp": 1,
        "policy_lift": 1,
        "policy_wrong": 0,
        "policy_stopped": 0,
    }
    assert not EXAM.ignorant(errand, other).lifted
    still = EXAM.idle(errand)
    assert set(EXAM.mark(errand, still).values()) == {0}


def test_another_thing_than_the_named_one_is_the_wrong_one():
    errand = EXAM.tasks(1, 0)[0]
    misled = replace(errand, thing=(errand.thing + 1) % NUM_NAMED)

    trial = try_it(misled, lambda _: as_scripted(errand.usual))

    assert trial.wrong_lifted
    assert not trial.lifted


def test_an_arm_that_is_sent_out_of_reach_is_stopped_and_the_run_is_over():
    errand = EXAM.tasks(1, 0)[0]
    asked: list[int] = []

    def far_away(seen):
        asked.append(seen.tick)
        return doing_nothing(seen) + 1.0

    trial = try_it(errand, lambda _: far_away)

    assert trial.stopped
    assert len(asked) == 1


def test_what_decides_looks_at_the_moment_at_which_it_is_asked(graphics):
    errand = EXAM.tasks(1, 0)[0]
    looked: list[tuple[int, ...]] = []

    def choose(look):
        def decide(seen):
            looked.append(look().shape)
            return doing_nothing(seen) + 1.0

        return decide

    trial = try_it(errand, choose, looks=True)

    assert looked == [(540, 640, 3)]
    assert trial.seen is not None
    assert trial.seen.std() > 10


@pytest.mark.parametrize(("chunk_s", "ticks"), [(0.05, 6), (0.35, 6), (0.4, 6), (0.41, 7), (0.48, 8)])
def test_an_answer_waits_as_long_as_a_chunk_takes_in_whole_ticks(chunk_s, ticks):
    assert answers_after_s(chunk_s) == pytest.approx(ticks / 15)


def test_a_run_is_a_function_of_its_seed():
    errand = EXAM.tasks(1, 0)[0]

    assert EXAM.ignorant(errand, errand) == EXAM.ignorant(errand, errand)
    assert EXAM.tasks(3, 0)[0] == errand
    assert EXAM.tasks(1, 1)[0].seed != errand.seed


@pytest.mark.slow
def test_the_scripted_policy_lifts_what_is_named_on_thirty_tables():
    assert [errand for errand in EXAM.tasks(30, 0) if not EXAM.truth(errand).lifted] == []

"""The robot room's own loop under a clock that is turned by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pocket.report.closed_loop import NUM_NAMED, ClosedLoop, try_it
from pocket.report.deciding import as_scripted

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

    trial = try_it(misled, as_scripted(errand.usual), looks=False)

    assert trial.wrong_lifted
    assert not trial.lifted


def test_a_run_is_a_function_of_its_seed():
    errand = EXAM.tasks(1, 0)[0]

    assert EXAM.ignorant(errand, errand) == EXAM.ignorant(errand, errand)
    assert EXAM.tasks(3, 0)[0] == errand
    assert EXAM.tasks(1, 1)[0].seed != errand.seed


@pytest.mark.slow
def test_the_scripted_policy_lifts_what_is_named_on_thirty_tables():
    assert [errand for errand in EXAM.tasks(30, 0) if not EXAM.truth(errand).lifted] == []

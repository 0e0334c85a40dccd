"""Episodes on a clock that is turned by hand, with policies behind real websockets."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from robot.clock import MonotonicClock
from robot.evaluation.late_policy import LatePolicy, TurnedClock
from robot.evaluation.scenes import TableTask, table_benchmark, task_of
from robot.evaluation.stepped import SteppedTrials
from robot.faults import NotInstalled, PolicyLost
from robot.settings import RobotSettings
from robot.simulation.library import GRAPHICS, Graphics
from robot_servers import observation, policy_server, rows, scripted, stay_here

draws = pytest.mark.skipif(not GRAPHICS.can_draw, reason=GRAPHICS.problem or "it draws")


@contextmanager
def trials(url: str, folder: Path) -> Iterator[SteppedTrials]:
    own = SteppedTrials(RobotSettings(policy=url, recordings=folder), 0.4)
    try:
        own.make_ready()
        yield own
    finally:
        own.close()


@draws
def test_an_episode_is_a_function_of_its_task(tmp_path: Path):
    task = task_of(table_benchmark(1, ("vague",), 0).items[0])
    with policy_server(scripted) as (url, _), trials(url, tmp_path) as own:
        first, other, again = own.try_it(task), own.try_it(TableTask(7, 0, "sing a song")), own.try_it(task)

    assert first == again
    assert (first.success, first.stopped, first.answer_s) == (True, "", 0.4)
    assert (other.success, other.stopped) == (False, "stale"), "an arm without rows for five seconds is stopped"


@draws
def test_a_policy_that_stays_reaches_nothing_in_eight_seconds_of_the_simulation(tmp_path: Path):
    began_s = MonotonicClock().now()
    with policy_server(stay_here) as (url, _), trials(url, tmp_path) as own:
        result = own.try_it(task_of(table_benchmark(1, ("default",), 0).items[0]))

    assert (result.success, result.reached, result.stopped) == (False, False, "")
    assert result.seconds == pytest.approx(7.9, abs=0.1)
    assert MonotonicClock().now() - began_s < 60


def test_without_rendering_nothing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("robot.evaluation.stepped.GRAPHICS", Graphics("disable", "Install libegl1."))

    with pytest.raises(NotInstalled, match="libegl1"):
        SteppedTrials(RobotSettings(policy="ws://127.0.0.1:9", recordings=tmp_path), 0.4)


def test_an_answer_and_a_failure_come_when_the_clock_says_so():
    clock = TurnedClock()
    lost = PolicyLost("gone")

    def fails(_: object):
        raise lost

    for policy in (LatePolicy(clock, lambda _: rows(), 0.4), LatePolicy(clock, fails, 0.4)):
        policy.ask(observation(at_s=clock.now()))
        assert policy.busy
        assert policy.take() is None
        clock.now_s += 0.4
        assert policy.take() is not None
        assert policy.take() is None

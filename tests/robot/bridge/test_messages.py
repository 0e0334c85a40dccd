"""What a page is told, and when it is told anew what will be played."""

from itertools import pairwise

import numpy as np

from robot.bridge.messages import ComingRows
from robot.commands import Run
from robot_fakes import Reply, Rig, stay


def test_rows_are_told_when_they_take_over_and_once_a_second():
    rig = Rig(lambda seen: Reply(0.2, stay()))
    rig.start(Run(horizon=16))
    rig.seconds(6)
    rows = ComingRows()

    told = [report for report in rig.reports if rows.is_news(report)]

    spliced = [report for report in rig.reports if report.splice is not None]
    assert all(report in told for report in spliced)
    assert all(later.tick.number - earlier.tick.number <= 16 for earlier, later in pairwise(told))
    assert len(told) < len(rig.reports) / 4


def test_a_replay_is_told_from_its_beginning_and_nothing_is_when_nothing_comes():
    rig = Rig()
    rig.start(Run(mode="replay", episode=0, speed=1.0), stay(40))
    rig.seconds(5)
    rows = ComingRows()

    told = [report for report in rig.reports if rows.is_news(report)]

    assert told[0].coming is not None
    assert len(told[0].coming) == 39
    assert all(report.coming is not None and len(report.coming) for report in told)
    assert 2 <= len(told) <= 4


def test_rows_that_are_not_finite_can_be_shown():
    from robot.bridge.messages import _rounded  # type: ignore

    assert _rounded(np.array([np.nan, np.inf, 0.12345, 0, 0, 0, 0])) == [0, 0, 0.1234, 0, 0, 0, 0]

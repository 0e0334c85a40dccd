"""The robot's program and a server of its own, on the machine's clock."""

from __future__ import annotations

import pytest

from pocket.report.real_time import FIGURES, marked, try_in_real_time


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_table_is_tried_through_a_server_in_real_time(toy, graphics):
    trials, kept_time = try_in_real_time(toy, 1, 0, lambda _: None)

    (marks,) = marked(trials)
    assert set(marks) == {figure.name for figure in FIGURES}
    assert marks["real_lift"] == 0
    assert kept_time.num_ticks > 15

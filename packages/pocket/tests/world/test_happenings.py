import numpy as np

from pocket.world.episode import Event
from pocket.world.happenings import stretches, within


def test_stretches_bridge_gaps_and_leave_out_what_is_short():
    mask = np.array([0, 1, 1, 0, 1, 0, 0, 0, 1], bool)

    assert stretches(mask, shortest=1, longest_gap=0) == [(1, 3), (4, 5), (8, 9)]
    assert stretches(mask, shortest=2, longest_gap=1) == [(1, 5)]


def test_a_window_keeps_what_it_shows_in_its_own_time():
    events = [Event("grasp", 0.5, 0.8, (0,)), Event("lift", 0.9, 2.5, (0,)), Event("drop", 3.0, 3.2, (0,))]

    seen = within(events, 0.7, 1.0)

    assert [event.kind for event in seen] == ["grasp", "lift"]
    np.testing.assert_allclose([(event.start_s, event.end_s) for event in seen], [(0.0, 0.1), (0.2, 1.0)])

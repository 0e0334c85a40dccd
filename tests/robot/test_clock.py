import threading

import pytest

from robot.clock import MonotonicClock, Pace
from robot_fakes import FakeClock


def test_ticks_keep_to_absolute_deadlines():
    clock = FakeClock(now_s=50.0)
    pace = Pace(clock, 0.1)

    due = []
    for _ in range(4):
        tick = pace.wait()
        assert tick is not None
        due.append(tick.due_s)
        clock.now_s += 0.03

    assert due == pytest.approx([50.0, 50.1, 50.2, 50.3])


@pytest.mark.parametrize(
    ("lasted_s", "numbers", "num_missed", "lateness_s"),
    [(0.05, [0, 1], 0, 0.0), (0.15, [0, 1], 0, 0.05), (0.35, [0, 3], 2, 0.05)],
)
def test_a_late_turn_is_counted_and_never_caught_up(
    lasted_s: float, numbers: list[int], num_missed: int, lateness_s: float
):
    clock = FakeClock(now_s=0.0)
    pace = Pace(clock, 0.1)
    first = pace.wait()
    clock.now_s += lasted_s

    second = pace.wait()

    assert first is not None
    assert second is not None
    assert [first.number, second.number] == numbers
    assert second.num_missed == num_missed
    assert second.lateness_s == pytest.approx(lateness_s)


def test_a_set_event_ends_the_wait_without_a_tick():
    clock = FakeClock(now_s=0.0)
    pace = Pace(clock, 0.1)
    wake = threading.Event()
    assert pace.wait(wake) is not None
    wake.set()

    assert pace.wait(wake) is None

    wake.clear()
    tick = pace.wait(wake)
    assert tick is not None
    assert tick.number == 1


def test_the_machines_clock_waits_and_can_be_woken():
    clock = MonotonicClock()
    began_s = clock.now()
    clock.wait_until(began_s + 0.02)
    assert clock.now() - began_s >= 0.02

    wake = threading.Event()
    wake.set()
    clock.wait_until(clock.now() + 60, wake)
    assert clock.now() - began_s < 30

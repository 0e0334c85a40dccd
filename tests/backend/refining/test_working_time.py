"""The clock of a refinement counts work, and no time in the queue."""

import time

import pytest

from backend.refining.working_time import WorkingTime


def test_the_clock_stands_while_nobody_works(monkeypatch: pytest.MonkeyPatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    clock = WorkingTime(5.0)
    now += 7
    assert clock.seconds == 5.0
    clock.tell("one", works=True)
    now += 2
    clock.tell("other", works=True)
    now += 2
    clock.tell("one", works=False)
    now += 2
    assert clock.seconds == 11.0
    clock.tell("other", works=False)
    now += 60
    assert clock.seconds == 11.0
    clock.tell("one", works=True)
    now += 1
    assert clock.seconds == 12.0

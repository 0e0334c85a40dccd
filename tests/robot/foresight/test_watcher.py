"""The thread that compares: what it is given late, or not at all, never holds anybody up."""

import time
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from robot.foresight import Foreseen, Moment, Watcher
from robot.foresight.clip import ForeseenClip, clip_of_video
from robot_fakes import views_at

WAIT_S = 60


@pytest.fixture
def watcher() -> Iterator[Watcher]:
    watcher = Watcher()
    yield watcher
    watcher.close()


def moment(tick: int, row: float = 1.0, epoch: int = 1) -> Moment:
    return Moment(tick, epoch, 0, row, views_at(100.0))


def clip(epoch: int = 1, levels: int = 0) -> ForeseenClip:
    return clip_of_video(f"{epoch}-0", np.full((5, 54, 64, 3), levels, np.uint8))


def seen(watcher: Watcher, tick: int, row: float = 1.0) -> Foreseen:
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        if (found := watcher.look(moment(tick, row))) is not None:
            return found
        time.sleep(0.01)
    raise AssertionError("nothing was compared")


def test_a_moment_is_compared_with_the_frame_of_its_row(watcher: Watcher):
    watcher.take(clip())

    found = seen(watcher, 7, row=3.0)

    assert (found.frame, found.moment.tick) == (3, 7)
    assert found.divergence.motion == (0, 0, 0)
    assert found.picture.shape == (540, 640, 3)


def test_without_a_clip_nothing_is_said(watcher: Watcher):
    assert watcher.look(moment(3)) is None
    watcher.take(clip(epoch=2))
    time.sleep(0.05)
    assert watcher.look(moment(4)) is None


def test_what_was_compared_in_another_epoch_or_long_ago_is_not_said(watcher: Watcher):
    watcher.take(clip())
    seen(watcher, 1)

    assert watcher.look(moment(2, epoch=2)) is None
    assert watcher.look(Moment(40, 1, 999, 1.0, views_at(100.0))) is None


def test_a_clip_of_broken_pictures_is_dropped_and_the_next_one_is_used(watcher: Watcher):
    watcher.take(ForeseenClip("1-0", (b"no", b"picture")))
    assert watcher.look(moment(1)) is None
    time.sleep(0.1)
    watcher.take(clip())

    assert seen(watcher, 2).frame == 1


def test_a_good_clip_that_comes_while_a_broken_one_is_looked_at_stays(watcher: Watcher):
    class Overtaken(ForeseenClip):
        def picture(self, index: int) -> NDArray[np.uint8]:
            watcher.take(clip())
            return super().picture(index)

    watcher.take(Overtaken("1-0", (b"no", b"picture")))

    assert seen(watcher, 1).frame == 1


def test_a_look_returns_at_once_while_a_comparison_takes_long(watcher: Watcher):
    watcher.take(clip())
    began_s = time.thread_time()
    for tick in range(1000):
        watcher.look(moment(tick))

    assert time.thread_time() - began_s < 1

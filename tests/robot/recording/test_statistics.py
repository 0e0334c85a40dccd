import numpy as np
import pytest

from robot.recording.episode_writer import PictureStats, aggregate, column_stats


def test_the_worked_example():
    whole = aggregate([column_stats(np.ones((2, 1))), column_stats(np.full((2, 1), 3.0))])

    assert whole["mean"] == [2]
    assert whole["std"] == [1]
    assert whole["count"] == [4]


def test_pictures_are_counted_by_channel_between_0_and_1():
    stats = PictureStats()
    stats.add(np.dstack([np.zeros((8, 8)), np.full((8, 8), 255), np.full((8, 8), 51)]).astype(np.uint8))

    found = stats.stats()

    assert np.array(found["mean"]).ravel() == pytest.approx([0, 1, 0.2])
    assert found["count"] == [1]

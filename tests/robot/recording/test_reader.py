"""A plot of an episode fits one message; how often it worked, and how sure one can be."""

from pathlib import Path

import pytest

from robot.recording import read_episode, success_interval
from robot.recording.reader import MAX_POINTS, plotted
from robot_episodes import recorded


def test_a_short_episode_is_told_frame_by_frame(tmp_path: Path):
    plot = plotted(read_episode(recorded(tmp_path, 20), 0))

    assert (plot["num_frames"], plot["stride"], len(plot["actions"])) == (20, 1, 20)
    assert plot["states"][3][0] == 0.03
    assert plot["clamped"][3] == [2]
    assert plot["task"] == "pick the red cube"


def test_a_long_one_is_thinned_and_loses_no_clamp(tmp_path: Path):
    episode = read_episode(recorded(tmp_path, 8), 0)
    long = type(episode)(
        episode.summary,
        episode.states.repeat(200, axis=0),
        episode.actions.repeat(200, axis=0),
        episode.wanted.repeat(200, axis=0),
        episode.clamped.repeat(200, axis=0) & False,
        episode.videos,
        episode.notes,
    )
    long.clamped[1001, 4] = True

    plot = plotted(long)

    assert (plot["num_frames"], plot["stride"]) == (1600, 2)
    assert len(plot["states"]) == len(plot["clamped"]) == 800 <= MAX_POINTS
    assert [index for index, joints in enumerate(plot["clamped"]) if joints] == [500]


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"), [(7, 10, 0.397, 0.892), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0)]
)
def test_wilsons_interval(successes: int, trials: int, low: float, high: float):
    assert success_interval(successes, trials) == pytest.approx((low, high), abs=1e-3)


def test_nothing_tried_says_nothing():
    assert success_interval(0, 0) == (0.0, 1.0)

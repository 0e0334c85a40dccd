"""A plot of an episode fits one message."""

from pathlib import Path

from robot.recording import read_episode
from robot.recording.plotting import MAX_POINTS, plotted
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

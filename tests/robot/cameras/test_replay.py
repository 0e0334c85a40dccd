import threading
from pathlib import Path

import pytest

from robot.cameras.replay import ReplayCameras
from robot.clock import MonotonicClock
from robot.faults import CameraLost
from robot.recording import read_episode
from robot_episodes import recorded
from robot_fakes import FakeClock
from robot_servers import until


def test_they_show_the_episode_to_its_last_picture(tmp_path: Path):
    recorded(tmp_path, 8)
    cameras = ReplayCameras(read_episode(tmp_path, 0), FakeClock())

    until(lambda: cameras.views().wrist.mean() > 33)
    views = cameras.views()
    cameras.close()

    assert views.wrist.shape == (360, 640, 3)
    assert views.exterior_1.shape == views.exterior_2.shape == (180, 320, 3)
    assert views.exterior_2.mean() == pytest.approx(35, abs=2)


def test_they_keep_the_pace_of_the_clock(tmp_path: Path):
    recorded(tmp_path, 8)
    clock = FakeClock()
    waited: list[float] = []
    done = threading.Event()
    clock.on_wait = lambda deadline_s: (waited.append(deadline_s), done.set() if len(waited) == 8 else None)

    cameras = ReplayCameras(read_episode(tmp_path, 0), clock)
    assert done.wait(60)
    cameras.close()

    assert waited == pytest.approx([100 + (number + 1) / 15 for number in range(8)])


def test_a_video_that_cannot_be_read_is_a_lost_camera(tmp_path: Path):
    recorded(tmp_path, 2)
    episode = read_episode(tmp_path, 0)
    next(iter(episode.videos.values())).write_bytes(b"nothing")

    cameras = ReplayCameras(episode, MonotonicClock())
    with pytest.raises(CameraLost):
        until(lambda: cameras.views() and None)
    cameras.close()

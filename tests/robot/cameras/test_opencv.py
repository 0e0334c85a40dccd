"""OpenCV reads a file as it reads a device. It comes to the file's end at once, and no picture grows old meanwhile."""

from pathlib import Path

import pytest

from robot.cameras.opencv import CameraAddress, OpenCvCameras
from robot.faults import CameraLost
from robot.recording import read_episode
from robot.recording.features import VIDEOS
from robot_episodes import recorded
from robot_fakes import StillClock
from robot_servers import until


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    episode = read_episode(recorded(tmp_path, 30), 0)
    return [str(episode.videos[name]) for name in VIDEOS]


def test_three_cameras_give_pictures_of_the_canvas_sizes(files: list[str]):
    wrist, exterior_1, _ = files
    cameras = OpenCvCameras(
        CameraAddress(wrist), CameraAddress(wrist, upside_down=True), CameraAddress(exterior_1), StillClock()
    )
    views = cameras.views()
    cameras.close()

    assert views.wrist.shape == (360, 640, 3)
    assert views.exterior_1.shape == (180, 320, 3)
    assert views.exterior_2.shape == (180, 320, 3)
    assert views.canvas().shape == (540, 640, 3)


def test_a_camera_that_is_not_there_is_named(files: list[str], tmp_path: Path):
    cameras = OpenCvCameras(
        CameraAddress(files[0]), CameraAddress(str(tmp_path / "none")), CameraAddress(files[2]), StillClock()
    )

    with pytest.raises(CameraLost, match="exterior 1"):
        until(lambda: cameras.views() and None)
    cameras.close()

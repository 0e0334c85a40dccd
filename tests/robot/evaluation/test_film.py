"""What the cameras saw of an episode becomes a video."""

from pathlib import Path

import av
import numpy as np

from robot.evaluation.film import Film
from robot.observation import EXTERIOR_SIZE, WRIST_SIZE, Views


def views(grey: int) -> Views:
    wide, side = (np.full((height, width, 3), grey, np.uint8) for width, height in (WRIST_SIZE, EXTERIOR_SIZE))
    return Views(0.0, wide, side, side)


def test_every_tick_is_a_frame_and_an_old_file_gives_way(tmp_path: Path):
    path = tmp_path / "episode.mp4"
    path.write_bytes(b"old")
    film = Film(path)
    for grey in (0, 80, 160):
        film.add(views(grey))
    film.save()
    with av.open(str(path)) as video:
        frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
    assert [frame.shape for frame in frames] == [(540, 640, 3)] * 3
    assert abs(float(frames[2].mean()) - 160) < 4


def test_an_episode_that_nobody_saw_leaves_no_file(tmp_path: Path):
    Film(tmp_path / "episode.mp4").save()
    assert list(tmp_path.iterdir()) == []

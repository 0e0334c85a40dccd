from __future__ import annotations

import av
import pytest
from PIL import Image


@pytest.fixture
def clip(tmp_path, write_clip):
    return write_clip(tmp_path / "clip.mp4", 12)


def test_a_control_is_computed_and_saved(orrery, server, clip, tmp_path):
    words = ("--strength", "high", "--resolution", "256", "--fps", "10", "--server", server.url)
    result = orrery("control", clip, "-o", tmp_path / "edges.mp4", *words)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{tmp_path / 'edges.mp4'}  edge high  320x192  12 frames\n"
    with av.open(str(tmp_path / "edges.mp4")) as container:
        assert sum(1 for _ in container.decode(video=0)) == 12


def test_one_frame_of_a_control_is_a_picture(orrery, server, clip, tmp_path):
    words = ("--hint", "blur", "--resolution", "256", "--at", "0", "--server", server.url)
    assert orrery("control", clip, "-o", tmp_path / "blur.png", *words).exit_code == 0
    with Image.open(tmp_path / "blur.png") as picture:
        assert (picture.format, picture.size) == ("PNG", (320, 192))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--hint", "wsm"], "hint is 'wsm'"),
        (["--strength", "strong"], "strength is 'strong'"),
        (["--fps", "5"], "Input should be greater than or equal to 10"),
        (["--output", "a.jpg"], "expected an .mp4 file, or a .png file for one frame"),
        (["--output", "/nowhere/a.mp4"], "The folder /nowhere of a.mp4 was not found."),
        (["--at", "2"], "Input should be less than or equal to 1"),
    ],
)
def test_bad_words_are_one_line(refused, clip, tmp_path, words, says):
    output = [] if "--output" in words else ["--output", tmp_path / "a.mp4"]
    assert says in refused("control", clip, *words, *output)


def test_a_clip_that_is_not_there_is_told(refused, tmp_path):
    assert "There is no file 'gone.mp4'" in refused("control", "gone.mp4", "-o", tmp_path / "a.mp4")


def test_a_file_that_is_there_is_replaced_only_by_force(refused, clip):
    assert "already exists. Replace it with --force" in refused("control", clip, "-o", clip)

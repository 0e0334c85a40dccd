"""`orrery generate` without a server: it starts the real one and stops it again."""

from __future__ import annotations

import io
import signal
import time

import pytest
from PIL import Image

from studio.data_folder import DataFolder, find_holder

pytestmark = [pytest.mark.slow, pytest.mark.timeout(290)]


def _nobody_holds(folder: DataFolder) -> None:
    """The hold ends with the server's process, which ends with ours."""
    deadline = time.monotonic() + 60
    while find_holder(folder) is not None:
        assert time.monotonic() < deadline, "the server outlived its command"
        time.sleep(0.05)


def test_one_command_makes_pictures_and_leaves_no_server(orrery, tmp_path):
    words = ("a red cube", "--steps", 2, "--seed", 7, "--data", tmp_path / "d")
    result = orrery("generate", *words, "-o", tmp_path / "out.png", "--count", 2)
    assert result.exit_code == 0, result.stderr
    assert find_holder(DataFolder(tmp_path / "d")) is None
    with Image.open(tmp_path / "out-1.png") as second:
        assert second.size == (256, 256)
        assert '"seed":8' in second.info["orrery"].replace(" ", "")

    piped = orrery("generate", "a red cube", "--steps", 2, "--seed", 8, "--data", tmp_path / "d", "-o", "-")
    with Image.open(io.BytesIO(piped.stdout_bytes)) as alone, Image.open(tmp_path / "out-1.png") as second:
        assert alone.tobytes() == second.tobytes()


def test_a_server_that_does_not_start_gives_its_own_reason(refused, tmp_path):
    (tmp_path / "d").write_text("a file")
    said = refused("generate", "x", "-o", tmp_path / "out.png", "--data", tmp_path / "d")
    assert said.startswith(f"orrery: The server did not start. The data folder {tmp_path / 'd'} cannot be written")


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_the_server_goes_with_its_command_however_that_goes(spawn, tmp_path, sent, code):
    folder = DataFolder(tmp_path / "d")
    process = spawn(
        "generate", "x", "--steps", 200, "--size", "1280x720", "-o", tmp_path / "o.png", "--data", folder.root
    )
    deadline = time.monotonic() + 120
    while find_holder(folder) is None:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(sent)
    assert process.wait(60) == code
    _nobody_holds(folder)
    assert not (tmp_path / "o.png").exists()

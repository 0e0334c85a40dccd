"""`orrery overlay`: times below the frames, and nothing else changed."""

from pathlib import Path

import av
import numpy as np
import pytest

from sent_files import clip_bytes


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    path = tmp_path / "clip.mp4"
    path.write_bytes(clip_bytes(17, 96, 160, 12))
    return path


def frames(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def test_a_band_of_times_is_below_each_frame_and_the_frames_stay(clip: Path, tmp_path: Path, orrery):
    made = tmp_path / "out.mp4"
    result = orrery("overlay", clip, "-o", made, "--scale", "1.5")

    assert result.exit_code == 0, result.output
    before, after = frames(clip), frames(made)
    assert (len(after), after[0].shape) == (17, (160 + 42, 96, 3))
    with av.open(str(made)) as container:
        assert container.streams.video[0].average_rate == 12
    assert np.abs(after[5][:160].astype(int) - before[5].astype(int)).mean() < 4
    bands = [frame[160:].max(axis=2) > 128 for frame in after]
    assert all(band.any() and band.mean() < 0.4 for band in bands)
    assert (bands[0] != bands[6]).any()  # 0.00s and 0.50s


def test_a_folder_is_written_beside_what_cannot_be_read(clip: Path, tmp_path: Path, orrery):
    (tmp_path / "broken.mp4").write_bytes(b"no video")
    result = orrery("overlay", tmp_path, "-o", tmp_path / "out")

    assert result.exit_code == 1
    assert "1 written, 1 failed" in result.output
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["clip.mp4"]
    again = orrery("overlay", clip, "-o", tmp_path / "out")
    assert again.exit_code == 2
    assert "exists" in again.output

"""Of a clip the frames that are kept are read: by their timestamps, upright, on the canvas, and no others."""

import tracemalloc
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from backend.media import clip_reader as module
from backend.media import inspect_upload, require_frames, stream_clip, write_clip
from studio.errors import BadInput

LEVELS = 8
"""Grey levels from one frame to the next: far enough apart to survive the codec."""


def grey(index: int, width: int = 64, height: int = 48) -> NDArray[np.uint8]:
    return np.full((height, width, 3), index % 30 * LEVELS + 10, np.uint8)


def read_clip(path: Path, *, width: int, height: int, num_frames: int, **options: Any) -> NDArray[np.uint8]:
    """All that is streamed, uint8 [n, height, width, 3]."""
    kept = np.empty((num_frames, height, width, 3), np.uint8)
    frames = stream_clip(path, width=width, height=height, num_frames=num_frames, **options)
    for place, frame in zip(kept, frames, strict=True):
        place[:] = frame
    return kept


def numbers(frames: NDArray[np.uint8]) -> list[int]:
    """Which frames these are, by their grey."""
    return [round((float(frame.mean()) - 10) / LEVELS) for frame in frames]


def write(path: Path, pts: Sequence[int], base: Fraction, *, codec: str = "libx264", **options: Any) -> Path:
    """A clip with a timestamp of its own for each frame."""
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=options.get("rate", 24), options=options.get("encoder", {}))
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.time_base = stream.codec_context.time_base = base
        if "turn" in options:
            stream.set_display_rotation(options["turn"])
        for index, stamp in enumerate(pts):
            frame = av.VideoFrame.from_ndarray(options.get("draw", grey)(index), format="rgb24")
            frame.pts, frame.time_base = stamp, base
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """25 frames at 24 frames per second."""
    path = tmp_path / "a.mp4"
    write_clip(path, (grey(index) for index in range(25)), fps=24)
    return path


def test_the_first_frames_are_kept(clip: Path):
    frames = read_clip(clip, width=64, height=48, fps=24, num_frames=5)

    assert (frames.shape, frames.dtype) == ((5, 48, 64, 3), np.uint8)
    assert numbers(frames) == [0, 1, 2, 3, 4]


def test_the_last_frames_are_kept(clip: Path):
    assert numbers(read_clip(clip, width=64, height=48, fps=24, num_frames=5, end="last")) == [20, 21, 22, 23, 24]


def test_the_whole_clip_can_be_kept(clip: Path):
    for end in ("first", "last"):
        assert numbers(read_clip(clip, width=64, height=48, fps=24, num_frames=25, end=end)) == list(range(25))


@pytest.mark.parametrize(
    ("fps", "shown"),
    [
        (12, [0, 2, 4, 6, 8]),
        (15, [0, 1, 3, 4, 6]),  # i / 15 s is frame floor(i * 24 / 15)
        (48, [0, 0, 1, 1, 2]),
        (30, [0, 0, 1, 2, 3]),
        (23.976, [0, 1, 2, 3, 4]),
        (Fraction(10), [0, 2, 4, 7, 9]),
    ],
)
def test_a_clip_is_resampled_to_the_frame_that_is_shown(clip: Path, fps: float | Fraction, shown: list[int]):
    assert numbers(read_clip(clip, width=64, height=48, fps=fps, num_frames=5)) == shown


def test_the_last_frames_of_another_rate_end_with_the_clip(clip: Path):
    # 25 frames at 24 are 13 at 12: every second one, from the first.
    assert numbers(read_clip(clip, width=64, height=48, fps=12, num_frames=3, end="last")) == [20, 22, 24]


def test_a_variable_frame_rate_is_read_by_its_timestamps(tmp_path: Path):
    path = write(tmp_path / "a.mp4", [0, 100, 500, 600, 1000], Fraction(1, 1000))

    assert numbers(read_clip(path, width=64, height=48, fps=10, num_frames=10)) == [0, 1, 1, 1, 1, 2, 3, 3, 3, 3]
    assert numbers(read_clip(path, width=64, height=48, fps=10, num_frames=2, end="last"))[-1] == 4


def test_a_clip_that_starts_late_starts_with_its_first_frame(tmp_path: Path):
    path = write(tmp_path / "a.mkv", [5000 + 100 * index for index in range(10)], Fraction(1, 1000))

    assert numbers(read_clip(path, width=64, height=48, fps=10, num_frames=5)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("rate", [24, 30, Fraction(24000, 1001)])
def test_timestamps_in_whole_milliseconds_lose_no_frame(tmp_path: Path, rate: Fraction):
    stamps = [round(index * 1000 / rate) for index in range(30)]
    path = write(tmp_path / "a.mkv", stamps, Fraction(1, 1000))

    frames = read_clip(path, width=64, height=48, fps=rate, num_frames=29)

    assert numbers(frames) == list(range(29))


@pytest.mark.parametrize("suffix", [".avi", ".ts", ".h264", ".nut"])
def test_any_container_gives_the_same_frames(tmp_path: Path, suffix: str):
    codec = {"encoder": {"bf": "0"}} if suffix == ".avi" else {}
    path = write(tmp_path / f"a{suffix}", range(20), Fraction(1, 25), rate=25, **codec)

    frames = read_clip(path, width=64, height=48, fps=25, num_frames=6, end="last")

    assert numbers(frames) == [14, 15, 16, 17, 18, 19]


@pytest.mark.parametrize(
    ("turn", "corner"), [(0, (0, 0)), (90, (-1, 0)), (180, (-1, -1)), (-90, (0, -1))], ids=["0", "90", "180", "-90"]
)
def test_a_clip_is_turned_as_its_metadata_says(tmp_path: Path, turn: int, corner: tuple[int, int]):
    def draw(_: int) -> NDArray[np.uint8]:
        pixels = np.zeros((48, 64, 3), np.uint8)
        pixels[:16, :16] = 250  # upper left; turned counterclockwise by 90 degrees it is lower left
        return pixels

    path = write(tmp_path / "a.mp4", range(3), Fraction(1, 24), turn=turn, draw=draw)
    width, height = (48, 64) if turn % 180 else (64, 48)

    frames = read_clip(path, width=width, height=height, fps=24, num_frames=3)

    facts = inspect_upload(path)
    assert (facts.width, facts.height, facts.rotation) == (width, height, -turn % 360)
    assert frames[0][corner].min() > 200
    assert sum(int(frames[0][y, x].min() > 200) for y in (0, -1) for x in (0, -1)) == 1


def test_a_transparent_clip_is_laid_over_black(tmp_path: Path):
    path = tmp_path / "a.mov"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("qtrle", rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 32, "argb"
        pixels = np.full((32, 32, 4), 200, np.uint8)
        pixels[:, :16, 3], pixels[:, 16:, 3] = 0, 255
        for _ in range(2):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgba")))
        container.mux(stream.encode(None))

    frame = read_clip(path, width=32, height=32, fps=10, num_frames=1)[0]

    assert frame[0, 0].tolist() == [0, 0, 0]
    assert frame[0, -1].tolist() == [200, 200, 200]


def test_colours_come_back(tmp_path: Path):
    path = tmp_path / "a.mp4"
    colours = np.zeros((48, 64, 3), np.uint8)
    colours[:, :32], colours[:, 32:] = (200, 30, 60), (20, 180, 90)
    write_clip(path, [colours] * 3, fps=24)

    frame = read_clip(path, width=64, height=48, fps=24, num_frames=1)[0]

    assert np.abs(frame[24, 8].astype(int) - (200, 30, 60)).max() <= 3
    assert np.abs(frame[24, 56].astype(int) - (20, 180, 90)).max() <= 3


def test_frames_cover_the_canvas_and_are_cropped_at_the_centre(clip: Path):
    assert read_clip(clip, width=32, height=64, fps=24, num_frames=2).shape == (2, 64, 32, 3)


def test_a_short_clip_is_refused_with_what_came_and_what_is_needed(clip: Path):
    with pytest.raises(BadInput, match=r"25 frames at 24 frames per second; 29 are needed") as error:
        read_clip(clip, width=64, height=48, fps=24, num_frames=29, param="source_video")

    assert error.value.param == "source_video"
    with pytest.raises(BadInput, match=r"13 frames at 12 frames per second; 14 are needed"):
        require_frames(clip, fps=12, num_frames=14)


def test_a_clip_of_one_frame_is_too_short_for_five(tmp_path: Path):
    write_clip(tmp_path / "a.mp4", [grey(0)], fps=24)

    with pytest.raises(BadInput, match=r"1 frames at 24"):
        require_frames(tmp_path / "a.mp4", fps=24, num_frames=5)


@pytest.mark.parametrize("end", ["first", "last"])
def test_a_long_clip_takes_no_more_memory_than_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: Any):
    path = tmp_path / "a.mp4"
    write_clip(path, (grey(index, 128, 96) for index in range(600)), fps=24)
    decoded = 0
    frames_from = module.frames_from

    def counted(*arguments: Any) -> Iterator[Any]:
        nonlocal decoded
        for shown in frames_from(*arguments):
            decoded += 1
            yield shown

    monkeypatch.setattr(module, "frames_from", counted)
    tracemalloc.start()
    frames = read_clip(path, width=128, height=96, fps=24, num_frames=9, end=end)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert numbers(frames) == [index % 30 for index in (range(9) if end == "first" else range(591, 600))]
    assert decoded <= 9 + 48  # from the key frame before, two seconds at most
    assert peak_bytes < frames.nbytes + 4 * frames[0].nbytes + 300_000  # and 600 timestamps

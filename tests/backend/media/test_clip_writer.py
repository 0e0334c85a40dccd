"""A clip that is written plays anywhere, carries its recipe and is as long as its sound."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from backend.media import write_clip
from backend.media.timeline import frame_rate

FRAMES = np.random.default_rng(0).integers(0, 256, (9, 48, 64, 3), dtype=np.uint8)


def tone(length_s: float) -> NDArray[np.float32]:
    time_s = np.arange(round(length_s * 48_000)) / 48_000
    return np.stack([np.sin(2 * np.pi * 440 * time_s), np.sin(2 * np.pi * 880 * time_s)]).astype(np.float32) / 2


def test_the_index_comes_before_the_pictures(tmp_path: Path):
    write_clip(tmp_path / "a.mp4", FRAMES, fps=24)

    content = (tmp_path / "a.mp4").read_bytes()

    assert content[4:8] == b"ftyp"
    assert 0 < content.index(b"moov") < content.index(b"mdat")


@pytest.mark.parametrize("fps", [24, 15, 10, 30, 23.976, Fraction(30000, 1001), 12.5])
def test_frames_size_codec_and_rate_are_what_was_asked(tmp_path: Path, fps: float | Fraction):
    facts = write_clip(tmp_path / "a.mp4", FRAMES, fps=fps)

    with av.open(str(tmp_path / "a.mp4")) as container:
        video = container.streams.video[0]
        assert (video.codec_context.name, video.pix_fmt, video.width, video.height) == ("h264", "yuv420p", 64, 48)
        assert video.average_rate == frame_rate(fps)
        assert video.duration is not None
        assert video.time_base is not None
        assert video.duration * video.time_base == 9 / frame_rate(fps)
        assert not container.streams.audio
        times = [frame.pts * video.time_base for frame in container.decode(video) if frame.pts is not None]
    assert times == [index / frame_rate(fps) for index in range(9)]
    assert (facts.num_frames, facts.has_sound) == (9, False)


@pytest.mark.parametrize("fps", [24, 15, 23.976])
@pytest.mark.parametrize("sound_s", [0.1, 9 / 24, 5.0])
def test_sound_is_48_khz_stereo_and_exactly_as_long_as_the_clip(tmp_path: Path, fps: float, sound_s: float):
    write_clip(tmp_path / "a.mp4", FRAMES, fps=fps, sound=tone(sound_s))

    with av.open(str(tmp_path / "a.mp4")) as container:
        video, audio = container.streams.video[0], container.streams.audio[0]
        assert (audio.codec_context.name, audio.rate, audio.channels) == ("aac", 48_000, 2)
        assert audio.duration == round(9 / frame_rate(fps) * 48_000)
        assert None not in (video.duration, video.time_base, audio.duration, audio.time_base)
        assert video.duration * video.time_base == audio.duration * audio.time_base  # type: ignore[operator]
        assert (video.start_time, audio.start_time) == (0, 0)


def test_sound_stays_in_its_place_and_its_channel(tmp_path: Path):
    sound = np.zeros((2, 48_000), np.float32)
    sound[0, 12_000:24_000] = tone(0.25)[0]
    write_clip(tmp_path / "a.mp4", [*FRAMES[:6]] * 4, fps=24, sound=sound)

    with av.open(str(tmp_path / "a.mp4")) as container:
        heard = np.concatenate([frame.to_ndarray() for frame in container.decode(audio=0)], axis=1)

    loud = np.flatnonzero(np.abs(heard[0]) > 0.1)
    assert abs(int(loud[0]) - 12_000) < 200
    assert abs(int(loud[-1]) - 24_000) < 200
    assert np.abs(heard[1]).max() < 0.02


def test_frames_are_encoded_as_they_come(tmp_path: Path):
    alive: list[int] = []

    class Counted(np.ndarray):  # type: ignore[type-arg]
        def __del__(self) -> None:
            alive.pop()

    def stream() -> Iterator[NDArray[np.uint8]]:
        for index in range(200):
            alive.append(index)
            assert len(alive) < 4
            yield FRAMES[index % 9].copy().view(Counted)

    assert write_clip(tmp_path / "a.mp4", stream(), fps=24).num_frames == 200


def test_pieces_of_several_frames_and_single_frames_may_be_mixed(tmp_path: Path):
    facts = write_clip(tmp_path / "a.mp4", iter([FRAMES[0], FRAMES[1:5], FRAMES[5:]]), fps=24)

    assert facts.num_frames == 9


@pytest.mark.parametrize("recipe", ["{}", '{"a": "' + "x" * 200_000 + '"}', '{"prompt": "\\u2603 \\"=;#\\n"}'])
def test_the_recipe_survives_a_remux(tmp_path: Path, recipe: str):
    write_clip(tmp_path / "a.mp4", FRAMES, fps=24, sound=tone(0.3), recipe=recipe)

    with av.open(str(tmp_path / "a.mp4")) as came, av.open(str(tmp_path / "b.mp4"), "w") as went:
        went.metadata.update(came.metadata)
        streams = {stream.index: went.add_stream_from_template(stream) for stream in came.streams}
        for packet in came.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream_index]
                went.mux(packet)

    for name in ("a.mp4", "b.mp4"):
        with av.open(str(tmp_path / name)) as container:
            assert container.metadata["comment"] == recipe


@pytest.mark.parametrize(
    ("number", "rate"),
    [
        (24, Fraction(24)),
        (23.976, Fraction(24000, 1001)),
        (23.98, Fraction(24000, 1001)),
        (29.97, Fraction(30000, 1001)),
        (59.94, Fraction(60000, 1001)),
        (12.5, Fraction(25, 2)),
        (16, Fraction(16)),
        (Fraction(7, 3), Fraction(7, 3)),
    ],
)
def test_a_number_means_the_nearest_rate_in_use(number: float | Fraction, rate: Fraction):
    assert frame_rate(number) == rate

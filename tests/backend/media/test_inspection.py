"""What was sent is found by decoding it, and what cannot be used is refused in words."""

import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from backend.media import apart, inspect_upload, timeline, write_clip
from studio.errors import BadInput

FRAMES = np.random.default_rng(0).integers(0, 256, (12, 48, 64, 3), dtype=np.uint8)


def remux(source: Path, target: Path, **options: str) -> None:
    with av.open(str(source)) as came, av.open(str(target), "w", options=options) as went:
        streams = {stream.index: went.add_stream_from_template(stream) for stream in came.streams}
        for packet in came.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream_index]
                went.mux(packet)


def encode(path: Path, codec: str, count: int, pixel_format: str = "yuv420p", rate: int = 10) -> None:
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=rate)
        stream.width, stream.height, stream.pix_fmt = 64, 48, pixel_format
        for pixels in FRAMES[:count]:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode(None))


@pytest.mark.parametrize(("fps", "mean"), [(24, 24.0), (15, 15.0), (23.976, 24000 / 1001), (Fraction(25, 2), 12.5)])
def test_a_clip_says_its_size_length_rate_and_sound(tmp_path: Path, fps: float | Fraction, mean: float):
    path = tmp_path / "picture.png"
    write_clip(path, FRAMES, fps=fps, sound=np.zeros((2, 100), np.float32))

    facts = inspect_upload(path)

    assert (facts.type, facts.mime, facts.width, facts.height) == ("video", "video/mp4", 64, 48)
    assert (facts.num_frames, facts.has_sound, facts.rotation) == (12, True, 0)
    assert facts.fps == pytest.approx(mean, abs=1e-9)
    assert facts.duration_s == pytest.approx(12 / mean, abs=1e-9)


@pytest.mark.parametrize(
    ("suffix", "mime"),
    [
        (".mkv", "video/x-matroska"),
        (".mov", "video/quicktime"),
        (".ts", "video/mp2t"),
        (".flv", "video/x-flv"),
        (".nut", "application/octet-stream"),
    ],
)
def test_other_containers_are_read_and_named_for_what_they_are(tmp_path: Path, suffix: str, mime: str):
    path = tmp_path / f"a{suffix}"
    write_clip(tmp_path / "a.mp4", FRAMES, fps=24)
    remux(tmp_path / "a.mp4", path)

    facts = inspect_upload(path)

    assert (facts.mime, facts.num_frames, facts.has_sound) == (mime, 12, False)
    assert facts.fps == pytest.approx(24, rel=0.01)


def test_webm_avi_and_gif_are_clips(tmp_path: Path):
    encode(tmp_path / "a.webm", "libvpx", 5)
    encode(tmp_path / "a.avi", "mpeg4", 5)
    encode(tmp_path / "a.gif", "gif", 5, "rgb8")

    assert inspect_upload(tmp_path / "a.webm").mime == "video/webm"
    assert inspect_upload(tmp_path / "a.avi").mime == "video/x-msvideo"
    assert inspect_upload(tmp_path / "a.gif").mime == "image/gif"
    assert inspect_upload(tmp_path / "a.gif").num_frames == 5


def test_a_raw_stream_without_timestamps_is_counted(tmp_path: Path):
    path = tmp_path / "a.h264"
    encode(path, "libx264", 7, rate=25)

    facts = inspect_upload(path)

    assert (facts.num_frames, facts.fps) == (7, 25.0)


def test_a_raw_stream_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(apart, "_here", True)
    monkeypatch.setattr(timeline, "MAX_CLIP_S", 1.0)  # a second more than that passes, as with timestamps
    path = tmp_path / "a.h264"
    encode(path, "libx264", 12, rate=25)
    one = path.read_bytes()

    path.write_bytes(one * 4)
    assert inspect_upload(path).num_frames == 48
    path.write_bytes(one * 5)
    with pytest.raises(BadInput, match="is 2 s long; at most 1 s"):
        inspect_upload(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"just some words\n" * 99, "file is text"),
        ("täxt ".encode() * 999, "file is text"),
        (b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>', "an SVG drawing"),
        (b"<!DOCTYPE html><html><body>no</body></html>", "an HTML page"),
        (b"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\na.mp4\n#EXT-X-ENDLIST\n", "file is text"),
        (b"ffconcat version 1.0\nfile a.mp4\n", "file is text"),
        (b"%PDF-1.7\n\x00\xff\xfe" + bytes(range(256)) * 9, "cannot be decoded"),
        (b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "is truncated"),
    ],
)
def test_what_is_no_clip_is_called_by_its_name(tmp_path: Path, content: bytes, said: str):
    path = tmp_path / "clip.mp4"
    path.write_bytes(content)

    with pytest.raises(BadInput, match=said) as error:
        inspect_upload(path)

    assert error.value.hint


def test_noise_is_refused(tmp_path: Path):
    path = tmp_path / "clip.mp4"
    path.write_bytes(np.random.default_rng(3).bytes(200_000))

    with pytest.raises(BadInput):
        inspect_upload(path)


def test_a_playlist_never_opens_the_file_that_it_names(tmp_path: Path):
    write_clip(tmp_path / "secret.mp4", FRAMES, fps=24)
    for name, text in {
        "a.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nsecret.mp4\n#EXT-X-ENDLIST\n",
        "a.ffconcat": "ffconcat version 1.0\nfile secret.mp4\n",
    }.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(BadInput, match="file is text"):
            inspect_upload(tmp_path / name)


@pytest.mark.parametrize(("suffix", "codec"), [("m4a", "aac"), ("wav", "pcm_s16le"), ("mp3", "libmp3lame")])
def test_a_file_of_sound_alone_is_refused(tmp_path: Path, suffix: str, codec: str):
    path = tmp_path / f"a.{suffix}"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=48_000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 9600), np.int16), format="s16", layout="mono")
        frame.sample_rate = 48_000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))

    with pytest.raises(BadInput, match="sound and no video"):
        inspect_upload(path)


def test_a_clip_without_a_frame_is_refused(tmp_path: Path):
    path = tmp_path / "a.mp4"
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=24)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        container.start_encoding()

    with pytest.raises(BadInput, match=r"no frame|no video"):
        inspect_upload(path)


def test_a_clip_over_ten_minutes_is_refused(tmp_path: Path):
    path = tmp_path / "a.mp4"
    write_clip(path, FRAMES[:7], fps=Fraction(1, 100))

    with pytest.raises(BadInput, match="700 s long; at most 600 s"):
        inspect_upload(path)


def test_a_clip_over_ten_minutes_whose_header_lies_is_refused(tmp_path: Path):
    path = tmp_path / "a.flv"
    write_clip(tmp_path / "a.mp4", FRAMES[:9], fps=Fraction(1, 100))
    remux(tmp_path / "a.mp4", path, flvflags="no_duration_filesize")

    with pytest.raises(BadInput, match="s long; at most 600 s"):
        inspect_upload(path)


@pytest.mark.parametrize(("suffix", "kept"), [(".mp4", 0.98), (".mp4", 0.3), (".mkv", 0.8), (".mkv", 0.3)])
def test_a_clip_that_breaks_off_is_refused(tmp_path: Path, suffix: str, kept: float):
    path = tmp_path / f"a{suffix}"
    write_clip(tmp_path / "whole.mp4", [*FRAMES] * 10, fps=24)
    remux(tmp_path / "whole.mp4", path, **({"movflags": "+faststart"} if suffix == ".mp4" else {}))
    os.truncate(path, int(path.stat().st_size * kept))

    with pytest.raises(BadInput, match="is truncated"):
        inspect_upload(path)


def test_an_mp4_cut_before_its_index_is_refused(tmp_path: Path):
    path = tmp_path / "a.mp4"
    encode(path, "libx264", 12)  # without faststart the index is at the end
    os.truncate(path, path.stat().st_size - 200)

    with pytest.raises(BadInput, match="is truncated"):
        inspect_upload(path)


def test_a_picture_in_an_mp4_container_is_named(tmp_path: Path):
    path = tmp_path / "a.heic"
    Image.fromarray(FRAMES[0]).save(path, "AVIF")

    with pytest.raises(BadInput, match="AVIF format"):
        inspect_upload(path)


def test_an_animated_png_is_a_clip(tmp_path: Path):
    path = tmp_path / "a.png"
    first, *others = [Image.fromarray(pixels) for pixels in FRAMES[:4]]
    first.save(path, save_all=True, append_images=others, duration=100)

    facts = inspect_upload(path)

    assert (facts.type, facts.mime, facts.num_frames) == ("video", "image/png", 4)

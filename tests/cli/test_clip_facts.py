from __future__ import annotations

import av
import numpy as np
import pytest

from cli.clip_facts import clip_facts
from studio.captions import VideoFacts
from studio.errors import BadInput


@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv", ".avi"])
def test_a_clip_says_its_size_length_rate_and_frames(tmp_path, write_clip, suffix):
    path = write_clip(tmp_path / f"a{suffix}", 35, fps=10, size=(160, 96))
    facts = clip_facts(path)
    assert facts.model_copy(update={"duration_s": 3.5}) == VideoFacts(
        width=160, height=96, duration_s=3.5, fps=10.0, num_frames=35
    )
    assert facts.duration_s == pytest.approx(3.5, abs=0.11)


def test_a_clip_that_is_turned_has_the_size_that_is_seen(tmp_path, write_clip):
    path = write_clip(tmp_path / "a.mp4", 3, size=(160, 96))
    turned = tmp_path / "turned.mp4"
    with av.open(str(path)) as source, av.open(str(turned), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.size:
                packet.stream = stream
                target.mux(packet)
    raw = turned.read_bytes()
    at = raw.index(b"tkhd") + 4 + 40
    matrix = np.array([0, 1 << 16, 0, -(1 << 16), 0, 0, 0, 0, 1 << 30], ">i4").tobytes()
    turned.write_bytes(raw[:at] + matrix + raw[at + 36 :])
    assert (clip_facts(turned).width, clip_facts(turned).height) == (96, 160)


def test_what_is_no_clip_is_refused(tmp_path, write_clip, write_picture):
    (tmp_path / "text.mp4").write_text("no clip")
    (tmp_path / "empty.mp4").write_bytes(b"")
    with av.open(str(tmp_path / "sound.mp4"), "w") as container:
        stream = container.add_stream("aac", rate=48_000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.rate = 48_000
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    whole = write_clip(tmp_path / "whole.mp4", 10).read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: len(whole) // 2])
    for name in ("text", "empty", "sound", "cut", "absent"):
        with pytest.raises(BadInput, match=rf"{name}\.mp4"):
            clip_facts(tmp_path / f"{name}.mp4")

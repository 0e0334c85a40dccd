from __future__ import annotations

import json

import pytest

from studio.errors import BadInput

ROW = {
    "uuid": "episode_000015_clip000",
    "duration": 17.4,
    "width": 256,
    "height": 256,
    "vision_path": "clip.mp4",
    "t2w_windows": [
        {
            "start_frame": 0,
            "end_frame": 85,
            "temporal_interval": 1,
            "caption_json": {
                "subjects": [{"description": "A black robotic arm"}],
                "temporal_caption": "A black robotic arm moves.",
                "resolution": {"H": 256, "W": 256},
                "aspect_ratio": "1,1",
                "duration": "17s",
                "fps": 5,
            },
            "caption": "A black robotic arm.",
        }
    ],
}


@pytest.fixture
def rows(specs, read):
    """Samples of rows, as one file of lines."""

    def rows(*written, overrides=()):
        (specs / "set.jsonl").write_text("\n".join(map(json.dumps, written)))
        return read("set.jsonl", overrides=overrides)

    return rows


def test_a_window_is_a_sample_of_its_structured_caption(rows):
    samples, errors = rows(ROW, overrides=("resolution=256",))
    assert errors == []
    sample = samples[0]
    assert (sample.name, sample.mode) == ("episode_000015_clip000", "text2video")
    assert (sample.request.num_frames, sample.request.aspect_ratio) == (89, "1:1")
    caption = json.loads(sample.request.prompt)
    assert caption["temporal_caption"] == "A black robotic arm moves."
    assert (caption["fps"], caption["duration"]) == (24.0, "3s")
    assert sample.notes == (
        "The window's video has 5 frames per second; videos are generated at 10 to 30.",
        "num_frames is 86; using 89, which is 1 plus a multiple of 4.",
    )
    assert sample.attachments == {}


def test_the_plain_caption_is_the_second_choice(rows):
    window = {"end_frame": 60, "caption": " An arm. "}
    samples, _ = rows({**ROW, "t2w_windows": [window], "width": 1920, "height": 1080})
    assert (samples[0].request.prompt, samples[0].request.aspect_ratio) == ("An arm.", "16:9")


def test_each_window_is_a_sample(rows):
    windows = [{"start_frame": 60 * i, "end_frame": 60 * i + 60, "caption": f"Part {i}."} for i in range(2)]
    samples, errors = rows({**ROW, "t2w_windows": windows}, {**ROW, "uuid": None})
    assert errors == []
    assert [sample.name for sample in samples] == ["episode_000015_clip000_w0", "episode_000015_clip000_w1", "set_1"]


@pytest.mark.parametrize(("mode", "kept"), [("image2video", (0,)), ("video2video", (0, 1))])
def test_the_clips_first_frames_are_kept_when_the_mode_says_so(rows, mode, kept):
    samples, errors = rows(ROW, overrides=(f"model_mode={mode}",))
    assert errors == []
    assert samples[0].request.condition_frames == kept
    assert samples[0].request.source_video in samples[0].attachments


def test_frames_of_a_window_inside_its_clip_cannot_be_kept(rows):
    row = {**ROW, "t2w_windows": [{"start_frame": 30, "end_frame": 90, "caption": "x"}]}
    assert rows(row)[1] == []
    _, errors = rows(row, overrides=("model_mode=video2video",))
    assert "the window starts at frame 30 of its video" in str(errors[0])


def test_a_window_longer_than_any_clip_is_cut(rows):
    samples, _ = rows({**ROW, "t2w_windows": [{"end_frame": 999, "caption": "x"}]})
    assert samples[0].request.num_frames == 397
    assert "The window has 1000 frames; 397 are generated." in samples[0].notes


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"t2w_windows": []}, "set_0: t2w_windows"),
        ({"t2w_windows": [{"end_frame": 9}]}, "the window has neither caption_json nor caption"),
        ({"t2w_windows": [{"caption": "x"}]}, "t2w_windows.0.end_frame is missing"),
    ],
)
def test_a_row_that_is_none_is_refused(rows, row, says):
    with pytest.raises(BadInput) as refusal:
        rows(row)
    assert says in str(refusal.value)

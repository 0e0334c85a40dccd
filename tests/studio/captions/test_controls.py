from __future__ import annotations

import pytest

from studio.captions import Controls, VideoFacts
from studio.captions.timing import fault_of, respelled, timing_pattern


def test_a_request_becomes_the_media_fields_of_training():
    assert Controls.of_video("480", "3:4", 189, 24.0).media == {
        "resolution": {"H": 736, "W": 544},
        "aspect_ratio": "3,4",
        "duration": "7s",
        "fps": 24,
    }
    assert Controls.of_image("720", "1:1").media == {"resolution": {"H": 960, "W": 960}, "aspect_ratio": "1,1"}


def test_a_recorded_clip_becomes_the_media_fields_of_the_data_format():
    facts = VideoFacts(width=256, height=256, duration_s=17.4, fps=5.0, num_frames=87)

    assert Controls.of_clip(facts).media == {
        "resolution": {"H": 256, "W": 256},
        "aspect_ratio": "1,1",
        "duration": "17s",
        "fps": 5,
    }


def test_a_frame_rate_that_is_no_whole_number_stays_exact():
    assert Controls.of_video("256", "1:1", 49, 12.5).media["fps"] == 12.5


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("0:01-0:04", "0:01-0:04"),
        ("00:01 – 00:04.5", "0:01-0:04"),
        ("[0:01-0:04]", "0:01-0:04"),
        ("1s to 4s", "0:01-0:04"),
        ("75", "1:15"),
        ("at once", None),
        ("9" * 400, None),
        ("²", None),
    ],
)
def test_timings_are_respelled(written: str, spelled: str | None):
    assert respelled(written) == spelled


def test_a_timing_ends_with_the_duration_that_the_caption_names():
    assert fault_of("0:00-0:07", 7) is None
    assert fault_of("0:08", 7) == "0:08 is after the end at 0:07"
    assert timing_pattern(1) == "^(0:00-(0:00|0:01)|0:01-(0:01))$"

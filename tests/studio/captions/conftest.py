"""Captions that hold, to be broken by the tests."""

from __future__ import annotations

from typing import Any

import pytest

from studio.captions import Controls


@pytest.fixture
def clip() -> Controls:
    """189 frames at 24 a second on 832x480."""
    return Controls.of_video("480", "16:9", 189, 24)


@pytest.fixture
def picture() -> Controls:
    return Controls.of_image("720", "1:1")


@pytest.fixture
def video_answer(clip: Controls) -> dict[str, Any]:
    """What an upsampler answers about a clip."""
    return {
        "scene_imagination": "A bench in daylight, a robot arm beside it.",
        "temporal_caption": "0:00-0:03 the arm reaches for a cup. 0:03-0:07 it lifts it.",
        "audio_description": "A motor hums.",
        "subjects": [{"description": "a robot arm", "clothing": "", "number_of_subjects": 1, "action": "lifts a cup"}],
        "background_setting": "a workshop",
        "lighting": {"conditions": "daylight"},
        "aesthetics": {"composition": "centred"},
        "cinematography": {"framing": "medium shot", "camera_motion": "static"},
        "style_medium": "live footage",
        "artistic_style": "documentary",
        "context": "a demonstration",
        "actions": [{"time": "0:00-0:03", "description": "the arm reaches"}],
        "text_and_signage_elements": [],
        "segments": [{"segment_index": 0, "time_range": "0:00-0:07", "description": "reach and lift"}],
        "transitions": [],
        **clip.media,
    }


@pytest.fixture
def image_answer(picture: Controls) -> dict[str, Any]:
    """What an upsampler answers about a picture."""
    return {
        "scene_imagination": "A red cube on a white table.",
        "comprehensive_t2i_caption": "A red cube stands on a white table by a window.",
        "subjects": [{"description": "a red cube", "location": "centre"}],
        "subject_details": {"edge_wear": "slight"},
        "background_setting": "a bright room",
        "lighting": {"conditions": "daylight"},
        "aesthetics": {"composition": "centred"},
        "cinematography": {"framing": "close-up"},
        "style_medium": "photograph",
        "artistic_style": "plain",
        "context": "a product picture",
        "text_and_signage_elements": [],
        "quadrant_scan": {"top_left": "window"},
        **picture.media,
    }

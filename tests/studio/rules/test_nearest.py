"""What a checkpoint takes in place of what it refuses."""

from typing import Any

import pytest

from studio.requests import parse_request
from studio.rules import Capabilities, nearest_value, refusals

POCKET = Capabilities(
    checkpoint="pocket",
    resolutions=("256",),
    video_resolutions=("256",),
    aspect_ratios=("1:1", "4:3"),
    num_frames=(5, 17),
    fps=(10, 15),
    sound=False,
)
CLIP = {"kind": "generate_video", "prompt": "x", "resolution": "256", "aspect_ratio": "1:1"}


@pytest.mark.parametrize(
    ("changed", "field", "value"),
    [
        ({"resolution": "720"}, "resolution", "256"),
        ({"aspect_ratio": "16:9"}, "aspect_ratio", "4:3"),
        ({"aspect_ratio": "9:16"}, "aspect_ratio", "1:1"),
        ({"num_frames": 189}, "num_frames", 17),
        ({"num_frames": 17, "fps": 24}, "fps", 15.0),
        ({"sound": True}, "sound", False),
    ],
)
def test_the_nearest_value_is_no_longer_refused(changed: dict[str, Any], field: str, value: object):
    request = parse_request({**CLIP, "sound": False, "num_frames": 17, "fps": 12, **changed})
    assert [refusal.field for refusal in refusals(request, POCKET)] == [field]

    taken = nearest_value(request, field, POCKET)

    assert taken == value
    assert not refusals(request.model_copy(update={field: taken}), POCKET)


def test_a_kind_has_none():
    assert nearest_value(parse_request(CLIP), "kind", POCKET) is None

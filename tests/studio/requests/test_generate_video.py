from __future__ import annotations

import pytest

from studio.errors import BadInput
from studio.requests import parse_request

MEDIA = "u0123456789abcdef"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"num_frames": 0}, "num_frames is 0; expected at least 5"),
        ({"num_frames": 10**30}, "the maximum is 397"),
        ({"num_frames": 6}, "6 frames are not 4k+1; use 5 or 9"),
        ({"num_frames": 396}, "396 frames are not 4k+1; use 393 or 397"),
        ({"condition_frames": [0, 7]}, "condition_frames and condition_end need a source_video, and none was sent"),
        ({"condition_end": "last", "start_image": MEDIA}, "need a source_video"),
        ({"num_frames": 9, "source_video": MEDIA, "condition_frames": [0, 3]}, "names latent frame 3"),
        ({"start_image": MEDIA, "source_video": MEDIA}, "both given"),
    ],
)
def test_a_clip_that_cannot_be_is_refused_with_what_could(fields, said):
    with pytest.raises(BadInput) as refused:
        parse_request({"kind": "generate_video", "prompt": "x", **fields})
    assert said in str(refused.value)

from __future__ import annotations

import pytest

from studio.errors import BadInput
from studio.requests import Control, TransferVideo, parse_request

MEDIA = "u0123456789abcdef"


def transfer(**fields):
    return parse_request({"kind": "transfer_video", "prompt": "a street", **fields})


def test_a_control_is_given_or_computed_from_the_source():
    request = transfer(
        controls=[{"hint": "edge", "strength": "low"}, {"hint": "depth", "video": MEDIA, "weight": 0.5}],
        source_video=MEDIA,
    )
    assert isinstance(request, TransferVideo)
    assert request.controls == (Control(hint="edge", strength="low"), Control(hint="depth", video=MEDIA, weight=0.5))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"controls": []}, "controls"),
        ({"controls": [{"hint": "wsm"}]}, "wsm has no video; only edge, blur, depth and seg can be computed"),
        ({"controls": [{"hint": "depth"}]}, "depth has no video and there is no source_video"),
        ({"controls": [{"hint": "depth", "strength": "low"}], "source_video": MEDIA}, "only edge and blur have one"),
        ({"controls": [{"hint": "edge"}]}, "edge has no video and there is no source_video"),
        ({"controls": [{"hint": "edge", "video": MEDIA, "strength": "low"}]}, "has a video and a strength"),
        ({"controls": [{"hint": "edge", "video": MEDIA}] * 2}, "controls name edge twice"),
        ({"controls": [{"hint": "edge", "video": MEDIA, "weight": 0}]}, "every weight is 0"),
        (
            {
                "controls": [{"hint": "edge", "video": MEDIA}, {"hint": "seg", "video": MEDIA, "weight": 2}],
                "control_attention": "joint",
            },
            'control_attention "joint" does not use weights',
        ),
        (
            {"controls": [{"hint": "edge", "video": MEDIA, "weight": 0.5}], "control_attention": "joint"},
            'control_attention "joint" does not use weights',
        ),
        ({"num_chunk_frames": 0}, "num_chunk_frames is 0; expected at least 5"),
        ({"num_overlap_frames": 93}, "num_overlap_frames is 93; it must be below num_chunk_frames, 93"),
        ({"num_chunk_frames": 92}, "92 frames are not 4k+1; use 89 or 93"),
        ({"num_source_frames": 5}, "num_source_frames needs a source_video, and none was sent"),
        ({"sampling": {"control_guidance_interval": [900, 800]}}, "control_guidance_interval is [900, 800]"),
        ({"num_frames": 5001}, "the maximum is 5000"),
        ({"fps": 0}, "fps is 0"),
        ({"sound": True}, "sound is not a field of transfer_video. It is a field of generate_video."),
    ],
)
def test_what_cannot_be_followed_is_refused_by_name(fields, said):
    with pytest.raises(BadInput) as refused:
        transfer(**{"controls": [{"hint": "depth", "video": MEDIA}], **fields})
    assert said in str(refused.value)

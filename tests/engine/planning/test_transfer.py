from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.planning.plan import transfer_guidance
from engine.planning.transfer import reflected
from studio.requests.transfer_video import TransferVideo

EDGE, BLUR = ({"hint": hint, "video": "u0123456789abcdef"} for hint in ("edge", "blur"))


@pytest.mark.parametrize(
    ("num_frames", "length", "expected"),
    [
        (3, 10, [0, 1, 2, 2, 1, 1, 2, 2, 1, 1]),
        (1, 3, [0, 0, 0]),
        (4, 4, [0, 1, 2, 3]),
        (4, 2, [0, 1, 2, 3]),
    ],
)
def test_a_clip_goes_back_from_its_end(num_frames, length, expected):
    assert reflected(range(num_frames), length) == expected


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    negative=st.floats(-1, 1),
    without=st.floats(-1, 1),
    both=st.floats(-1, 1),
    text=st.floats(1, 20),
    control=st.floats(0, 20),
)
def test_factors_are_the_nested_guidance(negative, without, both, text, control):
    [factors] = transfer_guidance((500,), (text, None), (control, None))
    ours = sum(factor * velocity for factor, velocity in zip(factors, (both, without, negative), strict=True))
    assert ours == pytest.approx(negative + text * ((without + control * (both - without)) - negative), abs=1e-9)


def test_outside_their_intervals_only_the_whole_prompt_is_evaluated():
    assert transfer_guidance((999, 500), (3.0, (900, 1001)), (1.5, (900, 1001))) == ((4.5, -1.5, -2.0), (1.0, 0.0, 0.0))


def a_transfer(*controls: dict, **fields: object) -> TransferVideo:
    return TransferVideo.model_validate({"prompt": "a robot", "controls": controls, **fields})


@pytest.mark.parametrize(
    ("controls", "fields", "reason"),
    [
        ((), {}, "at least 1 item"),
        ((EDGE, EDGE), {}, "edge twice"),
        ((EDGE, BLUR | {"weight": 0.5}), {"control_attention": "joint"}, "does not use weights"),
        ((EDGE | {"weight": 0}, BLUR | {"weight": 0}), {}, "every weight is 0"),
        ((EDGE,), {"num_chunk_frames": 10}, "10 frames are not 4k"),
        ((EDGE,), {"num_chunk_frames": 9, "num_overlap_frames": 9}, "must be below num_chunk_frames"),
        ((EDGE,), {"num_source_frames": 5}, "needs a source_video"),
        ((EDGE,), {"sampling": {"control_guidance_interval": [5, 2]}}, "control_guidance_interval is"),
        ((EDGE | {"hint": "smell"},), {}, "Input should be"),
    ],
)
def test_what_cannot_be_is_refused_in_words(controls, fields, reason):
    with pytest.raises(ValidationError, match=reason):
        a_transfer(*controls, **fields)

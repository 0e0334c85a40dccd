import numpy as np
import pytest

from robot.faults import PolicyLost
from robot.foresight.clip import WHOLE_VIEWS, ForeseenClip, clip_of_video, read_clip
from studio.wire.arrays import pack_message

VIEWS = [list(view) for view in WHOLE_VIEWS]


def test_a_clip_is_read_as_it_was_sent():
    clip = read_clip(pack_message({"label": "1-2", "frames": [b"a", b"b"], "views": VIEWS}))

    assert clip == ForeseenClip("1-2", (b"a", b"b"), WHOLE_VIEWS)


@pytest.mark.parametrize(
    "frame",
    [
        "words",
        b"\xc1",
        pack_message([1]),
        pack_message({"label": "1-2", "frames": [], "views": VIEWS}),
        pack_message({"label": "1-2", "frames": [b"x"] * 34, "views": VIEWS}),
        pack_message({"label": "1-2", "frames": ["x"], "views": VIEWS}),
        pack_message({"label": 3, "frames": [b"x"], "views": VIEWS}),
        pack_message({"label": "1-2", "frames": [b"x"], "views": VIEWS[:2]}),
        pack_message({"label": "1-2", "frames": [b"x"], "views": [[0, 0, 641, 10], *VIEWS[1:]]}),
        pack_message({"label": "1-2", "frames": [b"x"], "views": [[0, 0, True, 10], *VIEWS[1:]]}),
        pack_message({"label": "1-2", "frames": [b"x"], "views": [[0, 0, 4, 10], *VIEWS[1:]]}),
    ],
)
def test_garbage_is_refused_with_a_reason(frame: str | bytes):
    with pytest.raises(PolicyLost, match="foreseen"):
        read_clip(frame)


def test_frames_of_an_answer_become_canvases():
    clip = clip_of_video("1-2", np.full((3, 270, 320, 3), 200, np.uint8))

    assert len(clip.frames) == 3
    assert abs(int(clip.picture(2).mean()) - 200) < 3
    with pytest.raises(PolicyLost, match="no JPEG"):
        ForeseenClip("1-2", (b"not one",)).picture(0)

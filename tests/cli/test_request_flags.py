from __future__ import annotations

import hashlib

import pytest

from cli.attachments import Attachments
from cli.request_flags import kind_of, parse_adapter, parse_controls
from studio.errors import BadInput


@pytest.fixture
def clip(tmp_path, monkeypatch):
    """`clip.mp4` where the command stands, by the id it will have."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clip.mp4").write_bytes(b"a clip")
    (tmp_path / "odd:name.mp4").write_bytes(b"a clip")
    return f"u{hashlib.sha256(b'a clip').hexdigest()[:16]}"


@pytest.mark.parametrize(
    ("word", "control"),
    [
        ("edge", {"hint": "edge"}),
        ("edge@high", {"hint": "edge", "strength": "high"}),
        ("blur@very_low:2", {"hint": "blur", "strength": "very_low", "weight": 2.0}),
        ("edge:0.5", {"hint": "edge", "weight": 0.5}),
        ("depth=clip.mp4", {"hint": "depth", "video": "CLIP"}),
        ("depth=clip.mp4:0.5", {"hint": "depth", "video": "CLIP", "weight": 0.5}),
        ("seg=odd:name.mp4", {"hint": "seg", "video": "CLIP"}),
        ("wsm=0123456789ab-0:3", {"hint": "wsm", "video": "0123456789ab-0", "weight": 3.0}),
    ],
)
def test_a_control_is_a_hint_and_where_it_comes_from(clip, word, control):
    expected = {key: clip if value == "CLIP" else value for key, value in control.items()}
    assert parse_controls([word], Attachments()) == [expected]


def test_a_control_that_says_nothing_is_refused(clip):
    with pytest.raises(BadInput, match="expected edge="):
        parse_controls(["=clip.mp4"], Attachments())
    with pytest.raises(BadInput, match="There is no file"):
        parse_controls(["edge=gone.mp4"], Attachments())


@pytest.mark.parametrize(
    ("word", "adapter"),
    [("style", {"name": "style"}), ("style:0.8", {"name": "style", "scale": 0.8}), ("a:b", {"name": "a:b"})],
)
def test_an_adapter_is_a_name_and_a_scale(word, adapter):
    assert parse_adapter(word) == adapter


@pytest.mark.parametrize(
    ("output", "said", "kind"),
    [
        ("a.png", {}, "generate_image"),
        ("-", {}, "generate_image"),
        ("a.mp4", {}, "generate_video"),
        ("a.MP4", {"start_image": "x"}, "generate_video"),
        ("a.mp4", {"controls": ["edge"]}, "transfer_video"),
        ("a.mp4", {"actions": "a.json", "embodiment": "av"}, "predict_video"),
        ("a.json", {"source_video": "x"}, "predict_actions"),
        ("a.npy", {"start_image": "x", "embodiment": "umi"}, "run_policy"),
        ("a.mp4", {"start_image": "x", "embodiment": "umi"}, "run_policy"),
    ],
)
def test_what_is_asked_for_follows_from_the_output_and_the_flags(output, said, kind):
    assert kind_of(None, output, {"prompt": "x", "seed": None, **said}) == kind
    assert kind_of("run_policy", output, said) == "run_policy"

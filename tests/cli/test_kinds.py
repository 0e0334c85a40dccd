"""Every kind of request by its flags, on a real server."""

from __future__ import annotations

import json

import av
import numpy as np
import pytest

FEW = ("--resolution", "256", "--steps", "1", "--seed", "3")


@pytest.fixture
def make(orrery, server, tmp_path, write_clip, write_picture, monkeypatch):
    """`orrery generate` beside a clip, a picture and actions; returns what it prints."""
    monkeypatch.chdir(tmp_path)
    write_clip(tmp_path / "clip.mp4", 12)
    write_picture(tmp_path / "seen.png")
    np.save(tmp_path / "rows.npy", np.full((8, 9), 0.1, np.float32))

    def make(*words):
        result = orrery("generate", "Drive on.", *words, *FEW, "--server", server.url)
        assert result.exit_code == 0, result.output
        return result.stdout.splitlines()

    return make


def num_frames(path):
    with av.open(str(path)) as container:
        return sum(1 for _ in container.decode(video=0))


def test_a_clip_follows_controls(make, tmp_path):
    words = ("--control", "edge@high:2", "--control", "depth=clip.mp4", "--source-video", "clip.mp4", "--fps", "10")
    printed = make("-o", "a.mp4", *words, "--aspect-ratio", "16:9", "--chunk-frames", "9", "--control-guidance", "2")
    assert printed == ["a.mp4  320x192  12 frames  seed 3"]
    assert num_frames(tmp_path / "a.mp4") == 12


def test_actions_lead_to_frames(make, tmp_path):
    words = ("--start-image", "seen.png", "--actions", "rows.npy", "--embodiment", "av", "--save-latents")
    printed = make("-o", "a.mp4", *words)
    assert [line.split()[0] for line in printed] == ["a.mp4", "a.safetensors"]
    assert num_frames(tmp_path / "a.mp4") == 9


def test_a_clip_leads_to_actions_which_lead_to_a_clip(make, tmp_path):
    words = ("--source-video", "clip.mp4", "--embodiment", "av", "--num-actions", "8")
    assert [line.split("  ")[:2] for line in make("-o", "a.json", *words)] == [
        ["a.json", "8 actions of 9"],
        ["a.npy", "8 actions of 9"],
    ]
    assert np.load(tmp_path / "a.npy").shape == (8, 9)
    make("-o", "b.mp4", "--start-image", "seen.png", "--actions", "a.json", "--embodiment", "av")
    assert num_frames(tmp_path / "b.mp4") == 9


def test_a_policy_acts_and_foresees(make, tmp_path):
    words = ("--start-image", "seen.png", "--embodiment", "umi", "--num-actions", "8")
    make("-o", "a.mp4", *words)
    assert sorted(path.name for path in tmp_path.glob("a.*")) == ["a.actions.json", "a.mp4", "a.npy"]
    make("-o", "b.npy", *words, "--no-decode-video")
    assert sorted(path.name for path in tmp_path.glob("b.*")) == ["b.actions.json", "b.npy"]


def test_the_droid_policy_is_told_where_the_arm_is(make, tmp_path):
    words = ("--start-image", "seen.png", "--embodiment", "droid_joint_position", "--num-actions", "8")
    make("-o", "a.json", *words, "--state", "0,0.1,0.2,0.3,0.4,0.5,0.6,1", "--no-decode-video")
    assert len(json.loads((tmp_path / "a.json").read_text())["actions"][0]) == 8


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-o", "a.mp4", "--control", "edge"], "edge has no video and there is no source_video"),
        (["-o", "a.mp4", "--control", "wsm"], "wsm has no video; only edge, blur, depth and seg can be computed"),
        (["-o", "a.mp4", "--control", "egde=clip.mp4"], "controls.0.hint is 'egde'"),
        (
            ["-o", "a.mp4", "--control", "edge=clip.mp4", "--sound"],
            "--sound/--no-sound is not a field of transfer_video.",
        ),
        (["-o", "a.json", "--start-image", "seen.png"], "embodiment is missing."),
        (["-o", "a.png", "--start-image", "seen.png", "--embodiment", "av"], "the result is .json and .npy and .mp4"),
        (["-o", "a.mp4", "--actions", "gone.json"], "gone.json cannot be read"),
        (["-o", "a.json", "--state", "x", "--embodiment", "av"], "state is 'x'; expected comma-separated numbers"),
        (["-o", "a.json", "--kind", "run_polcy"], "--kind is 'run_polcy'. Did you mean run_policy?"),
        (["-o", "a.png", "--size", "256x256", "--resolution", "256"], "--size sets the same as --resolution"),
    ],
)
def test_bad_flags_are_one_line(refused, tmp_path, monkeypatch, write_clip, write_picture, words, says):
    monkeypatch.chdir(tmp_path)
    write_clip(tmp_path / "clip.mp4", 2)
    write_picture(tmp_path / "seen.png")
    assert says in refused("generate", "x", *words)

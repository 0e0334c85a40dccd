from __future__ import annotations

import json
import re

import pytest

from studio.errors import BadInput


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"num_fames": 9}, "num_fames is not a known field. Did you mean num_frames?"),
        ({"edge": {"wieght": 1}}, "edge.wieght is not a known field. Did you mean weight?"),
        (
            {"edge": {"preset_blur_strength": "low"}, "vision_path": "clip.mp4"},
            "edge.preset_blur_strength cannot be combined",
        ),
        ({"edge": 5}, "edge is 5; expected an object with control_path or weight."),
        ({"wsm": {}, "vision_path": "clip.mp4"}, "wsm has no control_path, and it cannot be computed."),
        ({"edge": {}}, "edge has no control_path, and there is no vision_path to compute it from."),
        ({"edge": {"control_path": "none.mp4"}}, "edge.control_path is 'none.mp4'; the file was not found."),
        ({"edge": {"control_path": "clip.mp4", "weight": -1}}, "edge.weight is -1.0; expected at least 0."),
        ({"edge": True, "model_mode": "text2image"}, "edge cannot be combined with text2image."),
        ({"num_steps": 0}, "num_steps is 0; expected at least 1."),
        ({"num_steps": "many"}, "num_steps is 'many'"),
        ({"guidance": 50}, "guidance is 50.0; the maximum is 20."),
        ({"num_frames": 0}, "num_frames is 0; expected at least 1."),
        ({"num_frames": 1000}, "num_frames is 1001; the maximum is 397."),
        ({"fps": 0}, "fps is 0.0; expected at least 10."),
        ({"resolution": "1080"}, "resolution is '1080'"),
        ({"aspect_ratio": "2,1"}, "aspect_ratio is '2:1'"),
        ({"num_outputs": 20}, "num_outputs is 20; the maximum is 10."),
        ({"model_mode": "image2video"}, "vision_path is missing; image2video needs it."),
        ({"vision_path": "gone.mp4"}, "vision_path is 'gone.mp4'; the file was not found."),
        ({"vision_path": "s3://bucket/a.mp4"}, "files of this kind are not downloaded."),
        (
            {"vision_path": "clip.mp4", "condition_frame_indexes_vision": [60]},
            "condition_frame_indexes_vision names latent frame 60",
        ),
        ({"normalize_cfg": True}, "normalize_cfg is set; normalized guidance is not supported."),
        ({"prompt_upsampling": True}, "prompt_upsampling is set"),
        ({"name": "../up"}, "name is '../up', which is not a valid folder name."),
        ({"name": 5}, "name is 5: input should be a valid string."),
        (
            {"num_conditional_frames": 0, "vision_path": "clip.mp4", "edge": True},
            "num_conditional_frames is 0; expected at least 1",
        ),
        ({"defaults_file": "none.json"}, "defaults_file is 'none.json'; the file was not found."),
    ],
)
def test_a_spec_error_names_file_sample_and_field(specs, refused, fields, says):
    said = refused(**{"prompt": "x", **fields})
    assert says in said
    assert said.startswith(f"{specs / 'spec.json'}, sample ")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"domain_name": "av"}, "action_path is missing; forward_dynamics needs actions."),
        ({"action_path": "actions/rows.json"}, "domain_name is missing. Known embodiments: av,"),
        ({"action_path": "actions/rows.json", "domain_name": "avv"}, "domain_name is 'avv'. Did you mean av?"),
        (
            {"action_path": "actions/rows.json", "domain_name": "umi"},
            "action_path: action 0 has 9 values; expected 10.",
        ),
        (
            {"action_path": "actions/rows.json", "domain_name": "av", "action_chunk_size": 6},
            "action_path: 6 actions are not a multiple of four; use 4 or 8.",
        ),
        ({"action_path": "actions/rows.json", "domain_name": "av", "image_size": 300}, "image_size is '300'"),
        ({"action_path": "start.png", "domain_name": "av"}, "is not an action file"),
        ({"action_path": "actions/rows.json", "domain_name": "av", "view_point": "above"}, "view_point is 'above'"),
    ],
)
def test_an_action_spec_is_refused_in_its_own_words(refused, fields, says):
    said = refused(**{"model_mode": "forward_dynamics", "prompt": "x", "vision_path": "start.png", **fields})
    assert says in said


def test_inverse_dynamics_needs_a_clip(refused):
    said = refused(model_mode="inverse_dynamics", prompt="x", vision_path="start.png", domain_name="av")
    assert "vision_path is 'start.png', an image; inverse_dynamics needs a video." in said


def test_all_samples_with_errors_are_told_at_once(specs, read):
    for name, fields in {"a": {"prompt": "x", "num_steps": 0}, "b": {"prompt": "x"}, "c": {"prompt": ""}}.items():
        (specs / f"{name}.json").write_text(json.dumps(fields))
    samples, errors = read("*.json")
    assert [sample.name for sample in samples] == ["b"]
    assert [error.param for error in errors] == ["num_steps", "prompt"]


def test_two_samples_of_one_name_are_told_apart(specs, read):
    (specs / "a.json").write_text('{"prompt": "x", "name": "same"}')
    (specs / "b.yaml").write_text("prompt: y\nname: same\n")
    samples, errors = read("a.json", "b.yaml")
    assert len(samples) == 1
    assert f"{specs / 'b.yaml'}, sample same: name is 'same', which a sample in {specs / 'a.json'} also has." in str(
        errors[0]
    )


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.json", b"{", "a.json is not JSON"),
        ("a.json", b"3", "a.json is 3; expected an object"),
        ("a.json", b"[]", "a.json has no samples."),
        ("a.json", b"\xff\xfe{", "a.json is not UTF-8 text"),
        ("a.json", b"[" * 100_000, "a.json is"),
        ("a.jsonl", b'{"prompt": "x"}\n{', "a.jsonl, line 2 is not JSON"),
        ("a.yaml", b"a: [", "a.yaml is not YAML"),
        ("a.yaml", b"!!python/object:os.system {}", "a.yaml is not YAML"),
        ("a.yaml", b"prompt: x\nextra: 2021-01-01", "a.yaml has a value that JSON does not support"),
        ("a.yaml", b"prompt: x\nextra: !!binary aGk=", "a.yaml has a value that JSON does not support"),
        ("a.json", b'{"prompt": "x", "seed": ' + b"9" * 5000 + b"}", "a.json is not JSON"),
        ("a.txt", b"x", "a.txt is not a spec file"),
    ],
)
def test_a_file_that_is_no_spec_is_named(specs, read, name, content, says):
    (specs / name).write_bytes(content)
    with pytest.raises(BadInput, match=re.escape(says)):
        read(name)


def test_a_file_that_is_not_there_is_named(read):
    with pytest.raises(BadInput, match=r"There is no spec file .*nowhere\*\.json"):
        read("nowhere*.json")

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import BadInput
from studio.specs import parse_overrides, read_entries, remote_files
from studio.specs.draft import RequestDraft
from studio.specs.entries import merge
from studio.specs.spec import Spec

NAMES = st.sampled_from(["num_steps", "edge", "weight", "name", "seed"])
VALUES = st.one_of(st.integers(-9, 9), st.booleans(), st.text("abc:,.", max_size=5))


def test_samples_are_named_after_their_files(specs, read):
    (specs / "one.json").write_text('{"prompt": "x"}')
    (specs / "many.jsonl").write_text('{"prompt": "x"}\n\n{"prompt": "y", "name": "said"}\n{"prompt": "z"}\n')
    (specs / "two.yaml").write_text("- prompt: x\n- prompt: y\n")
    samples, errors = read("*.json*", "two.yaml", "one.json")
    assert errors == []
    assert [sample.name for sample in samples] == ["many_0", "said", "many_2", "one", "two_0", "two_1"]


def test_paths_are_relative_to_their_own_spec(specs, read):
    (specs / "deep" / "er").mkdir(parents=True)
    (specs / "deep" / "er" / "a.json").write_text('{"prompt": "x", "vision_path": "../../start.png"}')
    samples, errors = read("**/a.json")
    assert errors == []
    assert samples[0].request.start_image in samples[0].attachments
    assert samples[0].attachments[samples[0].request.start_image].said == "../../start.png"


def test_overrides_lie_over_every_sample_and_null_takes_a_field_away(specs, read):
    (specs / "a.jsonl").write_text(
        json.dumps({"prompt": "x", "num_frames": 61, "seed": 4, "vision_path": "clip.mp4", "edge": {"weight": 2}})
    )
    over = ("num_frames=9", "edge.preset_edge_threshold=low", "aspect_ratio=16:9", "seed=null", "resolution=256")
    samples, errors = read("a.jsonl", overrides=over)
    assert errors == []
    request = samples[0].request
    assert (request.num_frames, request.aspect_ratio, request.resolution) == (9, "16:9", "256")
    assert request.controls[0].model_dump(exclude_unset=True) == {"hint": "edge", "strength": "low", "weight": 2.0}
    assert "seed" not in samples[0].entry.fields


@pytest.mark.parametrize("word", ["num_frames", "=9", "a b=3", "edge..weight=1", ".=1"])
def test_an_override_that_is_none_is_refused(word):
    with pytest.raises(BadInput, match="expected field=value"):
        parse_overrides([word])


@given(st.lists(NAMES, min_size=1, max_size=3), VALUES)
def test_an_override_says_what_its_json_says(path, value):
    nested = value
    for name in reversed(path):
        nested = {name: nested}
    assert parse_overrides([f"{'.'.join(path)}={json.dumps(value)}"]) == nested


@given(st.text(max_size=20).filter(lambda text: not _is_json(text)))
def test_what_is_no_json_is_text(text):
    assert parse_overrides([f"prompt={text}"]) == {"prompt": text}


@given(st.dictionaries(NAMES, VALUES), st.dictionaries(NAMES, VALUES))
def test_merging_keeps_what_is_not_said_and_takes_what_is(under, over):
    merged = merge(under, over)
    assert merged == {**under, **over}
    assert merge(merged, over) == merged


@given(st.integers(1, 500))
def test_frames_are_snapped_up_to_whole_groups_with_a_note(num_frames):
    draft = RequestDraft("generate_video")
    whole = draft.whole_groups(num_frames, "num_frames")
    assert whole is not None
    assert whole % 4 == 1
    assert 0 <= whole - num_frames < 4
    assert whole == math.ceil((num_frames - 1) / 4) * 4 + 1
    assert bool(draft.notes) == (whole != num_frames)


def test_a_snapped_length_is_told(one):
    sample = one(prompt="x", num_frames=10)
    assert sample.request.num_frames == 13
    assert sample.notes == ("num_frames is 10; using 13, which is 1 plus a multiple of 4.",)


def test_a_number_of_frames_said_for_all_says_nothing_to_a_picture(one):
    assert one(model_mode="text2image", prompt="x", num_frames=9).request.kind == "generate_image"


def test_defaults_of_a_person_replace_the_frameworks(asked, specs):
    (specs / "mine.json").write_text('{"num_steps": 5, "aspect_ratio": "3,4", "autoregressive": false, "unheard": 1}')
    said = asked(prompt="x", defaults_file="mine.json", aspect_ratio="1,1")
    assert said["sampling"]["num_inference_steps"] == 5
    assert "guidance_scale" not in said["sampling"]
    assert said["aspect_ratio"] == "1:1"


def test_every_field_that_the_framework_writes_is_accepted(one):
    """The fields of a `sample_args.json` of its own, with their defaults."""
    written = {
        "sigma_max": 80.0,
        "normalize_cfg": False,
        "autoregressive": False,
        "negative_metadata_mode": "none",
        "negative_prompt_keep_metadata": True,
        "video_save_quality": 10,
        "image_save_quality": 95,
        "extra": {"golden_psnr_min": 14.0},
        "output_dir": "/tmp/x",
        "model": "",
        "num_outputs": 1,
        "action_path": None,
        "domain_name": "",
        "image_size": 256,
        "view_point": "ego_view",
        "control_guidance": 1.0,
        "max_new_tokens": None,
        "prompt_upsampler_max_tokens": 20000,
        "native_prompt_upsampling": False,
        "tensors_file": None,
    }
    assert one(prompt="x", model_mode="text2video", **written).request.kind == "generate_video"
    assert set(written) <= set(Spec.model_fields)


def test_only_files_that_are_read_are_fetched(specs):
    web = "https://example.test"
    rows = [
        {"prompt": "x", "model_mode": "wam", "vision_path": f"{web}/a.mp4", "action_path": f"{web}/compare.json"},
        {
            "prompt": "x",
            "model_mode": "forward_dynamics",
            "vision_path": f"{web}/a.mp4",
            "action_path": f"{web}/b.json",
        },
        {"prompt": "x", "model_mode": "text2video", "vision_path": f"{web}/unread.mp4"},
        {"prompt": "x", "vision_path": f"{web}/c.mp4", "depth": {"control_path": f"{web}/d.mp4"}},
    ]
    (specs / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = remote_files(read_entries([str(specs / "a.jsonl")], {}))
    assert sorted(found) == [f"{web}/{name}" for name in ("a.mp4", "b.json", "c.mp4", "d.mp4")]


def _is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True

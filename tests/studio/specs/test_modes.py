from __future__ import annotations

import hashlib
import json

import pytest

from studio.specs import CheckpointDefaults, load_framework_defaults
from studio.specs.spec import KIND_OF_MODE, NOT_SERVED


def upload_id(path):
    return f"u{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def test_a_picture_takes_the_frameworks_defaults(asked):
    assert asked(model_mode="text2image", prompt="a cube", seed=3, resolution=720) == {
        "kind": "generate_image",
        "prompt": "a cube",
        "negative_prompt": "",
        "resolution": "720",
        "aspect_ratio": "1:1",
        "sampling": {"num_inference_steps": 50, "guidance_scale": 4.0, "flow_shift": 3.0, "seed": 3},
    }


def test_a_clip_of_words_takes_the_frameworks_defaults(asked):
    assert asked(model_mode="text2video", prompt="a cube", seed=0, enable_sound=True, aspect_ratio="9,16") == {
        "kind": "generate_video",
        "prompt": "a cube",
        "negative_prompt": "",
        "aspect_ratio": "9:16",
        "num_frames": 189,
        "fps": 24.0,
        "sound": True,
        "sampling": {"num_inference_steps": 35, "guidance_scale": 6.0, "flow_shift": 10.0, "seed": 0},
    }


def test_a_clip_starts_from_a_picture_or_from_the_latent_frames_of_a_clip(asked, specs):
    picture = asked(model_mode="image2video", prompt="x", vision_path="start.png")
    assert picture["start_image"] == upload_id(specs / "start.png")
    assert "source_video" not in picture

    first = asked(model_mode="image2video", prompt="x", vision_path="clip.mp4")
    assert (first["source_video"], first["condition_frames"]) == (upload_id(specs / "clip.mp4"), [0])

    several = asked(model_mode="video2video", prompt="x", vision_path="clip.mp4", condition_video_keep="last")
    assert several["condition_end"] == "last"
    assert "condition_frames" not in several  # two latent frames, as in the request itself

    chosen = asked(model_mode="video2video", prompt="x", vision_path="clip.mp4", condition_frame_indexes_vision=[0, 2])
    assert chosen["condition_frames"] == [0, 2]


@pytest.mark.parametrize(
    ("fields", "mode"),
    [
        ({}, "text2video"),
        ({"num_frames": 1}, "text2image"),
        ({"vision_path": "start.png"}, "image2video"),
        ({"vision_path": "clip.mp4"}, "video2video"),
    ],
)
def test_a_mode_that_is_not_said_is_told_from_the_rest(one, fields, mode):
    assert one(prompt="x", **fields).mode == mode


def test_forward_dynamics_reads_its_actions(asked, specs):
    said = asked(
        model_mode="forward_dynamics",
        prompt="drive",
        vision_path="start.png",
        action_path="actions/rows.json",
        domain_name="AV",
        action_chunk_size=8,
        image_size=480,
        fps=10,
        view_point="ego_view",
        seed=0,
    )
    assert said == {
        "kind": "predict_video",
        "prompt": "drive",
        "negative_prompt": "",
        "start_image": upload_id(specs / "start.png"),
        "actions": [[0.25] * 9] * 8,
        "embodiment": "av",
        "view": "ego_view",
        "resolution": "480",
        "fps": 10.0,
        "sampling": {"num_inference_steps": 30, "guidance_scale": 1.0, "flow_shift": 10.0, "seed": 0},
    }


def test_more_actions_than_the_chunk_are_cut_with_a_note(one):
    fields = {"model_mode": "forward_dynamics", "vision_path": "start.png", "action_path": "actions/rows.json"}
    sample = one(prompt="x", domain_name="av", action_chunk_size=4, **fields)
    assert len(sample.request.actions) == 4
    assert sample.notes == ("action_path has 8 actions; the first 4 are used (action_chunk_size).",)


def test_a_body_whose_width_depends_on_its_data_set_takes_that_of_its_actions(asked, specs):
    (specs / "seven.json").write_text(json.dumps([[0.0] * 7] * 4))
    fields = {"model_mode": "forward_dynamics", "vision_path": "start.png", "action_path": "seven.json"}
    assert asked(prompt="x", domain_name="libero", **fields)["action_width"] == 7


def test_inverse_dynamics_asks_for_the_actions_of_a_clip(asked, specs):
    said = asked(model_mode="inverse_dynamics", prompt="x", vision_path="clip.mp4", domain_name="embodiment_b")
    assert (said["kind"], said["embodiment"], said["num_actions"]) == ("predict_actions", "galbot", 16)
    assert said["source_video"] == upload_id(specs / "clip.mp4")
    assert said["resolution"] == "256"


@pytest.mark.parametrize("mode", ["wam", "policy"])
def test_wam_is_the_policy_and_its_action_path_is_not_read(asked, mode):
    said = asked(model_mode=mode, prompt="x", vision_path="start.png", domain_name="umi", action_path="nowhere.json")
    assert (said["kind"], said["num_actions"]) == ("run_policy", 16)


@pytest.mark.parametrize(
    ("hint", "guidance", "control_guidance", "chunk"),
    [
        ("edge", 3.0, 1.5, 93),
        ("blur", 3.0, 1.5, 93),
        ("depth", 3.0, 1.5, 93),
        ("seg", 3.0, 2.0, 93),
        ("wsm", 1.0, 3.0, 101),
    ],
)
def test_one_control_brings_its_own_defaults(asked, specs, hint, guidance, control_guidance, chunk):
    said = asked(prompt="x", **{hint: {"control_path": "depth.mp4"}})
    assert said["kind"] == "transfer_video"
    assert said["controls"] == [{"hint": hint, "video": upload_id(specs / "depth.mp4")}]
    assert said["sampling"]["guidance_scale"] == guidance
    assert said["sampling"]["control_guidance"] == control_guidance
    assert said["sampling"]["flow_shift"] == 10.0
    assert (said["num_chunk_frames"], said["num_overlap_frames"], said["num_source_frames"]) == (chunk, 1, 0)
    assert "num_frames" not in said  # as long as its controls


def test_what_a_sample_says_wins_over_its_controls_defaults(asked):
    said = asked(prompt="x", vision_path="clip.mp4", edge=True, guidance=2, control_guidance=4, shift=5)
    assert said["sampling"] | {"seed": 0} == {
        "num_inference_steps": 35,
        "guidance_scale": 2.0,
        "control_guidance": 4.0,
        "flow_shift": 5.0,
        "seed": 0,
    }


def test_several_controls_keep_the_modes_guidance_and_their_weights(asked, specs):
    said = asked(
        prompt="x",
        vision_path="clip.mp4",
        depth={"control_path": "depth.mp4", "control_weight": 2},
        edge={"preset_edge_threshold": "high", "weight": 0.5},
        blur={"preset_blur_strength": "none"},
        num_first_chunk_conditional_frames=4,
        max_frames=40,
    )
    assert said["controls"] == [
        {"hint": "edge", "strength": "high", "weight": 0.5},
        {"hint": "blur", "video": upload_id(specs / "clip.mp4")},
        {"hint": "depth", "video": upload_id(specs / "depth.mp4"), "weight": 2.0},
    ]
    assert said["source_video"] == upload_id(specs / "clip.mp4")
    assert (said["sampling"]["guidance_scale"], said["sampling"]["control_guidance"]) == (6.0, 1.0)
    assert (said["num_source_frames"], said["num_frames"]) == (4, 40)


def test_a_given_control_wins_over_its_preset(asked):
    said = asked(prompt="x", edge={"control_path": "depth.mp4", "preset_edge_threshold": "high"})
    assert "strength" not in said["controls"][0]


@pytest.mark.parametrize("mode", NOT_SERVED)
def test_modes_that_are_not_served_are_refused_by_name(refused, mode):
    said = refused(model_mode=mode, prompt="x", vision_path="start.png")
    assert f"sample spec: model_mode {mode} is not supported" in said


def test_an_unknown_mode_names_the_nearest(refused):
    assert "Did you mean text2video?" in refused(model_mode="text2vide", prompt="x")


def test_a_sample_without_a_seed_has_one_of_its_name(one):
    first, again, other = one(prompt="x", name="a"), one(prompt="y", name="a"), one(prompt="x", name="b")
    assert first.request.sampling.seed == again.request.sampling.seed != other.request.sampling.seed


def test_several_outputs_are_a_count(asked):
    assert asked(model_mode="text2image", prompt="x", num_outputs=3)["count"] == 3


def test_the_checkpoint_changes_what_the_framework_lets_it_change(read):
    edge, nano, other = (
        read(prompt="x", checkpoint=CheckpointDefaults(name))[0][0].request
        for name in ("cosmos3-edge", "cosmos3-nano", "speck")
    )
    assert (edge.num_frames, edge.resolution) == (121, "480")
    assert (nano.num_frames, nano.resolution) == (189, "720")
    assert "resolution" not in other.model_fields_set


def test_every_mode_that_is_served_has_defaults():
    assert set(load_framework_defaults().modes) == set(KIND_OF_MODE)


def test_the_reasoner_takes_the_frameworks_defaults_and_no_system_prompt(asked):
    assert asked(model_mode="reasoner", prompt="What is it?", seed=3) == {
        "kind": "reason",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "What is it?"}]}],
        "sampling": {
            "max_tokens": 1024,
            "temperature": 0.0,
            "top_k": 0,
            "top_p": 1.0,
            "repetition_penalty": 1.0,
            "presence_penalty": 0.0,
            "seed": 3,
        },
    }


def test_the_reasoner_looks_at_a_picture_or_a_clip_before_it_reads_the_question(asked, specs):
    def shown(path):
        return asked(model_mode="reasoner", prompt="x", vision_path=path)["messages"][0]["content"][0]

    assert shown("start.png") == {"type": "image", "image": upload_id(specs / "start.png")}
    assert shown("clip.mp4") == {"type": "video", "video": upload_id(specs / "clip.mp4")}
    assert asked(model_mode="reasoner", prompt="x", vision_path="clip.mp4", video_fps=4)["video_fps"] == 4.0


def test_the_reasoner_samples_only_where_it_is_told_to(asked):
    said = {"temperature": 0.6, "top_k": 20, "top_p": 0.9}
    assert asked(model_mode="reasoner", prompt="x", **said)["sampling"]["temperature"] == 0.0
    sampled = asked(model_mode="reasoner", prompt="x", do_sample=True, **said)["sampling"]
    assert {name: sampled[name] for name in said} == said


def test_the_reasoners_fields_are_named_as_they_were_said(refused, one):
    assert "max_new_tokens is 0" in refused(model_mode="reasoner", prompt="x", max_new_tokens=0)
    assert "prompt is empty" in refused(model_mode="reasoner", prompt=" ")
    assert "the file was not found" in refused(model_mode="reasoner", prompt="x", vision_path="gone.png")
    assert "edge cannot be combined with reasoner" in refused(model_mode="reasoner", prompt="x", edge=True)
    several = one(model_mode="reasoner", prompt="x", num_outputs=2)
    assert several.notes == ("num_outputs is 2; the reasoner gives one answer.",)

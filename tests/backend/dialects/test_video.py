"""NVIDIA's own requests, OpenAI's, SGLang's and TensorRT-LLM's, as ours: what each field comes to."""

import json
from typing import Any

import pytest

import nvidia_requests as nvidia
from backend.dialects.fields import object_of_form
from backend.dialects.openai_videos import addresses_in, to_draft
from backend.dialects.video_fields import read_fields
from studio.errors import BadInput, NotAllowed
from studio.media import MediaReference
from studio.requests import GenerateVideo, PredictActions, PredictVideo, RunPolicy, TransferVideo

PICTURE = MediaReference(
    id="u0123456789abcdef", type="image", mime="image/png", width=640, height=540, size_bytes=1, sha256="", url=""
)
CLIP = PICTURE.model_copy(update={"id": "u1123456789abcdef", "type": "video", "mime": "video/mp4", "width": 832})


def asked(form: dict[str, Any], **media: MediaReference) -> Any:
    return to_draft(read_fields(form), media).request()


def test_text_to_video():
    request = asked(nvidia.TEXT_TO_VIDEO)

    assert isinstance(request, GenerateVideo)
    assert (request.resolution, request.aspect_ratio) == ("720", "16:9")
    assert (request.num_frames, request.fps, request.sound) == (189, 24.0, False)
    assert (request.sampling.num_inference_steps, request.sampling.guidance_scale) == (35, 6.0)
    assert (request.sampling.flow_shift, request.sampling.seed) == (10.0, 0)
    assert request.negative_prompt == "blurry, distorted, low quality"
    assert not request.use_resolution_template
    assert not request.use_duration_template
    assert read_fields(nvidia.TEXT_TO_VIDEO).guardrails is True


def test_image_to_video():
    request = asked(nvidia.IMAGE_TO_VIDEO, input_reference=PICTURE)

    assert request.start_image == PICTURE.id
    assert not request.use_system_prompt


def test_video_to_video_keeps_its_frames_and_takes_the_system_prompt():
    request = asked(nvidia.VIDEO_TO_VIDEO, input_reference=CLIP)

    assert (request.source_video, request.condition_frames, request.condition_end) == (CLIP.id, (0, 1), "first")
    assert request.use_system_prompt
    assert (request.resolution, request.num_frames, request.fps) == ("480", 61, 10.0)


def test_a_step_cache_is_a_field_of_ours_beside_theirs():
    assert asked({**nvidia.TEXT_TO_VIDEO, "step_cache": 0.05}).sampling.step_cache == 0.05
    assert asked(nvidia.TEXT_TO_VIDEO).sampling.step_cache is None


def test_sound():
    assert asked(nvidia.WITH_SOUND).sound


def test_transfer_takes_the_control_by_its_path():
    form = nvidia.transfer("cookbooks/depth.mp4")

    assert list(addresses_in(read_fields(form))) == [("depth.control_path", "cookbooks/depth.mp4")]
    request = asked(form, **{"depth.control_path": CLIP})
    assert isinstance(request, TransferVideo)
    assert [(control.hint, control.video) for control in request.controls] == [("depth", CLIP.id)]
    assert (request.num_frames, request.num_chunk_frames, request.fps) == (121, 121, 30.0)
    assert (request.sampling.control_guidance, request.sampling.guidance_scale) == (1.5, 3.0)
    assert request.resolution == "720"


def test_forward_dynamics_keeps_the_rows_and_takes_the_tier_from_image_size():
    request = asked(nvidia.forward_dynamics(), input_reference=PICTURE)

    assert isinstance(request, PredictVideo)
    assert (len(request.actions), len(request.actions[0])) == (60, 9)
    assert (request.embodiment, request.view, request.resolution, request.fps) == ("av", "ego_view", "480", 10.0)


def test_inverse_dynamics():
    request = asked(nvidia.INVERSE_DYNAMICS, input_reference=CLIP)

    assert isinstance(request, PredictActions)
    assert (request.source_video, request.num_actions, request.embodiment) == (CLIP.id, 60, "av")


def test_policy():
    request = asked({**nvidia.POLICY, "model": None}, input_reference=PICTURE)

    assert isinstance(request, RunPolicy)
    assert (request.embodiment, request.num_actions, request.view) == ("droid_lerobot", 16, "concat_view")
    assert request.decode_video
    assert request.sampling.flow_shift == 5.0


def test_the_droid_policy_is_told_by_the_width_of_its_actions():
    params = {"raw_action_dim": 8, "action_chunk_size": 32, "state": [0.0] * 8}
    request = asked(
        {**nvidia.with_params(nvidia.POLICY, **params), "num_frames": "33", "model": None}, input_reference=PICTURE
    )

    assert request.embodiment == "droid_joint_position"
    assert request.state == (0.0,) * 8


def test_a_robots_observation_is_its_state_and_no_frames_are_decoded():
    seen = {"observation/joint_position": [0.1] * 7, "observation/gripper_position": [1.0]}
    params = {"raw_action_dim": 8, "robot_obs": seen, "domain_name": None, "domain_id": 8}
    request = asked({**nvidia.with_params(nvidia.POLICY, **params), "model": None}, input_reference=PICTURE)

    assert request.state == (*([0.1] * 7), 1.0)
    assert not request.decode_video


def test_openais_own_fields():
    request = asked({"prompt": "x", "seconds": "4", "size": "720x1280"})

    assert (request.num_frames, request.aspect_ratio, request.fps) == (97, "9:16", 24.0)


def test_one_frame_is_a_picture():
    assert asked({"prompt": "x", "num_frames": 1, "size": "1024x1024"}).kind == "generate_image"


def test_sglangs_parallel_lists_of_controls():
    form = {"prompt": "x", "control_path": ["a.mp4", "b.mp4"], "control_hint": ["seg", "edge"]}

    assert dict(addresses_in(read_fields(form))) == {"edge.control_path": "b.mp4", "seg.control_path": "a.mp4"}
    request = asked(form, **{"edge.control_path": CLIP, "seg.control_path": CLIP})
    assert [control.hint for control in request.controls] == ["edge", "seg"]


def test_one_control_takes_the_frameworks_settings_and_an_upload_its_type():
    request = asked({"prompt": "x", "control_type": "wsm"}, control_reference=CLIP)

    assert (request.sampling.guidance_scale, request.sampling.control_guidance) == (1.0, 3.0)
    assert (request.fps, request.num_chunk_frames) == (10.0, 101)


@pytest.mark.parametrize("value", [True, "true"])
def test_a_computed_control_follows_the_clip_that_came(value: Any):
    request = asked({"prompt": "x", "edge": value, "blur": {"preset_blur_strength": "low"}}, input_reference=CLIP)

    assert request.source_video == CLIP.id
    assert [(control.hint, control.strength) for control in request.controls] == [("edge", None), ("blur", "low")]
    assert request.aspect_ratio == "16:9"


def test_tensorrts_names():
    form = {"prompt": "x", "extra_params": {"enable_audio": True, "use_guardrails": False}}

    assert asked(form).sound
    assert read_fields(form).guardrails is False
    form = {"prompt": "x", "condition_video_latent_indexes": [0], "condition_video_keep": "last"}
    request = asked(form, video_reference=CLIP)
    assert (request.condition_frames, request.condition_end) == ((0,), "last")


def test_brackets_are_nesting():
    pairs = [
        ("prompt", "x"),
        ("extra_params[action_mode]", "policy"),
        ("extra_params[domain_name]", "umi"),
        ("extra_params[edge][control_path]", "a.mp4"),
        ("extra_params[condition_frame_indexes_vision][]", "0"),
        ("extra_params[condition_frame_indexes_vision][]", "1"),
    ]
    fields = object_of_form(pairs)["extra_params"]

    assert fields["edge"] == {"control_path": "a.mp4"}
    assert fields["condition_frame_indexes_vision"] == ["0", "1"]


def test_rows_that_a_form_has_flattened_are_rows_again():
    form = json.loads(nvidia.forward_dynamics(4)["extra_params"])
    flat = [("prompt", "x"), *(("extra_params[action][][]", str(value)) for row in form["action"] for value in row)]
    flat += [("extra_params[action_mode]", "forward_dynamics"), ("extra_params[domain_name]", "av")]
    request = asked(object_of_form(flat), input_reference=PICTURE)

    assert [list(row) for row in request.actions] == form["action"]


def test_too_few_rows_are_continued_with_the_last_and_too_many_are_cut():
    form = nvidia.with_params(nvidia.forward_dynamics(6), action_chunk_size=8)
    request = asked({**form, "num_frames": "9"}, input_reference=PICTURE)
    assert len(request.actions) == 8
    assert request.actions[7] == request.actions[5]

    form = nvidia.with_params(nvidia.forward_dynamics(6), action_chunk_size=4)
    assert len(asked({**form, "num_frames": "5"}, input_reference=PICTURE).actions) == 4


@pytest.mark.parametrize(
    ("form", "media", "param"),
    [
        ({"size": "1000x1000"}, {}, "size"),
        ({"width": 832}, {}, "height"),
        ({"prompt": "x", "frames": 3}, {}, "frames"),
        ({"extra_params": "["}, {}, "extra_params"),
        ({"extra_params": {"edge": {"weigth": 1}}}, {}, "edge.weigth"),
        ({"edge": True}, {"input_reference": PICTURE}, "input_reference"),
        ({"wsm": True}, {"input_reference": CLIP}, "wsm"),
        ({"action_mode": "policy", "domain_name": "umi"}, {}, "input_reference"),
        ({"action_mode": "policy", "domain_name": "umi"}, {"input_reference": CLIP}, "input_reference"),
        ({"action_mode": "inverse_dynamics", "domain_name": "umi"}, {"input_reference": PICTURE}, "input_reference"),
        ({"action_mode": "policy"}, {"input_reference": PICTURE}, "domain_name"),
        ({"action_mode": "policy", "domain_name": "martian"}, {"input_reference": PICTURE}, "domain_name"),
        ({"action_mode": "policy", "domain_id": 99}, {"input_reference": PICTURE}, "domain_id"),
        ({"action_mode": "dance"}, {"input_reference": PICTURE}, "action_mode"),
        ({"action_mode": "forward_dynamics", "domain_name": "av"}, {"input_reference": PICTURE}, "action"),
        ({"control_type": "edge"}, {}, "control_type"),
        ({"action": [[1.0]]}, {}, "action"),
        ({"domain_name": "umi"}, {"input_reference": PICTURE}, "domain_name"),
        ({"control_guidance": 2}, {"input_reference": CLIP}, "control_guidance"),
        ({"control_type": "ede"}, {"control_reference": CLIP}, "control_type"),
        ({"condition_frame_indexes_vision": [0, 1]}, {}, "condition_frame_indexes_vision"),
        ({"image_reference": "media:u1"}, {"image_reference": CLIP}, "image_reference"),
        ({"guidance_scale": "much"}, {}, "guidance_scale"),
        ({"num_inference_steps": 999}, {}, "num_inference_steps"),
        ({"n": 11}, {}, "n"),
        ({"seed": -1}, {}, "seed"),
        ({"lora": {"path": "/etc/passwd"}}, {}, "lora"),
    ],
)
def test_what_cannot_be_is_refused_by_the_name_that_it_was_sent_with(
    form: dict[str, Any], media: dict[str, MediaReference], param: str
):
    with pytest.raises(BadInput) as refused:
        asked({"prompt": "x", **form}, **media)

    assert refused.value.param == param


@pytest.mark.parametrize(
    ("name", "nothing"),
    [("true_cfg_scale", ""), ("enable_frame_interpolation", "false"), ("format_prompt_as_json", False)],
)
def test_what_other_models_have_is_refused_where_it_asks_for_something(name: str, nothing: Any):
    with pytest.raises(NotAllowed, match=name):
        asked({"prompt": "x", name: 3})
    asked({"prompt": "x", name: nothing})


@pytest.mark.parametrize("name", ["a[b", "[a]", "a]b[", "", "a" * 401, "a[b][c][d][e][f][g][h]", "a[[b]]"])
def test_a_name_that_is_none_is_refused(name: str):
    with pytest.raises(BadInput):
        object_of_form([(name, "x")])


@pytest.mark.parametrize(
    "pairs", [[("a[]", "1"), ("a[b]", "2")], [("a", "x"), ("a[b]", "2")], [("a", "x"), ("a[]", "2")]]
)
def test_a_name_that_means_two_things_is_refused(pairs: list[tuple[str, str]]):
    with pytest.raises(BadInput):
        object_of_form(pairs)

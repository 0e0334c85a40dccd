"""The published commands of curl in their full size, as requests of ours; `tests/wire` sends them, made smaller."""

import json
from typing import Any

import pytest

import published_curls as published
from backend.dialects import openai_actions, openai_images
from backend.dialects.openai_videos import addresses_in, to_draft
from backend.dialects.video_fields import address_of, read_fields
from curl_commands import Curl
from studio.errors import BadInput, NotAllowed
from studio.media import MediaReference
from studio.requests import PredictActions, RunPolicy, TransferVideo

PICTURE = MediaReference(
    id="u0123456789abcdef", type="image", mime="image/png", width=640, height=540, size_bytes=1, sha256="", url=""
)
CLIP = PICTURE.model_copy(update={"id": "u1123456789abcdef", "type": "video", "mime": "video/mp4", "width": 832})
CONTROL = CLIP.model_copy(update={"id": "u2123456789abcdef"})


def asked(command: Curl) -> Any:
    """The request that a command comes to, with its files and what its addresses name."""
    fields = (
        openai_actions.to_call(command.sent()).fields
        if command.path.startswith("/v1/actions")
        else read_fields(command.sent())
    )
    media = {name: CONTROL for name, _ in addresses_in(fields)}
    for name, file in command.files.items():
        media[name] = (CONTROL if name == "control_reference" else CLIP) if ".mp4" in file else PICTURE
    return to_draft(fields, media).request()


@pytest.mark.parametrize(
    ("command", "kind", "facts"),
    [
        (published.OMNI_T2V, "generate_video", ("720", 189, 24.0)),
        (published.OMNI_V2V, "generate_video", ("480", 61, 10.0)),
        (published.OMNI_TRANSFER, "transfer_video", ("720", 121, 30.0)),
        (published.RECIPE_T2V, "generate_video", ("720", 189, 24.0)),
        (published.RECIPE_I2V, "generate_video", ("720", 189, 24.0)),
        (published.RECIPE_V2V, "generate_video", ("720", 189, 24.0)),
        (published.RECIPE_V2V_BY_ADDRESS, "generate_video", ("720", 189, 24.0)),
        (published.RECIPE_SOUND, "generate_video", ("720", 189, 24.0)),
        (published.RECIPE_TRANSFER, "transfer_video", ("720", 121, None)),
        (published.RECIPE_TRANSFER_UPLOADED, "transfer_video", ("720", 121, 10.0)),
        (published.RECIPE_FD, "predict_video", ("480", 60, 10.0)),
        (published.RECIPE_POLICY, "run_policy", ("480", 16, 5.0)),
        (published.RECIPE_ID, "predict_actions", ("480", 16, 5.0)),
        (published.SGLANG_T2V, "generate_video", ("720", 189, 24.0)),
        (published.SGLANG_SOUND, "generate_video", ("720", 189, 24.0)),
        (published.SGLANG_I2V, "generate_video", ("720", 189, 24.0)),
        (published.SGLANG_I2V_SOUND, "generate_video", ("720", 189, 24.0)),
        (published.SGLANG_V2V_SOUND, "generate_video", ("720", 189, 24.0)),
        (published.SGLANG_README_T2V, "generate_video", ("720", 81, 24.0)),
        (published.SGLANG_README_V2V_SOUND, "generate_video", ("720", 61, 24.0)),
        (published.SGLANG_FD, "predict_video", ("480", 60, 10.0)),
        (published.SGLANG_ID, "predict_actions", (None, 60, 10.0)),
        (published.SGLANG_POLICY, "run_policy", ("480", 16, 15.0)),
        (published.SGLANG_EDGE, "transfer_video", ("720", 121, 30.0)),
        (published.SGLANG_SEG, "transfer_video", ("720", 121, 30.0)),
        (published.SGLANG_BLUR, "transfer_video", ("720", 121, 30.0)),
    ],
)
def test_what_each_command_comes_to(command: Curl, kind: str, facts: tuple[str | None, int, float | None]):
    request = asked(command)
    resolution, length, fps = facts

    assert request.kind == kind
    assert resolution in (None, request.resolution)
    frames_or_actions = getattr(request, "num_actions", None) or getattr(request, "num_frames", None)
    assert frames_or_actions == length
    assert fps in (None, request.fps)
    said = {**command.fields, **command.params}
    steps = int(said["num_inference_steps"]) if "num_inference_steps" in said else None
    assert steps in (None, request.sampling.num_inference_steps)
    assert said.get("generate_sound", "false") == str(getattr(request, "sound", False)).lower()


def test_an_uploaded_control_has_its_weight_beside_it():
    request = asked(published.RECIPE_TRANSFER_UPLOADED)

    assert isinstance(request, TransferVideo)
    (control,) = request.controls
    assert (control.hint, control.video, control.weight) == ("wsm", CONTROL.id, 1.0)
    assert request.source_video is None


def test_an_uploaded_control_and_one_at_an_address_are_one_too_many():
    command = published.RECIPE_TRANSFER_UPLOADED.small({"wsm": {"control_path": "map.mp4"}})

    with pytest.raises(BadInput) as refused:
        asked(command)
    assert refused.value.param == "control_reference"
    with pytest.raises(BadInput) as refused:
        asked(command.small({"wsm": None}, control_type=None))
    assert refused.value.param == "control_type"


@pytest.mark.parametrize("control", ["edge", "blur", "depth", "seg", "wsm"])
def test_every_control_is_said_in_both_ways(control: str):
    """The specs of NVIDIA's transfer cookbook: vLLM-Omni's object by the name of the control, SGLang's two fields."""
    preset = {"edge": {"preset_edge_threshold": "medium"}, "blur": {"preset_blur_strength": "medium"}}.get(control, {})
    by_name = published.OMNI_TRANSFER.small({"depth": None, control: {"control_path": "control.mp4", **preset}})
    by_lists = published.SGLANG_SEG.small({"control_hint": control, **preset})

    for command in (by_name, by_lists):
        assert [(each.hint, each.video) for each in asked(command).controls] == [(control, CONTROL.id)]


def test_sglangs_preset_is_that_of_its_control():
    computed = {"control_hint": "edge", "preset_edge_threshold": "low"}
    request = asked(Curl("/v1/videos", {"prompt": "x"}, computed, {"video_reference": published.CLIP}))

    assert [(each.hint, each.strength) for each in request.controls] == [("edge", "low")]
    with pytest.raises(BadInput) as refused:
        asked(published.SGLANG_SEG.small({"preset_edge_threshold": "low"}))
    assert refused.value.param == "preset_edge_threshold"


def test_a_size_that_is_no_canvas_is_the_shape_of_a_transfers_tier():
    request = asked(published.SGLANG_BLUR)

    assert (request.resolution, request.aspect_ratio) == ("720", "4:3")
    with pytest.raises(BadInput, match="960x720"):
        asked(published.SGLANG_T2V.small(size="960x720"))


def test_the_words_of_a_droid_picture_are_those_it_was_trained_with():
    told = published.SGLANG_POLICY_OF_JOINTS.small({"state": [0.0] * 8})

    request = asked(told)
    assert isinstance(request, RunPolicy)
    assert (request.embodiment, request.view, request.resolution) == ("droid_joint_position", "droid_view", "480")
    with pytest.raises(NotAllowed, match="action_cinematography_framing"):
        asked(told.small({"action_cinematography_framing": "From above."}))
    with pytest.raises(BadInput, match="state has none"):
        asked(published.SGLANG_POLICY_OF_JOINTS)


def test_what_a_form_says_in_its_extras_is_said():
    """`action_mode` stands in `extra_params`; without it SGLang's route is a policy's."""
    assert isinstance(asked(published.SGLANG_ID), PredictActions)
    assert openai_actions.to_call({"prompt": "x", "domain_name": "umi"}).fields.action_mode == "policy"


@pytest.mark.parametrize("name", ["extra_params", "extra_args", "extra_body", "extra_json"])
@pytest.mark.parametrize("as_text", [True, False])
def test_extras_have_four_names_and_two_forms(name: str, as_text: bool):
    said = {"seed": 3, "guardrails": False}
    fields = read_fields({"prompt": "x", name: json.dumps(said) if as_text else said})

    assert (fields.seed, fields.guardrails) == (3, False)


@pytest.mark.parametrize(
    "seen",
    [
        {"observation": {"image": "media:u1"}},
        {"observation": {"image": ["media:u1"]}},
        {"observation": {"images": {"front": "media:u1"}}},
        {"image_path": "media:u1"},
        {"input_reference": "media:u1", "observation": {"state": [0.0]}},
    ],
)
def test_sglang_has_many_names_for_what_is_seen(seen: dict[str, Any]):
    call = openai_actions.to_call({"input": {"task": "x", **seen}, "parameters": {"domain_name": "umi"}})

    assert call.fields.input_reference == "media:u1"


def test_several_cameras_are_not_one_picture():
    with pytest.raises(NotAllowed, match="2 images"):
        openai_actions.to_call({"input": {"task": "x", "images": {"left": "a", "right": "b"}}})


def test_a_picture_may_come_as_base64_in_an_object():
    assert address_of({"b64_json": "aGVsbG8="}, "input_reference") == "aGVsbG8="


def test_pictures_have_their_size_in_either_way():
    payload = openai_images.to_call(published.SGLANG_T2I.sent()).payload
    sides = openai_images.to_call({"prompt": "x", "width": 1280, "height": 720}).payload

    assert (payload["resolution"], payload["aspect_ratio"]) == ("720", "16:9")
    assert (sides["resolution"], sides["aspect_ratio"]) == ("720", "16:9")
    assert payload["sampling"] == {"num_inference_steps": 35, "guidance_scale": 6.0, "flow_shift": 10.0, "seed": 0}
    with pytest.raises(BadInput):
        openai_images.to_call({"prompt": "x", "width": 1280})

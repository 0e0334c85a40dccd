"""NVIDIA's own requests, sent to a running server in their own form, small enough for it, answered in their shape."""

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

import nvidia_requests as nvidia
import published_curls as published
from clip_facts import clip_facts
from curl_commands import Curl
from running import RunningServer
from sent_files import clip_bytes, picture_bytes
from studio.wire.arrays import pack_message, unpack_message

SMALL = {"size": "320x192", "num_frames": "5", "fps": "12"}
PICTURE = {"input_reference": ("first.png", picture_bytes(), "image/png")}
CLIP = {"input_reference": ("drive.mp4", clip_bytes(), "video/mp4")}


def sync(server: RunningServer, form: dict[str, Any], **options: Any) -> httpx.Response:
    answer = server.post("/v1/videos/sync", data=form, headers={"Accept": "video/mp4"}, **options)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "video/mp4"
    assert {"x-request-id", "x-model", "x-inference-time-s"} <= set(answer.headers)
    return answer


def completed(server: RunningServer, form: dict[str, Any], **options: Any) -> dict[str, Any]:
    """What the notebooks do: hand it in, ask until it is there."""
    answer = server.post("/v1/videos", data=form, **options)
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] in ("queued", "in_progress")
    server.wait_job(answer.json()["studio"]["job"])
    final = server.get(f"/v1/videos/{answer.json()['id']}").json()
    assert final["status"] == "completed", final
    return final


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("command", [published.OMNI_T2V, published.SGLANG_README_V2V_SOUND], ids=["omni", "sglang"])
def test_the_readmes_own_curl(server: RunningServer, tmp_path: Path, command: Curl):
    """All of them run in test_published_curls.py."""
    (tmp_path / "motion_clip.mp4").write_bytes(CLIP["input_reference"][1])
    answer = command.small(size="320x192", num_frames="5", num_inference_steps="2").run(server, tmp_path)

    assert answer.status == 200, answer.content
    if answer.content_type == "video/mp4":
        assert clip_facts(answer.content) == (5, 320, 192, False)
    else:
        server.wait_job(answer.json()["id"])
        content = server.get(f"/v1/videos/{answer.json()['id']}/content").content
        assert clip_facts(content) == (5, 320, 192, True)


def test_image_to_video(server: RunningServer):
    answer = sync(server, nvidia.smaller(nvidia.IMAGE_TO_VIDEO, **SMALL), files=PICTURE)

    assert clip_facts(answer.content) == (5, 320, 192, False)


def test_sound(server: RunningServer):
    answer = sync(server, nvidia.smaller(nvidia.WITH_SOUND, **SMALL))

    assert clip_facts(answer.content) == (5, 320, 192, True)


def test_a_transfer_by_the_id_of_its_control(server: RunningServer):
    control = server.post("/v1/media", files={"file": ("control.mp4", clip_bytes(width=160, height=96))}).json()["id"]
    form = nvidia.smaller(nvidia.transfer(control), **SMALL)
    form = nvidia.with_params(form, num_video_frames_per_chunk=5, max_frames=5)

    assert clip_facts(sync(server, form).content)[0] == 5


def test_forward_dynamics(server: RunningServer):
    form = nvidia.with_params(nvidia.smaller(nvidia.forward_dynamics(4)), image_size=256)
    final = completed(server, form, files=PICTURE)

    assert final["action"] is None
    assert clip_facts(server.get(f"/v1/videos/{final['id']}/content").content)[0] == 5


def test_inverse_dynamics(server: RunningServer):
    form = nvidia.smaller(nvidia.INVERSE_DYNAMICS, num_frames="5")
    final = completed(server, nvidia.with_params(form, action_chunk_size=4, image_size=256), files=CLIP)

    assert final["action"]["shape"] == [4, 9]
    assert (final["action"]["dtype"], final["action"]["domain_id"]) == ("float32", 1)
    assert len(final["action"]["data"]) == 4
    assert final["action"]["action_mode"] == "inverse_dynamics"
    assert server.get(f"/v1/videos/{final['id']}/content").status_code == 404


def test_policy(server: RunningServer):
    form = nvidia.with_params(nvidia.smaller(nvidia.POLICY, model="speck"), image_size=256)
    final = completed(server, form, files=PICTURE)

    assert final["action"]["shape"] == [16, 10]
    assert final["action"]["values"] == final["action"]["data"]
    assert clip_facts(server.get(f"/v1/videos/{final['id']}/content").content)[0] == 17


def test_a_policy_that_is_waited_for_has_its_actions(server: RunningServer):
    form = nvidia.with_params(nvidia.smaller(nvidia.POLICY, model="speck"), image_size=256, action_chunk_size=4)
    form["num_frames"] = "5"
    answer = server.post("/v1/videos/sync", data=form, files=PICTURE)
    as_clip = server.post("/v1/videos/sync", data=form, files=PICTURE, headers={"Accept": "video/mp4"})

    assert answer.json()["action"]["shape"] == [4, 10]
    assert answer.json()["b64_json"]
    assert clip_facts(as_clip.content)[0] == 5
    rows = httpx.get(as_clip.headers["x-action-url"]).json()["actions"]
    assert rows == answer.json()["action"]["data"]


def test_the_other_checkpoints_name_is_known_and_not_loaded(server: RunningServer):
    answer = server.post("/v1/videos", data=nvidia.POLICY, files=PICTURE)

    assert answer.status_code in (202, 404, 409), answer.text
    assert "cosmos3-nano-policy-droid" in answer.text


@pytest.mark.parametrize(
    "formats", [{}, {"response_format": "file"}, {"response_format": "file", "output_format": "webp"}]
)
def test_text_to_image(server: RunningServer, formats: dict[str, str]):
    asked = {**nvidia.TEXT_TO_IMAGE, "size": "320x192", "num_inference_steps": 2, **formats}
    answer = server.post("/v1/images/generations", json=asked)

    assert answer.status_code == 200, answer.text
    if formats:
        assert answer.headers["content-type"] == f"image/{formats.get('output_format', 'png')}"
    else:
        assert answer.json()["data"][0]["b64_json"]
        assert answer.json()["output_format"] == "png"


def test_several_pictures_as_files_come_as_a_zip(server: RunningServer):
    asked = {**nvidia.TEXT_TO_IMAGE, "size": "320x192", "num_inference_steps": 1, "n": 2, "output_format": "jpeg"}
    answer = server.post("/v1/images/generations", json={**asked, "response_format": "file", "output_compression": 60})

    assert answer.headers["content-type"] == "application/zip"
    assert answer.content.count(b"\xff\xd8\xff") == 2


def test_sglangs_actions(server: RunningServer):
    picture = server.post("/v1/media", files={"file": ("x.png", picture_bytes())}).json()["id"]
    asked = {
        "request_id": "step-1",
        "input": {"task": "Lift it.", "observation": {"image": f"media:{picture}", "state": [0.0] * 8}},
        "parameters": {
            "action_mode": "policy",
            "domain_name": "droid_joint_position",
            "action_horizon": 4,
            "num_inference_steps": 2,
            "image_size": 256,
        },
    }
    answer = server.post("/v1/actions/generations", json=asked)

    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["id"], body["object"]) == ("step-1", "action.generation")
    action = body["data"][0]["action"]
    assert (action["shape"], action["raw_action_dim"], action["type"]) == ([4, 8], 8, "continuous")
    assert body["usage"]["action_horizon"] == 4
    assert [result["type"] for result in server.job(body["job"])["results"]] == ["actions", "actions"]
    raw = server.post("/v1/actions/generations", json={**asked, "runtime": {"response_format": "raw"}}).json()
    assert (raw["action_mode"], raw["domain_id"], raw["raw_action_dim"]) == ("policy", 8, 8)
    assert raw["parameters"] == {"num_inference_steps": 2, "num_frames": 5}
    assert [len(row) for row in raw["actions"]] == [8] * 4


def test_sglangs_actions_in_msgpack(server: RunningServer):
    """As its clients pack them: a picture is an array, and so are the actions that come back."""
    observation = {"image": np.full((60, 80, 3), 90, np.uint8), "state": np.zeros(8, np.float32)}
    parameters = {"domain_name": "droid_joint_position", "action_horizon": 4, "num_inference_steps": 2}
    asked = {"input": {"task": "Lift it.", "observation": observation}, "parameters": {**parameters, "image_size": 256}}
    packed = {"Content-Type": "application/msgpack"}

    answer = server.post("/v1/actions/generations", content=pack_message(asked), headers=packed)

    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/msgpack"), answer.text
    values = unpack_message(answer.content)["data"][0]["action"]["values"]
    assert (values.shape, values.dtype) == ((4, 8), np.float32)
    job = server.job(unpack_message(answer.content)["job"])
    plain = json.loads(json.dumps(asked, default=lambda array: array.tolist()))
    plain["input"]["observation"]["image"] = f"media:{job['request']['start_image']}"
    plain["parameters"]["seed"] = job["request"]["sampling"]["seed"]
    again = server.post("/v1/actions/generations", json=plain, headers={"Accept": "application/msgpack"})
    assert np.array_equal(unpack_message(again.content)["data"][0]["action"]["values"], values)
    refused = server.post("/v1/actions/generations", content=b"\xc1", headers=packed)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "bad_input")


def test_actions_metadata_names_the_domains(server: RunningServer):
    metadata = server.get("/v1/actions/metadata").json()

    assert (metadata["model"], metadata["policy_family"]) == ("speck", "cosmos3")
    assert metadata["capabilities"]["action_modes"] == ["policy", "inverse_dynamics"]
    assert metadata["defaults"] | {"fps": 0} == {
        "action_mode": "policy",
        "action_horizon": 16,
        "num_inference_steps": 4,
        "height": None,
        "width": None,
        "fps": 0,
    }
    assert [832, 480] in metadata["input"]["supported_resolutions"]
    named = {entry["domain_name"]: entry for entry in metadata["domains"]}
    assert named["droid_joint_position"] == {
        "domain_name": "droid_joint_position",
        "domain_id": 8,
        "raw_action_dim": 8,
        "state_dim": 8,
    }


def test_a_file_path_is_followed_only_into_an_allowed_folder(server: RunningServer):
    for said in ("/etc/passwd", "../../etc/passwd", "file:///etc/passwd", "assets/control.mp4"):
        answer = server.post("/v1/videos", data=nvidia.transfer(said))
        assert answer.status_code == 422, answer.text
        assert answer.json()["error"]["param"] == "depth.control_path"
        assert "--allowed-media-folders" in answer.json()["error"]["hint"]


def test_bodies_as_json_and_inputs_as_data(server: RunningServer):
    uri = f"data:image/png;base64,{base64.b64encode(picture_bytes()).decode()}"
    asked = {
        "prompt": "x",
        "num_frames": 5,
        "num_inference_steps": 1,
        "extra_params": {"seed": 3},
        "image_reference": {"image_url": uri},
    }
    answer = server.post("/v1/videos", json=asked)

    assert answer.status_code == 200, answer.text
    request = server.job(answer.json()["id"])["request"]
    assert request["start_image"].startswith("u")
    assert request["sampling"]["seed"] == 3
    assert json.loads(answer.text)["size"] == "192x320"

"""Everything with actions over HTTP: what will be seen, what was done, what to do."""

import io
import json
from collections.abc import Callable
from typing import Any

import av
import numpy as np
import pytest
import safetensors.numpy
from websockets.sync.client import connect

from running import RunningServer

FAST = {"num_inference_steps": 2, "seed": 7}
DROID: dict[str, Any] = {
    "kind": "run_policy",
    "embodiment": "droid_joint_position",
    "state": [0.1, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 1.0],
    "num_actions": 8,
    "sampling": {"num_inference_steps": 2, "guidance_scale": 3, "seed": 7},
}


@pytest.fixture(scope="module")
def picture(make_picture: Callable[..., bytes], upload: Callable[[bytes], str]) -> str:
    return upload(make_picture(200, 120))


@pytest.fixture(scope="module")
def clip(make_clip: Callable[..., bytes], upload: Callable[[bytes], str]) -> str:
    return upload(make_clip(9, 128, 96, 15))


def made(server: RunningServer, **fields: Any) -> dict[str, Any]:
    job = server.wait_job(server.submit(**fields)["id"])
    assert job["state"] == "succeeded", job["error"]
    return job


def fetch(server: RunningServer, result: dict[str, Any]) -> bytes:
    answer = server.get(result["url"])
    assert answer.headers["content-type"] == result["mime"]
    return answer.content


def test_forward_dynamics_makes_a_frame_for_each_action(server: RunningServer, picture: str):
    rows = np.zeros((8, 10)).tolist()

    job = made(server, kind="predict_video", embodiment="umi", start_image=picture, actions=rows, fps=10, sampling=FAST)

    (result,) = job["results"]
    with av.open(io.BytesIO(fetch(server, result))) as clip:
        assert clip.streams.video[0].average_rate == 10
        assert sum(1 for _ in clip.decode(video=0)) == 9
        assert json.loads(clip.metadata["comment"])["actions"] == rows
    assert (result["type"], result["width"], result["height"]) == ("video", 192, 112)


def test_inverse_dynamics_gives_actions_and_no_clip(server: RunningServer, clip: str):
    job = made(
        server,
        kind="predict_actions",
        embodiment="libero",
        action_width=7,
        source_video=clip,
        num_actions=8,
        sampling=FAST,
        count=2,
        save_latents=True,
    )

    results = job["results"]
    kinds = [(result["type"], result["id"].removeprefix(job["id"])) for result in results]
    assert kinds[:2] == [("actions", "-0-actions"), ("actions", "-1-actions")]
    assert [result["mime"] for result in results[2:]] == ["application/x-npy", "application/octet-stream"] * 2
    first, second = (json.loads(fetch(server, result)) for result in results[:2])
    array = np.load(io.BytesIO(fetch(server, results[2])))
    assert (array.shape, array.dtype) == ((8, 7), np.float32)
    assert np.array_equal(np.array(first["actions"], np.float32), array)
    assert first["actions"] != second["actions"]
    assert (first["embodiment"], first["fps"]) == ("libero", 15.0)
    assert (results[0]["num_actions"], results[0]["action_width"], results[0]["seed"]) == (8, 7, 7)
    latents = safetensors.numpy.load(fetch(server, results[3]))
    assert np.array_equal(latents["action"][:, :7], array)
    assert server.get(f"/v1/media/{job['id']}-0").status_code == 404


def test_a_clip_that_is_too_short_for_its_actions_is_continued_with_its_last_frame(server: RunningServer, clip: str):
    job = made(server, kind="predict_actions", embodiment="pusht", source_video=clip, num_actions=16, sampling=FAST)

    assert json.loads(fetch(server, job["results"][0]))["columns"] == ["x", "y"]
    assert job["results"][0]["num_actions"] == 16


def test_a_policy_answers_the_frames_it_foresees_and_actions(server: RunningServer, picture: str):
    job = made(server, **DROID, start_image=picture)

    clip, actions, array = job["results"]
    assert (clip["type"], clip["num_frames"], clip["fps"]) == ("video", 9, 15.0)
    assert np.load(io.BytesIO(fetch(server, array))).shape == (8, 8)
    assert (actions["num_actions"], actions["action_width"]) == (8, 8)


def test_a_policy_without_frames_answers_actions_alone_and_the_same(server: RunningServer, picture: str):
    both, alone = (made(server, **DROID, start_image=picture, decode_video=decode) for decode in (True, False))

    assert [result["type"] for result in alone["results"]] == ["actions", "actions"]
    assert alone["results"][1]["sha256"] == both["results"][2]["sha256"]


def test_the_recipe_of_actions_can_be_asked_for_again(server: RunningServer, picture: str):
    job = made(server, **DROID, start_image=picture, decode_video=False, count=2)
    files = [{"file": ("a.json", fetch(server, result))} for result in job["results"][:2]]

    recipes = [server.post("/v1/recipes/read", files=file).json()["request"] for file in files]

    assert {**recipes[0], "checkpoint": None} == {**job["request"], "count": 1}
    again = made(server, **recipes[1])
    assert again["results"][1]["sha256"] == job["results"][3]["sha256"]


@pytest.mark.parametrize("kind", ["run_policy", "predict_actions", "predict_video"])
def test_it_is_previewed_stopped_and_kept_or_cancelled(server: RunningServer, picture: str, clip: str, kind: str):
    given: dict[str, Any] = {
        "run_policy": {"start_image": picture, "num_actions": 64},
        "predict_actions": {"source_video": clip, "num_actions": 200},
        "predict_video": {"start_image": picture, "actions": np.zeros((64, 10)).tolist()},
    }[kind]
    # So long that no stall of this process lasts until its end.
    long = {"kind": kind, "embodiment": "umi", **given, "sampling": {"num_inference_steps": 200}}
    server.post("/v1/queue/pause")

    with connect(server.url.replace("http", "ws") + "/v1/events") as socket:
        try:
            stopped, cancelled = (server.submit(**long)["id"] for _ in range(2))
            socket.send(json.dumps({"want": [f"preview/{stopped}"]}))
        finally:
            server.post("/v1/queue/resume")
        seen = next(message for message in iter(lambda: socket.recv(timeout=60), None) if isinstance(message, bytes))
    server.post(f"/v1/jobs/{stopped}/stop")
    kept = server.wait_job(stopped)
    server.wait_job(cancelled, lambda job: job["progress"]["step"] > 1)
    server.delete(f"/v1/jobs/{cancelled}")

    assert stopped.encode() in seen[:64]
    assert kept["state"] == "succeeded"
    assert 0 < kept["stopped_at_step"] < 200
    assert kept["results"]
    assert server.wait_job(cancelled)["state"] == "cancelled"

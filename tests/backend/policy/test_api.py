"""The policy beside jobs, people who hang up, workers that die and frames that are none, on real servers."""

import io
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import load
from websockets.exceptions import ConnectionClosed

from policy_wire import policy_client
from robot_episodes import recorded
from running import RunningServer, wait_for
from studio.wire.arrays import pack_message

IMAGE: dict[str, Any] = {
    "resolution": "480",
    "aspect_ratio": "16:9",
    "sampling": {"num_inference_steps": 60, "seed": 5},
}
CLIP: dict[str, Any] = {
    "kind": "generate_video",
    "num_frames": 17,
    "save_latents": True,
    "sampling": {"num_inference_steps": 30, "seed": 5},
}


def pixels(server: RunningServer, job: dict[str, Any]) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(server.get(f"/v1/media/{job['results'][0]['id']}").content)))


def latents(server: RunningServer, job: dict[str, Any]) -> np.ndarray:
    name = next(result["id"] for result in job["results"] if result["id"].endswith("-latents"))
    return load(server.get(f"/v1/media/{name}").content)["vision"]


@pytest.mark.parametrize(("fields", "made"), [(IMAGE, pixels), (CLIP, latents)], ids=["image", "clip"])
def test_a_running_job_rests_for_a_robot_and_comes_to_the_same_bits(server: RunningServer, fields: Any, made: Any):
    undisturbed = server.wait_job(server.submit(**fields)["id"])

    with policy_client(server) as robot:

        def caught() -> dict[str, Any] | None:
            """A job that the question met between two steps; one that was done by then shows nothing."""
            name = server.submit(**fields)["id"]
            server.wait_job(name, lambda job: job["progress"]["step"] > 2)
            robot.ask()
            met = server.wait_job(name, lambda job: job["waiting_for"] == "robot" or job["finished_at"])
            return met if not met["finished_at"] and met["progress"]["step"] < met["progress"]["steps"] else None

        job = resting = wait_for(caught, 120)
        for _ in range(3):
            robot.ask()
        # Nothing is in flight any more; an answer that the machine itself holds up is not the only one.
        wait_for(lambda: robot.ask()["server_timing"]["wait_ms"] < 200, 60)
        still = server.job(job["id"])
        queued = server.submit(sampling={"num_inference_steps": 1})
        assert server.wait_job(queued["id"], lambda job: job["waiting_for"] == "robot")["state"] == "queued"

    assert resting["state"] == still["state"] == "running"
    assert still["progress"]["step"] == resting["progress"]["step"] < resting["progress"]["steps"]
    ended = server.wait_job(job["id"])
    assert ended["state"] == "succeeded", ended["error"]
    assert ended["waiting_for"] is None
    assert (made(server, ended) == made(server, undisturbed)).all()
    assert server.wait_job(queued["id"])["state"] == "succeeded"


def test_a_resting_job_can_be_cancelled(server: RunningServer):
    with policy_client(server) as robot:
        job = server.submit(**IMAGE | {"sampling": {"num_inference_steps": 200, "seed": 5}})
        server.wait_job(job["id"], lambda job: job["progress"]["step"] > 0)
        robot.ask()

        assert server.delete(f"/v1/jobs/{job['id']}").json()["state"] == "cancelled"
        assert "action" in robot.ask()


def test_the_page_keeps_its_place_beside_the_websocket(server: RunningServer):
    answer = server.get("/", headers={"accept": "text/html"})

    assert answer.status_code == 200
    assert "<html" in answer.text


def test_a_second_robot_is_told_that_it_is_one_and_comes_in_when_the_first_has_gone(server: RunningServer):
    with policy_client(server) as second:
        with policy_client(server) as first:
            assert "action" in first.ask()
            refused = second.ask()
            assert (refused["type"], refused["code"]) == ("error", "busy")
            assert "Another session" in refused["message"]
            assert "action" in first.ask()
        wait_for(lambda: "action" in second.ask(), 60)


@pytest.mark.parametrize("frame", ["{}", b"\xc1" * 64, b"", pack_message([1]), pack_message({"prompt": "x"})])
def test_what_is_no_question_is_answered_with_the_reason_and_the_session_goes_on(
    server: RunningServer, frame: str | bytes
):
    with policy_client(server) as robot:
        said = robot.ask_raw(frame)

        assert (said["type"], said["code"]) == ("error", "bad_input")
        assert said["message"]
        assert robot.ask_raw(pack_message({"endpoint": "reset"})) == {"status": "reset successful"}


def test_a_frame_of_a_hundred_megabytes_ends_its_sender_and_nobody_else(server: RunningServer):
    with policy_client(server) as other, policy_client(server) as huge:
        with suppress(ConnectionClosed):
            huge.socket.send(b"\0" * 100_000_000)
        with pytest.raises(ConnectionClosed) as closed:
            huge.socket.recv(timeout=60)

        assert closed.value.rcvd is None or closed.value.rcvd.code == 1009
        assert "action" in other.ask()


def test_several_questions_at_once_are_answered_in_order(server: RunningServer):
    with policy_client(server) as robot:
        for seed in range(4):
            robot.send(seed=seed)

        assert [robot.receive()["seed"] for _ in range(4)] == [0, 1, 2, 3]


def test_whoever_hangs_up_in_the_middle_leaves_nothing_behind(server: RunningServer):
    with policy_client(server) as robot:
        robot.send(sampling_params={"num_inference_steps": 200})
    with policy_client(server) as robot:
        assert "action" in wait_for(lambda: (lambda said: said if "action" in said else None)(robot.ask()), 60)


def test_the_real_robot_program_runs_with_it_as_its_policy(server: RunningServer, tmp_path: Path):
    program = [
        *(sys.executable, "-P", "-m", "robot", "--arm", "replay", "--recordings", str(recorded(tmp_path, 8))),
        *("--policy", server.url.replace("http", "ws", 1), "--prompt", "stay", "--mode", "shadow", "--seconds", "7"),
    ]

    done = subprocess.run(program, capture_output=True, text=True, timeout=200)

    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert {"running"} <= {message.get("code") for message in said}
    assert said[-1]["num_played"] > 5
    assert said[-1]["inference_p50_s"] > 0

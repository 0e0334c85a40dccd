"""Prompts written anew: on request, and before a job runs; by an endpoint, and by the resident reasoner."""

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from running import RunningServer, running, wait_for
from scripted_endpoint import ANSWER, ScriptedEndpoint, scripted_endpoint
from sent_files import clip_bytes, picture_bytes

CLIP: dict[str, Any] = {
    "kind": "generate_video",
    "prompt": "the robot arm lifts the red cup",
    "resolution": "480",
    "aspect_ratio": "16:9",
    "num_frames": 189,
    "fps": 24,
    "sampling": {"num_inference_steps": 2, "seed": 1},
}
SMALL = {**CLIP, "resolution": "256", "num_frames": 73, "fps": 10}
"""As long, and made in a moment."""
KEY = "a-key-that-nobody-may-read"


def transfer_of(clip: str) -> dict[str, Any]:
    """A transfer that follows a clip's outlines and its depth, as long as it is."""
    return {
        "kind": "transfer_video",
        "prompt": CLIP["prompt"],
        "source_video": clip,
        "controls": [{"hint": "edge"}, {"hint": "depth", "video": clip}],
        "resolution": "256",
        "aspect_ratio": "9:16",
        "fps": 10,
    }


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ScriptedEndpoint]:
    with scripted_endpoint() as scripted:
        yield scripted


@pytest.fixture(scope="module")
def writing(
    endpoint: ScriptedEndpoint, server: RunningServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningServer]:
    """A server whose prompts an endpoint upsamples."""
    folder = tmp_path_factory.mktemp("writing") / "data"
    shutil.copytree(server.data / "checkpoints", folder / "checkpoints")
    with running(folder, ORRERY_UPSAMPLER_URL=endpoint.address, ORRERY_UPSAMPLER_KEY=KEY) as own:
        own.wait_ready()
        yield own
        assert KEY not in "\n".join(own.log)


@pytest.fixture(autouse=True)
def forgetting(endpoint: ScriptedEndpoint) -> None:
    endpoint.bodies.clear()
    endpoint.headers.clear()
    endpoint.answers = [json.dumps(ANSWER)]


def test_a_prompt_becomes_a_caption_and_says_where_its_words_went(writing: RunningServer, endpoint: ScriptedEndpoint):
    answer = writing.post("/v1/upsample", json=CLIP)

    assert answer.status_code == 200, answer.text
    said = answer.json()
    assert json.loads(said["prompt"]) == said["caption"]
    assert said["caption"]["resolution"] == {"H": 480, "W": 832}
    assert said["caption"]["duration"] == "7s"
    assert "scene_imagination" not in said["caption"]
    assert [word["text"] for word in said["diff"]["words"]][:3] == ["the", "robot", "arm"]
    assert said["diff"]["share_kept"] > 0.5
    assert (said["attempts"], said["repaired"]) == (1, [])
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"
    assert "<task_constraints>" in endpoint.bodies[0]["messages"][-1]["content"]


def test_what_it_starts_from_is_shown_to_the_endpoint(writing: RunningServer, endpoint: ScriptedEndpoint):
    name = writing.post("/v1/media", files={"file": ("x", picture_bytes())}).json()["id"]

    answer = writing.post("/v1/upsample", json={**CLIP, "start_image": name})

    assert answer.status_code == 200, answer.text
    part = endpoint.bodies[0]["messages"][-1]["content"][0]
    assert part["image_url"]["url"].startswith("data:image/png;base64,")


def test_a_transfer_is_written_for_the_clips_that_it_follows_and_as_long_as_they_are(
    writing: RunningServer, endpoint: ScriptedEndpoint
):
    clip = writing.post("/v1/media", files={"file": ("x", clip_bytes(73, fps=10))}).json()["id"]
    asked = transfer_of(clip)

    answer = writing.post("/v1/upsample", json=asked)

    assert answer.status_code == 200, answer.text
    assert answer.json()["caption"]["duration"] == "7s"
    *clips, words = endpoint.bodies[0]["messages"][-1]["content"]
    assert [part["video_url"]["url"].partition(",")[0] for part in clips] == ["data:video/mp4;base64"] * 2
    assert "clip 1, the source clip" in words["text"]
    assert "clip 2, how far away" in words["text"]
    assert writing.post("/v1/upsample", json={**asked, "controls": []}).json()["error"]["param"] == "controls"


def test_a_transfer_job_is_upsampled_for_its_clips_and_keeps_the_words_and_what_else_it_says(
    writing: RunningServer, endpoint: ScriptedEndpoint
):
    clip = writing.post("/v1/media", files={"file": ("x", clip_bytes(73, fps=10))}).json()["id"]
    asked = transfer_of(clip)

    job = writing.submit(**asked, upsample=True)
    try:
        written = writing.wait_job(job["id"], lambda job: job["request"]["written_from"] or job["finished_at"])
    finally:
        writing.delete(f"/v1/jobs/{job['id']}")

    request = written["request"]
    assert (request["kind"], request["written_from"], request["upsample"]) == ("transfer_video", CLIP["prompt"], True)
    assert json.loads(request["prompt"])["duration"] == "7s"
    assert (request["num_frames"], request["source_video"]) == (None, clip)
    assert [control["hint"] for control in request["controls"]] == ["edge", "depth"]
    assert "clip 2, how far away" in endpoint.bodies[0]["messages"][-1]["content"][-1]["text"]
    assert len(endpoint.bodies) == 1


def test_a_job_is_upsampled_before_it_runs_and_keeps_the_words(writing: RunningServer, endpoint: ScriptedEndpoint):
    heard = threading.Event()

    def slowly(_: dict[str, Any]) -> str:
        assert heard.wait(60)
        return json.dumps(ANSWER)

    endpoint.answers = [slowly]
    job = writing.submit(**SMALL, upsample=True)
    written: dict[str, Any] = {}
    try:
        writing.wait_job(job["id"], lambda job: job["progress"]["phase"] == "upsampling")
        stopped = writing.post(f"/v1/jobs/{job['id']}/stop")
        heard.set()
        written = writing.wait_job(job["id"], lambda job: job["progress"]["phase"] != "upsampling")
    finally:
        writing.delete(f"/v1/jobs/{job['id']}")

    assert stopped.json()["error"]["code"] == "conflict"
    request = written["request"]
    assert request["written_from"] == CLIP["prompt"]
    assert json.loads(request["prompt"])["duration"] == "7s"
    assert (request["use_resolution_template"], request["use_duration_template"]) == (False, False)
    # Asked again, it is as it was written: nobody is asked a second time.
    writing.wait_job(job["id"])
    again = writing.post(f"/v1/jobs/{job['id']}/retry").json()
    writing.wait_job(again["id"], lambda job: job["progress"]["phase"] in ("starting", "denoising", "ended"))
    writing.delete(f"/v1/jobs/{job['id']}")
    assert len(endpoint.bodies) == 1


def test_a_job_is_cancelled_while_its_prompt_is_written(writing: RunningServer, endpoint: ScriptedEndpoint):
    heard = threading.Event()

    def never(_: dict[str, Any]) -> str:
        heard.wait(60)
        return "{}"

    endpoint.answers = [never]
    job = writing.submit(**SMALL, upsample=True)
    writing.wait_job(job["id"], lambda job: job["progress"]["phase"] == "upsampling")

    cancelled = writing.delete(f"/v1/jobs/{job['id']}").json()

    heard.set()
    assert cancelled["state"] == "cancelled"
    following = writing.submit(sampling={"num_inference_steps": 2})
    assert writing.wait_job(following["id"])["state"] == "succeeded"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("no caption", "engine_failed"),
        ((401, b'{"error": {"message": "bad key"}}'), "server_unreachable"),
        ((500, b"oops"), "server_unreachable"),
        ((400, b'{"error": {"message": "no such field"}}'), "server_unreachable"),
    ],
)
def test_what_cannot_be_upsampled_fails_and_says_why(
    writing: RunningServer, endpoint: ScriptedEndpoint, reply: Any, code: str
):
    endpoint.answers = [reply]

    answer = writing.post("/v1/upsample", json=CLIP)
    job = writing.wait_job(writing.submit(**SMALL, upsample=True)["id"])

    assert answer.json()["error"]["code"] == code
    assert job["state"] == "failed"
    assert job["error"]["code"] == code
    assert job["request"]["prompt"] == CLIP["prompt"]
    assert KEY not in answer.text


@pytest.mark.parametrize(
    ("change", "code", "param"),
    [
        ({"kind": "run_policy"}, "not_allowed", "kind"),
        ({"kind": "reason"}, "unknown_kind", "kind"),
        ({"kind": ["generate_image"]}, "unknown_kind", "kind"),
        ({"kind": None}, "unknown_kind", "kind"),
        ({"prompt": " "}, "bad_input", "prompt"),
        ({"num_frames": 18}, "bad_input", "num_frames"),
        ({"steps": 4}, "bad_input", "steps"),
        ({"start_image": "u0123456789abcdef"}, "media_not_found", None),
        ({"checkpoint": "spek"}, "checkpoint_not_found", "checkpoint"),
    ],
)
def test_what_is_no_request_is_refused(writing: RunningServer, change: dict[str, Any], code: str, param: str | None):
    error = writing.post("/v1/upsample", json={**CLIP, **change}).json()["error"]

    assert error["code"] == code
    assert param is None or error["param"] == param


def test_a_caption_is_not_written_again(writing: RunningServer, endpoint: ScriptedEndpoint):
    caption = {name: ANSWER[name] for name in ANSWER if name != "scene_imagination"}

    job = writing.submit(upsample=True, prompt=json.dumps(caption), sampling={"num_inference_steps": 2})

    assert writing.wait_job(job["id"])["state"] == "succeeded"
    assert not endpoint.bodies


@pytest.mark.slow
def test_the_resident_reasoner_writes_a_caption_of_the_full_schema_and_the_job_goes_on_with_it(tmp_path: Path):
    with running(tmp_path / "data") as own:
        own.wait_ready()
        job = own.submit(prompt="a red cube", upsample=True, sampling={"num_inference_steps": 2, "seed": 1})
        done = wait_for(lambda: (lambda job: job if job["finished_at"] else None)(own.job(job["id"])), 240)

    assert json.loads(done["request"]["prompt"])["resolution"] == {"H": 256, "W": 256}
    assert done["request"]["written_from"] == "a red cube"
    # Random weights write characters of every script, each of which a prompt spells as six: it may come out too long.
    assert done["state"] == "succeeded" or done["error"]["code"] == "prompt_too_long"

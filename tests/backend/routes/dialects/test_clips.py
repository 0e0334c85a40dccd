"""A clip over HTTP, on a real server with a real worker: from words, from a picture, from another clip."""

import io
import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import safetensors.numpy
from PIL import Image

from running import RunningServer

SMALL: dict[str, Any] = {
    "kind": "generate_video",
    "resolution": "256",
    "aspect_ratio": "9:16",
    "num_frames": 9,
    "fps": 12,
    "sampling": {"num_inference_steps": 2, "seed": 7},
}


def submit(server: RunningServer, **fields: Any) -> dict[str, Any]:
    return server.wait_job(server.submit(**{**SMALL, **fields})["id"])


def save(server: RunningServer, result: dict[str, Any], folder: Path) -> Path:
    path = folder / result["id"]
    path.write_bytes(server.get(result["url"]).content)
    return path


def frames(path: Path) -> np.ndarray:
    with av.open(str(path)) as clip:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in clip.decode(video=0)])


def upload(server: RunningServer, content: bytes, name: str = "x") -> dict[str, Any]:
    answer = server.post("/v1/media", files={"file": (name, content)})
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_words_become_a_clip_with_sound(server: RunningServer, tmp_path: Path):
    job = submit(server, sound=True)

    assert job["state"] == "succeeded", job["error"]
    (result,) = job["results"]
    assert (result["type"], result["width"], result["height"], result["num_frames"]) == ("video", 192, 320, 9)
    with av.open(str(save(server, result, tmp_path))) as clip:
        picture, sound = clip.streams.video[0], clip.streams.audio[0]
        assert (picture.codec_context.name, picture.pix_fmt, picture.average_rate) == ("h264", "yuv420p", 12)
        assert (sound.codec_context.name, sound.rate, sound.channels) == ("aac", 48000, 2)
        assert float(sound.duration * sound.time_base) == pytest.approx(9 / 12, abs=0.001)
        recipe = json.loads(clip.metadata["comment"])
    assert recipe["kind"] == "generate_video"
    assert recipe["sampling"]["seed"] == 7


def test_a_clip_gives_its_recipe_back(server: RunningServer):
    job = submit(server, negative_prompt="blur ☃")
    content = server.get(job["results"][0]["url"]).content

    request = server.post("/v1/recipes/read", files={"file": ("x.mp4", content)}).json()["request"]

    assert {**request, "checkpoint": None} == {**job["request"], "count": 1}


def test_a_clip_starts_with_the_picture_it_was_given(server: RunningServer, tmp_path: Path):
    picture = io.BytesIO()
    Image.new("RGB", (400, 300), (200, 30, 60)).save(picture, "PNG")
    start = upload(server, picture.getvalue())

    with_picture = submit(server, start_image=start["id"])
    without = submit(server)

    first, free = (frames(save(server, job["results"][0], tmp_path)) for job in (with_picture, without))
    assert first.shape == free.shape == (9, 320, 192, 3)
    assert not np.array_equal(first[0], free[0])


def test_a_clip_continues_another_from_either_end(server: RunningServer):
    source = submit(server)["results"][0]["id"]

    first, last = (
        submit(server, source_video=source, condition_end=end, sampling={"num_inference_steps": 2, "seed": 8})
        for end in ("first", "last")
    )

    assert first["state"] == last["state"] == "succeeded", (first["error"], last["error"])
    assert first["results"][0]["sha256"] != last["results"][0]["sha256"]


def test_latents_are_kept_on_request(server: RunningServer, tmp_path: Path):
    job = submit(server, sound=True, save_latents=True, count=2)

    kinds = [result["type"] for result in job["results"]]
    latents = safetensors.numpy.load_file(save(server, job["results"][2], tmp_path))

    assert kinds == ["video", "video", "latents", "latents"]
    assert latents["vision"].shape[:2] == (48, 3)
    assert latents["sound"].dtype == np.float32


def test_one_seed_is_one_clip(server: RunningServer, tmp_path: Path):
    jobs = (submit(server, save_latents=True) for _ in range(2))

    once, again = (safetensors.numpy.load_file(save(server, job["results"][1], tmp_path)) for job in jobs)

    assert np.array_equal(once["vision"], again["vision"])


def test_a_stopped_clip_is_kept_and_a_cancelled_one_is_not(server: RunningServer):
    fields = {"num_frames": 33, "sampling": {"num_inference_steps": 200}}
    stopped = server.submit(**{**SMALL, **fields})
    server.wait_job(stopped["id"], lambda job: job["progress"]["step"] > 1)
    kept = server.post(f"/v1/jobs/{stopped['id']}/stop")
    kept = server.wait_job(stopped["id"])
    cancelled = server.submit(**{**SMALL, **fields})
    server.wait_job(cancelled["id"], lambda job: job["progress"]["step"] > 1)
    server.delete(f"/v1/jobs/{cancelled['id']}")

    assert kept["results"][0]["num_frames"] == 33
    assert kept["stopped_at_step"] < 200
    assert server.wait_job(cancelled["id"])["results"] == []


@pytest.mark.parametrize(
    ("change", "param", "said"),
    [
        ({"num_frames": 10}, "num_frames", "use 9 or 13"),
        ({"num_frames": 401}, "num_frames", "401"),
        ({"fps": 0}, "fps", "0"),
        ({"fps": 60}, "fps", "60"),
        ({"resolution": "768"}, "resolution", "It supports 256, 480, 720"),
        ({"resolution": "720", "num_frames": 301}, "num_frames", "5 to 297"),
        ({"start_image": "../../etc/passwd"}, "start_image", "etc"),
        ({"start_image": "u0123456789abcdef", "source_video": "u0123456789abcdef"}, None, "one of them"),
        ({"source_video": "u0123456789abcdef", "condition_frames": [7]}, None, "0 to 2"),
        ({"condition_frames": []}, "condition_frames", "[]"),
    ],
)
def test_what_a_clip_cannot_be_is_named(server: RunningServer, change: dict[str, Any], param: str | None, said: str):
    answer = server.post("/v1/jobs", json={"prompt": "x", **SMALL, **change})

    assert answer.status_code == 422, answer.text
    error = answer.json()["error"]
    assert error["param"] == param
    assert said in f"{error['message']} {error['hint']}"


def test_what_a_clip_starts_from_is_looked_at_before_it_is_queued(server: RunningServer):
    picture = io.BytesIO()
    Image.new("RGB", (64, 64)).save(picture, "PNG")
    image = upload(server, picture.getvalue())["id"]
    short = submit(server, num_frames=5, fps=30)["results"][0]["id"]
    before = len(server.get("/v1/jobs", params={"limit": 1000}).json()["jobs"])

    def refused(status: int, **fields: Any) -> dict[str, Any]:
        answer = server.post("/v1/jobs", json={"prompt": "x", **SMALL, **fields})
        assert answer.status_code == status, answer.text
        return answer.json()["error"]

    assert refused(404, start_image="u0123456789abcdef")["param"] == "start_image"
    assert refused(422, source_video=image)["param"] == "source_video"
    assert refused(422, start_image=short)["param"] == "start_image"
    assert "frames" in refused(422, source_video=short, fps=10)["message"]
    assert len(server.get("/v1/jobs", params={"limit": 1000}).json()["jobs"]) == before

"""A transfer over HTTP, on a real server with a real worker: controls given and computed, in chunks, stopped."""

import io
import json
from collections.abc import Callable
from typing import Any

import av
import pytest
import safetensors.numpy

from running import RunningServer

SMALL: dict[str, Any] = {
    "kind": "transfer_video",
    "resolution": "256",
    "aspect_ratio": "9:16",
    "fps": 12,
    "num_frames": None,
    "sampling": {"num_inference_steps": 2, "seed": 7},
}


@pytest.fixture(scope="module")
def source(make_clip: Callable[..., bytes], upload: Callable[[bytes], str]) -> str:
    return upload(make_clip(17))


def made(server: RunningServer, **fields: Any) -> dict[str, Any]:
    job = server.wait_job(server.submit(**{**SMALL, **fields})["id"])
    assert job["state"] == "succeeded", job["error"]
    return job


def probe(server: RunningServer, result: dict[str, Any]) -> tuple[int, int, int, str, dict[str, Any]]:
    """Frames, width, height, codec and recipe of a clip."""
    with av.open(io.BytesIO(server.get(result["url"]).content)) as clip:
        picture = clip.streams.video[0]
        assert picture.average_rate == 12
        size = (picture.width, picture.height, picture.codec_context.name)
        return sum(1 for _ in clip.decode(video=0)), *size, json.loads(clip.metadata["comment"])


def test_computed_controls_become_a_clip_as_long_as_their_source(server: RunningServer, source: str):
    controls = [{"hint": "edge", "strength": "low"}, {"hint": "blur", "weight": 0.5}]

    job = made(server, controls=controls, source_video=source, num_chunk_frames=17)

    (result,) = job["results"]
    num_frames, width, height, codec, recipe = probe(server, result)
    assert (num_frames, width, height, codec) == (17, 192, 320, "h264")
    assert (recipe["kind"], recipe["controls"][0]["strength"]) == ("transfer_video", "low")
    assert result["num_frames"] == 17


def test_given_controls_of_every_hint_are_followed(server: RunningServer, source: str):
    controls = [{"hint": hint, "video": source} for hint in ("edge", "blur", "depth", "seg", "wsm")]

    job = made(server, controls=controls, control_attention="joint", num_frames=5)

    assert job["results"][0]["num_frames"] == 5


def test_a_control_changes_what_is_made(server: RunningServer, source: str):
    given = made(server, controls=[{"hint": "depth", "video": source}], num_frames=5)
    computed = made(server, controls=[{"hint": "edge"}], source_video=source, num_frames=5)

    assert given["results"][0]["sha256"] != computed["results"][0]["sha256"]


def test_a_long_clip_is_made_in_chunks_whose_steps_all_count(server: RunningServer, source: str):
    fields = {"controls": [{"hint": "edge"}], "source_video": source, "num_source_frames": 5, "num_chunk_frames": 9}

    job = made(server, **fields, num_overlap_frames=1, save_latents=True)

    clip, latents = job["results"]
    tensors = safetensors.numpy.load(server.get(latents["url"]).content)
    assert clip["num_frames"] == 17
    assert (job["progress"]["step"], job["progress"]["steps"]) == (4, 4)  # two chunks of two steps
    assert sorted(tensors) == ["vision_0", "vision_1"]


def test_it_is_cancelled_while_its_controls_are_still_computed(
    server: RunningServer, make_clip: Callable[..., bytes], upload: Callable[[bytes], str]
):
    long = upload(make_clip(600, 64, 36, 30))
    job = server.submit(
        **{**SMALL, "resolution": "480", "aspect_ratio": "16:9", "fps": 30},
        source_video=long,
        controls=[{"hint": "blur", "strength": "high"}],
    )
    running = server.wait_job(job["id"], lambda job: job["state"] == "running")

    server.delete(f"/v1/jobs/{job['id']}")

    gone = server.wait_job(job["id"])
    assert running["progress"]["phase"] == "starting"
    assert (gone["state"], gone["stopped_at_step"]) == ("cancelled", 0)


def test_a_stopped_transfer_is_kept_and_a_cancelled_one_is_not(server: RunningServer, source: str):
    fields = {"controls": [{"hint": "edge"}], "source_video": source, "num_chunk_frames": 9}
    long = {**SMALL, **fields, "sampling": {"num_inference_steps": 100}}
    stopped, cancelled = (server.submit(**long)["id"] for _ in range(2))
    running = server.wait_job(stopped, lambda job: job["progress"]["step"] > 1)
    server.post(f"/v1/jobs/{stopped}/stop")
    kept = server.wait_job(stopped)
    server.wait_job(cancelled, lambda job: job["progress"]["step"] > 1)
    server.delete(f"/v1/jobs/{cancelled}")

    assert running["progress"]["steps"] == 200
    assert kept["results"][0]["num_frames"] in (9, 17)
    assert 0 < kept["stopped_at_step"] < 200
    gone = server.wait_job(cancelled)
    assert (gone["state"], gone["results"], gone["progress"]["steps"]) == ("cancelled", [], 200)

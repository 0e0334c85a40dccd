"""A job over HTTP, on a real server with a real worker."""

import io
import json
from collections.abc import Callable
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image

from running import RunningServer, wait_for
from studio.requests import parse_request

LONG: dict[str, Any] = {"resolution": "720", "aspect_ratio": "16:9", "sampling": {"num_inference_steps": 200}}


def picture(server: RunningServer, job: dict[str, Any], index: int = 0) -> Image.Image:
    return Image.open(io.BytesIO(server.get(job["results"][index]["url"]).content))


def test_a_prompt_becomes_a_picture(server: RunningServer):
    accepted = server.submit(sampling={"seed": 7})

    job = server.wait_job(accepted["id"])

    assert accepted["state"] == "queued"
    assert job["state"] == "succeeded"
    assert job["progress"] == {"phase": "ended", "step": 20, "steps": 20, "seconds_left": None}
    assert picture(server, job).size == (256, 256)


def test_what_was_not_said_comes_from_the_preset_and_a_seed_is_drawn(server: RunningServer):
    job = server.submit()

    assert job["request"]["sampling"]["num_inference_steps"] == 20
    assert isinstance(job["request"]["sampling"]["seed"], int)


def test_one_seed_is_one_picture_and_another_seed_is_another(server: RunningServer):
    jobs = [server.wait_job(server.submit(sampling={"seed": seed})["id"]) for seed in (5, 5, 6)]

    first, again, other = (np.asarray(picture(server, job)) for job in jobs)

    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_image_i_of_n_is_the_picture_of_seed_plus_i(server: RunningServer):
    batch = server.wait_job(server.submit(count=3, sampling={"seed": 40})["id"])
    alone = server.wait_job(server.submit(sampling={"seed": 42})["id"])

    assert [result["seed"] for result in batch["results"]] == [40, 41, 42]
    difference = np.asarray(picture(server, batch, 2)).astype(int) - np.asarray(picture(server, alone))
    assert np.abs(difference).max() <= 1


def test_a_picture_carries_the_request_that_made_it(server: RunningServer):
    job = server.wait_job(server.submit(count=2, prompt="ein roter Würfel ☃", sampling={"seed": 90})["id"])
    second = server.get(job["results"][1]["url"]).content

    answer = server.post("/v1/recipes/read", files={"file": ("x.png", second)})

    request = answer.json()["request"]
    assert request["prompt"] == "ein roter Würfel ☃"
    assert request["count"] == 1
    assert request["sampling"]["seed"] == 91
    assert request["checkpoint"] == "speck"
    again = server.wait_job(server.post("/v1/jobs", json=request).json()["id"])
    assert parse_request(again["request"]).sampling.seed == 91
    assert "Seed: 91" in Image.open(io.BytesIO(second)).info["parameters"]


def test_a_file_without_a_recipe_is_refused_in_words(server: RunningServer):
    plain = io.BytesIO()
    Image.new("RGB", (8, 8)).save(plain, "PNG")

    for content in (plain.getvalue(), b"no picture", b""):
        answer = server.post("/v1/recipes/read", files={"file": ("x.png", content)})
        assert answer.status_code == 422
        assert answer.json()["error"]["code"] == "bad_input"


def test_thumbnails_are_small_and_media_answer_ranges_and_etags(server: RunningServer):
    job = server.wait_job(server.submit(aspect_ratio="16:9", resolution="480")["id"])
    result = job["results"][0]

    thumbnail = server.get(result["thumbnail_url"])
    part = server.get(result["url"], headers={"range": "bytes=0-7"})
    whole = server.get(result["url"])
    unchanged = server.get(result["url"], headers={"if-none-match": whole.headers["etag"]})

    assert max(Image.open(io.BytesIO(thumbnail.content)).size) == 320
    assert thumbnail.headers["content-type"] == "image/webp"
    assert (part.status_code, part.content) == (206, b"\x89PNG\r\n\x1a\n")
    assert unchanged.status_code == 304
    assert len(whole.content) == result["size_bytes"]


@pytest.mark.parametrize("name", ["nothing", "../../orrery.db", "0123456789ab-0", "..%2F..%2Fserver.json"])
def test_unknown_media_are_not_found(server: RunningServer, name: str):
    assert server.get(f"/v1/media/{name}").status_code == 404


def test_events_of_a_job_end_with_its_end(server: RunningServer):
    job = server.submit(**LONG)

    with httpx.stream("GET", f"{server.url}/v1/jobs/{job['id']}/events", timeout=60) as stream:
        lines = (line.removeprefix("data: ") for line in stream.iter_lines() if line.startswith("data: "))
        coming = map(json.loads, lines)
        told = [next(coming)]
        while told[-1]["progress"]["step"] == 0:
            told.append(next(coming))
        # It ends when it is told to, and not while nobody has heard of a step yet.
        server.post(f"/v1/jobs/{job['id']}/stop")
        told += coming

    steps = [entry["progress"]["step"] for entry in told]
    assert told[-1]["state"] == "succeeded"
    assert steps == sorted(steps)
    assert any(0 < step < 200 for step in steps)


def test_a_running_job_is_cancelled_within_a_step(server: RunningServer):
    job = server.submit(**LONG)
    seen = server.wait_job(job["id"], lambda job: job["progress"]["step"] > 0)

    server.delete(f"/v1/jobs/{job['id']}")

    # The answer waits for the present step, but not for longer than five seconds.
    cancelled = server.wait_job(job["id"])
    assert cancelled["state"] == "cancelled"
    # Steps go on until it is heard, fewer than fifty whatever else the machine does; all would be two hundred.
    assert 0 < cancelled["stopped_at_step"] < seen["progress"]["step"] + 50
    assert server.wait_job(server.submit()["id"])["state"] == "succeeded"


def test_a_queued_job_is_cancelled_at_once_and_can_be_retried(server: RunningServer):
    first = server.submit(**LONG)
    second = server.submit(sampling={"seed": 3})

    assert server.delete(f"/v1/jobs/{second['id']}").json()["state"] == "cancelled"
    again = server.post(f"/v1/jobs/{second['id']}/retry").json()
    server.delete(f"/v1/jobs/{first['id']}")

    assert again["state"] == "queued"
    done = server.wait_job(second["id"])
    assert done["state"] == "succeeded"
    assert done["results"][0]["seed"] == 3


def test_stop_keeps_what_is_there(server: RunningServer):
    job = server.submit(**LONG)
    server.wait_job(job["id"], lambda job: job["progress"]["step"] > 2)

    server.post(f"/v1/jobs/{job['id']}/stop")

    stopped = server.wait_job(job["id"])
    assert stopped["state"] == "succeeded"
    assert 2 < stopped["stopped_at_step"] < 200
    assert picture(server, stopped).size == (1280, 720)


def test_what_has_ended_can_neither_be_cancelled_nor_stopped(server: RunningServer):
    job = server.wait_job(server.submit()["id"])

    for answer in (
        server.delete(f"/v1/jobs/{job['id']}"),
        server.post(f"/v1/jobs/{job['id']}/stop"),
        server.post(f"/v1/jobs/{job['id']}/retry"),
    ):
        assert answer.status_code == 409
        assert answer.json()["error"]["code"] == "conflict"


def test_the_list_is_newest_first(server: RunningServer):
    ids = [server.submit()["id"] for _ in range(3)]

    listed = [job["id"] for job in server.get("/v1/jobs", params={"limit": 3}).json()["jobs"]]

    assert listed == ids[::-1]
    server.wait_job(ids[-1])


def test_guidance_one_and_both_schedules_run(server: RunningServer):
    for sampling in ({"guidance_scale": 1}, {"schedule": "checkpoint"}, {"guidance_interval": [400, 1000]}):
        job = server.wait_job(server.submit(sampling={"num_inference_steps": 4, **sampling})["id"])
        assert job["state"] == "succeeded", job["error"]


def test_a_result_of_a_step_cache_says_how_many_steps_were_computed(server: RunningServer):
    counted = ("num_computed_steps", "num_kept_steps")
    sampling = {"num_inference_steps": 20, "seed": 7}
    exact = server.wait_job(server.submit(sampling=sampling)["id"])
    cached = server.wait_job(server.submit(count=2, sampling=sampling | {"step_cache": 0.3})["id"])

    for result in cached["results"]:
        assert result["num_computed_steps"] + result["num_kept_steps"] == 20
        assert result["num_kept_steps"] > 2
        item = server.get(f"/v1/library/{result['id']}").json()
        assert [item[name] for name in counted] == [result[name] for name in counted]
    assert exact["results"][0]["num_kept_steps"] is None
    assert cached["progress"]["step"] == 40
    assert not np.array_equal(np.asarray(picture(server, cached)), np.asarray(picture(server, exact)))


def test_a_job_that_is_cancelled_between_its_pictures_keeps_none(server: RunningServer):
    job = server.submit(resolution="720", count=10, sampling={"num_inference_steps": 1, "seed": 1})
    first = f"/v1/media/{job['id']}-0"
    wait_for(lambda: server.get(first).status_code == 200, 60)

    server.delete(f"/v1/jobs/{job['id']}")

    cancelled = server.wait_job(job["id"])
    assert (cancelled["state"], cancelled["results"]) == ("cancelled", [])
    assert server.get(first).status_code == 404
    assert not list(server.data.glob(f"media/*/{job['id']}*"))


def test_a_job_whose_picture_is_gone_is_not_queued_again(server: RunningServer, make_picture: Callable[..., bytes]):
    content = make_picture(40, 72)
    name = server.post("/v1/media", files={"file": ("x", content)}).json()["id"]
    first = server.submit(**LONG)
    job = server.submit(kind="generate_video", resolution="256", num_frames=5, fps=12, start_image=name)
    server.delete(f"/v1/jobs/{job['id']}")
    next(server.data.glob(f"media/*/{name}.png")).unlink()

    refused = server.post(f"/v1/jobs/{job['id']}/retry")
    server.delete(f"/v1/jobs/{first['id']}")

    assert refused.status_code == 404
    assert (refused.json()["error"]["code"], refused.json()["error"]["param"]) == ("media_not_found", "start_image")
    assert server.job(job["id"])["state"] == "cancelled"
    assert server.post("/v1/media", files={"file": ("x", content)}).json()["id"] == name
    assert server.post(f"/v1/jobs/{job['id']}/retry").json()["state"] == "queued"
    assert server.wait_job(job["id"])["state"] == "succeeded"

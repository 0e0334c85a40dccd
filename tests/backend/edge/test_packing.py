"""Long answers are packed for who takes them; what is packed already is not."""

import pytest

from running import RunningServer

PACKED = {"accept-encoding": "gzip"}


def test_a_page_and_the_list_of_checkpoints_are_packed(server: RunningServer):
    for path in ("/", "/v1/checkpoints"):
        packed, plain = (server.get(path, headers={"accept-encoding": asked}) for asked in ("gzip", "identity"))
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 3
        assert len(packed.content) == pytest.approx(len(plain.content), rel=0.01)  # free memory is told there


def test_images_and_short_answers_stay_as_they_are(server: RunningServer):
    job = server.wait_job(server.submit(resolution="256", sampling={"num_inference_steps": 1})["id"])
    for path in (job["results"][0]["url"], "/v1/models"):
        assert "content-encoding" not in server.get(path, headers=PACKED).headers

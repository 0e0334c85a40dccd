"""Bad input over HTTP: a typed error that says what came, what was expected and what to do."""

from typing import Any

import pytest

from running import RunningServer


def refused(server: RunningServer, body: Any, *, raw: bool = False) -> dict[str, Any]:
    sent = {"content": body, "headers": {"content-type": "application/json"}} if raw else {"json": body}
    answer = server.post("/v1/jobs", **sent)
    assert answer.status_code == 422, answer.text
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "type", "param", "hint"}
    assert "Traceback" not in answer.text
    return error


CUBE = {"kind": "generate_image", "prompt": "a red cube"}


@pytest.mark.parametrize(
    ("change", "param", "said"),
    [
        ({"prompt": ""}, "prompt", "empty"),
        ({"prompt": " \n\t"}, "prompt", "empty"),
        ({"prompt": "x" * 65_537}, "prompt", "65,537"),
        ({"prompt": "ü" * 40_000}, "prompt", "80,000"),
        ({"prompt": None}, "prompt", "None"),
        ({"prompt": ["a"]}, "prompt", "['a']"),
        ({"resolution": "512"}, "resolution", "'512'"),
        ({"aspect_ratio": "2:1"}, "aspect_ratio", "'2:1'"),
        ({"sampling": {"num_inference_steps": 0}}, "sampling.num_inference_steps", "0"),
        ({"sampling": {"num_inference_steps": 10_000}}, "sampling.num_inference_steps", "10000"),
        ({"sampling": {"num_inference_steps": 201}}, "sampling.num_inference_steps", "201"),
        ({"sampling": {"guidance_scale": "much"}}, "sampling.guidance_scale", "'much'"),
        ({"sampling": {"guidance_interval": [900, 100]}}, "sampling", "900"),
        ({"sampling": {"seed": -1}}, "sampling.seed", "-1"),
        ({"sampling": {"seed": 2**60}}, "sampling.seed", str(2**60)),
        ({"sampling": {"shift": 3}}, "sampling.shift", "Did you mean flow_shift"),
        ({"promt": "x"}, "promt", "Did you mean prompt"),
        ({"count": 11}, "count", "11"),
    ],
)
def test_a_field_out_of_bounds_is_named(server: RunningServer, change: dict[str, Any], param: str, said: str):
    error = refused(server, {**CUBE, **change})

    assert error["param"] == param
    assert said in f"{error['message']} {error['hint']}"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_guidance_that_is_no_number_is_refused(server: RunningServer, number: str):
    body = f'{{"kind": "generate_image", "prompt": "x", "sampling": {{"guidance_scale": {number}}}}}'

    error = refused(server, body, raw=True)

    assert error["param"] == "sampling.guidance_scale"
    assert "finite" in error["message"]


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '"x"', "[" * 10_000, '{"a":' * 5_000])
def test_a_body_that_is_no_object_is_refused(server: RunningServer, body: str):
    refused(server, body, raw=True)


@pytest.mark.parametrize("kind", [None, 3, "generate_vdeo", "", "x" * 100_000])
def test_an_unknown_kind_names_the_known_ones(server: RunningServer, kind: Any):
    error = refused(server, {"kind": kind, "prompt": "x"})

    assert error["code"] == "unknown_kind"
    assert "generate_image" in error["message"]
    assert len(error["message"]) < 300


def test_a_lone_surrogate_is_refused_and_a_nul_is_kept(server: RunningServer):
    error = refused(server, '{"kind": "generate_image", "prompt": "\\ud800"}', raw=True)
    job = server.wait_job(server.submit(prompt="a\0b")["id"])

    assert error["param"] == "prompt"
    assert job["state"] == "succeeded"
    assert job["request"]["prompt"] == "a\0b"


def test_more_tokens_than_the_reasoner_is_given_fail_the_job_in_words(server: RunningServer):
    job = server.wait_job(server.submit(prompt="ж" * 8_000)["id"])

    assert job["state"] == "failed"
    assert job["error"]["code"] == "prompt_too_long"
    assert "4,096" in job["error"]["message"] or "4096" in job["error"]["message"]


def test_an_unknown_checkpoint_names_the_nearest(server: RunningServer):
    answer = server.post("/v1/jobs", json={**CUBE, "checkpoint": "spek"})

    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "checkpoint_not_found"
    assert "speck" in answer.json()["error"]["hint"]


def test_a_checkpoint_that_is_not_here_says_how_to_get_it(server: RunningServer):
    answer = server.post("/v1/jobs", json={**CUBE, "checkpoint": "cosmos3-nano"})

    assert answer.status_code == 409
    assert "orrery checkpoints pull cosmos3-nano" in answer.json()["error"]["hint"]


def test_a_body_over_the_limit_is_refused_however_it_is_sent(server: RunningServer):
    big = b'{"kind": "' + b"x" * 3_000_000 + b'"}'

    def pieces():
        yield from (big[start : start + 100_000] for start in range(0, len(big), 100_000))

    for body in (big, pieces()):
        answer = server.post("/v1/jobs", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 413
        assert answer.json()["error"]["code"] == "too_large"


def test_unknown_jobs_routes_and_methods_answer_in_the_same_shape(server: RunningServer):
    for answer, status in (
        (server.get("/v1/jobs/nothing"), 404),
        (server.delete("/v1/jobs/nothing"), 404),
        (server.post("/v1/jobs/nothing/retry"), 404),
        (server.post("/v1/jobs/nothing/stop"), 404),
        (server.get("/v1/jobs/nothing/events"), 404),
        (server.get("/v1/nothing"), 404),
        (server.get("/v1/jobs?limit=0"), 422),
        (server.get("/v1/jobs?state=asleep"), 422),
        (server.delete("/v1/jobs"), 405),
        (server.get("/v1/choices/generate_vdeo"), 422),
    ):
        assert answer.status_code == status, answer.url
        assert set(answer.json()["error"]) == {"code", "message", "type", "param", "hint"}

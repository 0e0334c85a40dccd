"""Whatever is asked of a server, an error has our shape, and HEAD is answered as GET is."""

import httpx
import pytest

from running import NO_TLS, RunningServer


def ask(server: RunningServer, method: str, path: str, **options: object) -> httpx.Response:
    return httpx.request(method, server.url + path, timeout=30, verify=NO_TLS, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "/gradio_api/nothing", 404),
        ("GET", "/v1", 404),
        ("GET", "/v1/", 404),
        ("PROPFIND", "/v1/nothing", 404),
        ("POST", "/healthz", 405),
        ("DELETE", "/login", 405),
        ("PROPFIND", "/v1/jobs", 405),
        ("DELETE", "/v1/jobs", 405),
        ("PUT", "/v1/media/x", 405),
        ("POST", "/docs", 404),
        ("DELETE", "/", 405),
    ],
)
def test_every_error_has_one_shape(server: RunningServer, method: str, path: str, status: int):
    answer = ask(server, method, path)

    assert answer.status_code == status
    assert set(answer.json()) == {"error"}
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "type", "param", "hint"}
    assert error["code"] == {404: "not_found", 405: "method_not_allowed"}[status]


def test_what_the_page_says_to_its_own_script_is_left(server: RunningServer):
    assert set(ask(server, "POST", "/gradio_api/queue/join").json()) == {"detail"}


@pytest.mark.parametrize(
    ("method", "path", "allowed"), [("PUT", "/v1/jobs", "GET, POST"), ("POST", "/v1/jobs/x", "DELETE, GET, PATCH")]
)
def test_a_method_that_is_not_taken_is_told_which_are(server: RunningServer, method: str, path: str, allowed: str):
    answer = ask(server, method, path)

    assert answer.headers["allow"] == allowed
    assert allowed in answer.json()["error"]["hint"]


def test_head_answers_wherever_get_does(server: RunningServer):
    job = server.wait_job(server.submit(sampling={"num_inference_steps": 1})["id"])
    media = job["results"][0]["url"]

    for path in ("/v1/jobs", f"/v1/jobs/{job['id']}", media, f"{media}/thumbnail", "/healthz", "/login", "/metrics"):
        whole, head = ask(server, "GET", path), ask(server, "HEAD", path)
        assert (head.status_code, head.content) == (200, b""), path
        assert head.headers["content-type"] == whole.headers["content-type"]
        assert path == "/metrics" or head.headers["content-length"] == whole.headers["content-length"], path
    assert ask(server, "HEAD", "/").status_code == 200
    assert ask(server, "HEAD", "/v1/jobs/nothing").status_code == 404
    assert ask(server, "HEAD", "/v1/nothing").status_code == 404
    assert server.tracebacks() == []


def test_head_of_an_endless_stream_ends(server: RunningServer):
    job = server.submit(resolution="480", sampling={"num_inference_steps": 200})

    head = ask(server, "HEAD", f"/v1/jobs/{job['id']}/events")
    server.delete(f"/v1/jobs/{job['id']}")

    assert (head.status_code, head.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")

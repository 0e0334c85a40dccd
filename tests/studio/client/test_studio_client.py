"""The client against a small real server."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from studio.client import StudioClient
from studio.errors import (
    BadInput,
    Conflict,
    EngineLost,
    JobNotFound,
    MediaNotFound,
    ServerUnreachable,
    StudioError,
    Unauthorized,
    Unexpected,
)
from studio.jobs import Failure, JobState
from studio.requests import GenerateImage, Sampling

pytestmark = pytest.mark.anyio
REQUEST = GenerateImage(prompt="a cube", sampling=Sampling(seed=7))


async def test_submitting_sends_only_what_was_said(fake_server):
    async with StudioClient(fake_server.url) as client:
        job = await client.submit(REQUEST)
    assert fake_server.bodies == [{"kind": "generate_image", "prompt": "a cube", "sampling": {"seed": 7}}]
    assert job.request.sampling.seed == 7


async def test_events_tell_every_change_and_end_with_the_job(fake_server):
    async with StudioClient(fake_server.url) as client:
        job = await client.submit(REQUEST)
        seen = [(latest.state, latest.progress.step) async for latest in client.events(job.id)]
    assert seen == [("queued", 0), ("running", 1), ("running", 2), ("running", 3), ("succeeded", 3)]


@pytest.mark.parametrize("prompt", ["a\u2028b", "a\u0085b", "a\r\n\rb", "a\0b", "日本 🤖", "data: x\n\nevent: y"])
async def test_any_text_survives_the_event_stream(fake_server, prompt):
    async with StudioClient(fake_server.url) as client:
        job = await client.submit(GenerateImage(prompt=prompt))
        assert (await client.wait(job.id)).request.prompt == prompt


async def test_an_event_stream_that_breaks_off_is_opened_anew(fake_server):
    fake_server.break_off_once = True
    async with StudioClient(fake_server.url) as client:
        job = await client.submit(REQUEST)
        assert (await client.wait(job.id)).state is JobState.SUCCEEDED


async def test_media_comes_as_bytes_and_as_a_file(fake_server, tmp_path):
    async with StudioClient(fake_server.url) as client:
        job = await client.wait((await client.submit(REQUEST)).id)
        raw = await client.media(job.results[0])
        await client.save_media(job.results[0], tmp_path / "out.png")
    assert raw == fake_server.pictures[job.results[0].id]
    assert (tmp_path / "out.png").read_bytes() == raw
    assert [path.name for path in tmp_path.iterdir()] == ["out.png"]


async def test_media_that_is_not_what_was_stored_leaves_no_file(fake_server, tmp_path):
    async with StudioClient(fake_server.url) as client:
        job = await client.wait((await client.submit(REQUEST)).id)
        fake_server.pictures[job.results[0].id] = b"half of it"
        with pytest.raises(Unexpected, match="10 bytes"):
            await client.save_media(job.results[0], tmp_path / "out.png")
        del fake_server.pictures[job.results[0].id]
        with pytest.raises(MediaNotFound):
            await client.media(job.results[0])
    assert list(tmp_path.iterdir()) == []


async def test_jobs_are_listed_cancelled_stopped_and_retried(fake_server):
    async with StudioClient(fake_server.url) as client:
        first, second = await client.submit(REQUEST), await client.submit(REQUEST)
        assert [job.id for job in await client.jobs()] == [second.id, first.id]
        assert [job.id for job in await client.jobs(limit=1)] == [second.id]
        assert (await client.cancel(first.id)).state is JobState.CANCELLED
        assert [job.id for job in await client.jobs(state=JobState.CANCELLED)] == [first.id]
        assert (await client.retry(first.id)).state is JobState.QUEUED
        assert (await client.job(first.id)).id == first.id


async def test_the_catalogue_is_a_model(fake_server):
    async with StudioClient(fake_server.url) as client:
        found = await client.checkpoints()
    assert "speck" in [info.id for info in found.checkpoints]


async def test_a_refusal_is_raised_as_its_own_class(fake_server):
    async with StudioClient(fake_server.url) as client:
        with pytest.raises(JobNotFound, match="There is no job j9") as caught:
            await client.job("j9")
        assert caught.value.hint == "GET /v1/jobs lists them."
        job = await client.wait((await client.submit(REQUEST)).id)
        with pytest.raises(Conflict):
            await client.cancel(job.id)


@pytest.mark.parametrize("name", ["", "..", "../jobs", "a/b", "a?b", "\ud800", "x" * 200])
async def test_a_name_that_no_server_gave_is_never_sent(name):
    async with StudioClient("http://127.0.0.1:1") as client:
        with pytest.raises(JobNotFound):
            await client.job(name)


@pytest.mark.parametrize(
    ("answer", "expected", "says"),
    [
        (httpx.Response(503, json={"error": Failure.of(EngineLost("Gone.")).model_dump()}), EngineLost, "Gone"),
        (httpx.Response(418, json={"error": {"code": "new", "message": "m", "type": "T"}}), Unexpected, "m"),
        (httpx.Response(502, html="<h1>Bad Gateway</h1>"), Unexpected, "502 with '<h1>Bad Gateway</h1>'"),
        (httpx.Response(500), Unexpected, "500 with nothing"),
        (httpx.Response(302, headers={"location": "/login"}), Unexpected, "302"),
        (httpx.Response(200, json={"id": "j"}), Unexpected, "did not answer with a valid Job"),
        (httpx.Response(200, content=b"\xff\xfe"), Unexpected, "did not answer with a valid Job"),
        (httpx.ConnectError("refused"), ServerUnreachable, "No server answers at http://studio: refused"),
        (httpx.ReadTimeout(""), ServerUnreachable, "in time"),
        (httpx.RemoteProtocolError("cut"), ServerUnreachable, "cut"),
        (httpx.DecodingError("gzip"), Unexpected, "gzip"),
    ],
)
async def test_whatever_comes_back_is_a_studio_error(answer, expected, says):
    def respond(request: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    async with StudioClient("http://studio", transport=httpx.MockTransport(respond)) as client:
        with pytest.raises(StudioError, match=says) as caught:
            await client.job("j0")
        assert type(caught.value) is expected
        with pytest.raises(StudioError):
            await client.wait("j0")


async def test_an_event_stream_without_a_word_is_an_error():
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=b""))
    async with StudioClient("http://studio", transport=transport) as client:
        with pytest.raises(ServerUnreachable, match="unexpectedly"):
            await client.wait("j0")


@pytest.mark.parametrize("url", ["", "http://", "ftp://host", "http://[::1", "http://host:port", "://"])
async def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(BadInput, match="expected a URL"):
        StudioClient(url)


async def test_an_address_needs_no_scheme():
    assert StudioClient("localhost:7860").base_url == "http://localhost:7860"


async def test_credentials_are_a_bearer_or_the_callers_own(fake_server):
    async with StudioClient(fake_server.url, token="secret") as client:
        await client.submit(REQUEST)
    forwarded = {"Cookie": "orrery_token=x", "Authorization": "Bearer y", "Host": "evil", "Accept-Encoding": "br"}
    async with StudioClient(fake_server.url, forwarded=forwarded) as client:
        await client.submit(REQUEST)
    assert fake_server.headers[0]["authorization"] == "Bearer secret"
    assert fake_server.headers[1]["authorization"] == "Bearer y"
    assert fake_server.headers[1]["cookie"] == "orrery_token=x"
    assert fake_server.headers[1]["host"].startswith("127.0.0.1")


@pytest.mark.parametrize("token", ["clé", "a\nb", "\ud800"])
async def test_a_token_that_no_header_carries_is_refused(token):
    with pytest.raises(Unauthorized):
        StudioClient("http://studio", token=token)


async def test_a_proxy_in_the_environment_does_not_stand_before_loopback(fake_server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    async with StudioClient(fake_server.url) as client:
        assert await client.jobs() == ()


async def test_a_folder_that_is_not_there_is_named(fake_server, tmp_path):
    async with StudioClient(fake_server.url) as client:
        job = await client.wait((await client.submit(REQUEST)).id)
        with pytest.raises(StudioError, match="cannot be written"):
            await client.save_media(job.results[0], Path(tmp_path / "missing" / "out.png"))

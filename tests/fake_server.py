"""A small server of the public API for the tests of the language and of the command line, and what these share."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import os
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import uvicorn
from hypothesis import settings
from PIL import Image
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from studio.catalogue import JobList, list_checkpoints
from studio.errors import Conflict, JobNotFound, MediaNotFound, StudioError
from studio.jobs import Failure, Job, JobState, Progress
from studio.media import MediaReference
from studio.presets import load_presets
from studio.queue import Batch
from studio.requests import parse_request
from studio.rules import canvas

settings.register_profile("studio", max_examples=50, deadline=None)  # how busy the machine is proves nothing
settings.load_profile("studio")

STATUS = {"bad_input": 422, "job_not_found": 404, "conflict": 409, "unauthorized": 401}


def picture_of(seed: int) -> bytes:
    """A small PNG that differs with its seed."""
    file = io.BytesIO()
    Image.new("RGB", (16, 16), (seed % 256, 40, 90)).save(file, "PNG")
    return file.getvalue()


class FakeServer:
    """Jobs that run three steps when somebody watches; knobs are public attributes."""

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[dict[str, object]] = []
        self.headers: list[dict[str, str]] = []
        self.jobs: dict[str, Job] = {}
        self.pictures: dict[str, bytes] = {}
        self.endless = False
        self.failure: StudioError | None = None
        self.failing_words = ""
        """In whose prompt the failure happens; without any, in all."""
        self.break_off_once = False
        self.cancelled = threading.Event()
        self.watched = threading.Event()
        self.app = Starlette(
            routes=[
                Route("/v1/jobs", self.submit, methods=["POST"]),
                Route("/v1/jobs", self.newest),
                Route("/v1/batches/{id}", self.batch),
                Route("/v1/jobs/{id}", self.get),
                Route("/v1/jobs/{id}", self.cancel, methods=["DELETE"]),
                Route("/v1/jobs/{id}/retry", self.retry, methods=["POST"]),
                Route("/v1/jobs/{id}/events", self.events),
                Route("/v1/media/{id}", self.media),
                Route("/v1/checkpoints", self.checkpoints),
            ],
            exception_handlers={StudioError: _refuse},
        )

    async def submit(self, request: Request) -> Response:
        body = await request.json()
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        parsed = parse_request(body)
        job = Job(
            id=f"j{len(self.jobs)}",
            kind=parsed.kind,
            state=JobState.QUEUED,
            checkpoint="speck",
            request=parsed,
            progress=Progress(steps=3),
            created_at=datetime.now(UTC),
        )
        return self.answer(job, 202)

    async def newest(self, request: Request) -> Response:
        state = request.query_params.get("state")
        limit = int(request.query_params.get("limit", 50))
        begin = int(request.query_params.get("cursor", 0))
        found = [job for job in reversed(self.jobs.values()) if state in (None, job.state)]
        end = begin + limit
        listed = JobList(jobs=tuple(found[begin:end]), next_cursor=str(end) if end < len(found) else None)
        return JSONResponse(listed.model_dump(mode="json"))

    async def batch(self, request: Request) -> Response:
        name = request.path_params["id"]
        found = tuple(job for job in self.jobs.values() if job.batch is not None and job.batch.id == name)
        if not found:
            raise JobNotFound(f"There is no batch {name!r}.", hint="GET /v1/jobs lists them.")
        return JSONResponse(Batch(id=name, jobs=found).model_dump(mode="json"))

    async def get(self, request: Request) -> Response:
        return self.answer(self.find(request))

    async def cancel(self, request: Request) -> Response:
        job = self.find(request)
        if job.state.ended:
            raise Conflict(f"Job {job.id} is {job.state}; it cannot become cancelled.", hint="It has ended.")
        self.cancelled.set()
        return self.answer(job.model_copy(update={"state": JobState.CANCELLED}))

    async def retry(self, request: Request) -> Response:
        return self.answer(self.find(request).model_copy(update={"state": JobState.QUEUED}))

    async def events(self, request: Request) -> Response:
        return StreamingResponse(self.run(self.find(request)), media_type="text/event-stream")

    async def run(self, job: Job) -> AsyncIterator[bytes]:
        yield b": welcome\n\n" + _event(job)
        self.watched.set()
        for step in range(1, 4):
            progress = Progress(phase="denoising", step=step, steps=3, seconds_left=3.0 - step)
            job = job.model_copy(update={"state": JobState.RUNNING, "progress": progress})
            yield _event(job)
            if self.break_off_once:
                self.break_off_once = False
                return
        while self.endless:
            if self.jobs[job.id].state is JobState.CANCELLED:
                yield _event(self.jobs[job.id])
                return
            await asyncio.sleep(0.01)
        if self.failure is not None and self.failing_words in job.request.prompt:
            end = {"state": JobState.FAILED, "error": Failure.of(self.failure)}
        else:
            count, seed = job.request.count, job.request.sampling.seed
            end = {"state": JobState.SUCCEEDED, "results": tuple(self.paint(job, i, seed + i) for i in range(count))}
        self.jobs[job.id] = job.model_copy(update=end)
        yield _event(self.jobs[job.id])

    def paint(self, job: Job, index: int, seed: int) -> MediaReference:
        width, height = canvas(job.request.resolution, job.request.aspect_ratio)
        name = f"{job.id}-{index}"
        raw = self.pictures[name] = picture_of(seed)
        return MediaReference(
            id=name,
            type="image",
            mime="image/png",
            width=width,
            height=height,
            size_bytes=len(raw),
            sha256=hashlib.sha256(raw).hexdigest(),
            seed=seed,
            url=f"/v1/media/{name}",
            thumbnail_url=f"/v1/media/{name}/thumbnail",
        )

    async def media(self, request: Request) -> Response:
        raw = self.pictures.get(request.path_params["id"])
        if raw is None:
            raise MediaNotFound("There is no such media.")
        return Response(raw, media_type="image/png")

    async def checkpoints(self, request: Request) -> Response:
        return JSONResponse(list_checkpoints(load_presets(), Path("/nowhere")).model_dump(mode="json"))

    def find(self, request: Request) -> Job:
        name = request.path_params["id"]
        if name not in self.jobs:
            raise JobNotFound(f"There is no job {name}.", hint="GET /v1/jobs lists them.")
        return self.jobs[name]

    def answer(self, job: Job, status: int = 200) -> Response:
        self.jobs[job.id] = job
        return JSONResponse(job.model_dump(mode="json"), status)


def _event(job: Job) -> bytes:
    return f"event: job\ndata: {json.dumps(job.model_dump(mode='json'), ensure_ascii=False)}\n\n".encode()


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, StudioError)
    body = {"error": Failure.of(error).model_dump(mode="json")}
    return JSONResponse(body, STATUS.get(error.code, 404))


class Switchboard:
    """One listening server for all tests, which hands every request to the fake of the test that runs."""

    def __init__(self) -> None:
        self.url = ""
        self.fake = FakeServer()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.fake.app(scope, receive, send)


@pytest.fixture(scope="session")
def switchboard() -> Iterator[Switchboard]:
    """A Switchboard that listens on a free port of this machine."""
    board = Switchboard()
    listener = socket.create_server(("127.0.0.1", 0))
    board.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    config = uvicorn.Config(board, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield board
    server.should_exit = True
    thread.join(60)
    listener.close()


@pytest.fixture
def fake_server(switchboard: Switchboard) -> Iterator[FakeServer]:
    """A fresh FakeServer that answers at its `url`."""
    fake = switchboard.fake = FakeServer()
    fake.url = switchboard.url
    yield fake
    fake.endless = False


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that is bound and answers nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No ORRERY_ variable, no data folder and no checkpoint of whoever runs the tests."""
    for name in [name for name in os.environ if name.startswith("ORRERY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr("studio.checkpoints.SHIPPED", tmp_path / "shipped")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))

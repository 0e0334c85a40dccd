"""The whole API against its own description: whatever is sent, nothing breaks."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from backend.routes import ROUTERS
from backend.routes.examples import has_example, operations_of, show_examples
from running import RunningServer, running

WAITING = ("/v1/images/generations", "/v1/videos/sync", "/v1/actions/generations", "/v1/chat/completions")
"""Routes that answer when a job or an answer has ended; whoever gives up ends it."""

ENDLESS = ("/v1/jobs/{job_id}/events", "/login")
"""A stream, and a page that is no API."""

DISTURBING = (
    "/v1/queue/resume",
    "/v1/checkpoints/{name}/unload",
    "/v1/checkpoints/{name}/load",
    "/v1/checkpoints/{name}/sleep",
    "/v1/checkpoints/{name}/pull",
)
"""They change what the other calls meet: a queue that runs, a server that is not ready, the network."""

DOCUMENTED_FAULTS = {501}
WAIT_S = 2.0


def described() -> dict[str, Any]:
    app = FastAPI()
    for router in ROUTERS:
        app.include_router(router)
    show_examples(app)
    return app.openapi()


@pytest.mark.parametrize(("name", "operation"), list(operations_of(described())), ids=lambda value: str(value)[:60])
def test_every_route_shows_an_example(name: str, operation: dict[str, Any]):
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            assert parameter["example"] is not None, parameter["name"]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        assert has_example(content), f"{name} has a body without an example: add one to backend/routes/examples.py"
    assert operation.get("description") or operation.get("summary")


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One whose queue stands still: what is accepted is not run."""
    with running(tmp_path_factory.mktemp("fuzzed")) as server:
        server.wait_ready()
        assert server.post("/v1/queue/pause").status_code == 200
        yield server


def _has_query(raw: dict[str, Any]) -> bool:
    return any(parameter.get("in") == "query" for parameter in raw.get("parameters", ()))


def _caller(operation: Any, mode: GenerationMode, num_examples: int, *, repeatable: bool) -> Callable[[], None]:
    waits = operation.path.startswith(WAITING)

    @settings(
        max_examples=max(2, num_examples // 4) if waits else num_examples,
        deadline=None,
        database=None,
        derandomize=repeatable,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def call(case: Any) -> None:
        try:
            response = case.call(timeout=WAIT_S if waits else 60)
        except requests.exceptions.ReadTimeout:
            assert waits, f"{case.method} {case.formatted_path} does not answer"
            return
        fine = response.status_code < 500 or response.status_code in DOCUMENTED_FAULTS
        assert fine, f"{case.as_curl_command()} -> {response.status_code} {response.text[:300]}"

    return call


def fuzz(server: RunningServer, mode: GenerationMode, num_examples: int, *, repeatable: bool) -> list[str]:
    """Calls of every operation that it broke on."""
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    broken: list[str] = []
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path in (*ENDLESS, *DISTURBING):
            continue
        raw = operation.definition.raw
        if mode is GenerationMode.NEGATIVE and "requestBody" not in raw and not _has_query(raw):
            continue  # every text is a legal part of a path: there is no wrong call
        call = _caller(operation, mode, num_examples, repeatable=repeatable)
        try:
            call()
        except AssertionError as error:
            broken.append(str(error)[:2000])
        except (Unsatisfiable, schemathesis.errors.SchemathesisError):
            continue  # of an operation without anything to be wrong about there is no wrong call
    return broken


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_a_few_calls_of_every_route_break_nothing(own_server: RunningServer, mode: GenerationMode):
    assert fuzz(own_server, mode, 3, repeatable=True) == []
    assert server_log(own_server) == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_many_calls_of_every_route_break_nothing(own_server: RunningServer, mode: GenerationMode):
    assert fuzz(own_server, mode, 100, repeatable=False) == []
    assert server_log(own_server) == []


def server_log(server: RunningServer) -> list[str]:
    """Tracebacks that nobody was told of."""
    return [line for line in server.log if "Traceback" in line or '"level": "critical"' in line]

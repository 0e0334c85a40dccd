"""The whole API against its own description: whatever is sent, nothing breaks."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
import schemathesis
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter
from schemathesis import GenerationMode

from backend.errors import status_of
from backend.examples import has_example, operations_of, show_examples
from backend.routes import ROUTERS
from running import RunningServer, running
from studio.jobs import Failure

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


def examples_of(content: dict[str, Any]) -> list[Any]:
    """Those of one content type, wherever they stand."""
    if "example" in content:
        return [content["example"]]
    named = [example["value"] for example in content.get("examples", {}).values()]
    return named or list(content.get("schema", {}).get("examples", []))


def check(example: object, schema: dict[str, Any]) -> None:
    """Hold an example to its schema, whose references go to the document."""
    Draft202012Validator({**schema, "components": DESCRIBED["components"]}).validate(example)


def described() -> dict[str, Any]:
    app = FastAPI()
    for router in ROUTERS:
        app.include_router(router)
    show_examples(app)
    return app.openapi()


DESCRIBED = described()
OPERATIONS = list(operations_of(DESCRIBED))


@pytest.mark.parametrize(("name", "operation"), OPERATIONS, ids=lambda value: str(value)[:60])
def test_every_route_shows_an_example(name: str, operation: dict[str, Any]):
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            check(parameter["example"], parameter["schema"])
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        assert has_example(content), f"{name} has a body without an example: add one to backend/examples/document.py"
        if kind == "application/json":
            for example in examples_of(content):
                check(example, content["schema"])
    assert operation.get("description") or operation.get("summary")


@pytest.mark.parametrize(("name", "operation"), OPERATIONS, ids=lambda value: str(value)[:60])
def test_every_answer_shows_one_that_is_true_to_its_schema(name: str, operation: dict[str, Any]):
    for status, response in operation["responses"].items():
        content = response.get("content", {}).get("application/json")
        if content is None:
            continue
        examples = examples_of(content)
        assert examples, f"{name} answers {status} without an example: add one to backend/examples/answers.py"
        for example in examples:
            check(example, content["schema"])


@pytest.mark.parametrize(("name", "operation"), OPERATIONS, ids=lambda value: str(value)[:60])
def test_every_error_that_a_route_documents_is_shown_as_it_is_answered(name: str, operation: dict[str, Any]):
    for status, response in operation["responses"].items():
        if int(status) < 400 or "content" not in response:
            continue
        codes = response["description"].split(", ")
        content = response["content"]["application/json"]
        assert content["schema"] == {"$ref": "#/components/schemas/ErrorBody"}
        shown = {
            code: Failure.model_validate(example["value"]["error"]) for code, example in content["examples"].items()
        }

        assert list(shown) == codes
        for code, failure in shown.items():
            assert failure.code == code
            assert status_of(failure.error()) == int(status)


@pytest.mark.parametrize("router", ROUTERS, ids=lambda router: str(router.prefix))
def test_an_answer_that_is_shown_is_read_by_the_routes_own_model(router: APIRouter):
    for route in router.routes:
        if isinstance(route, APIRoute) and route.response_model is not None:
            for method in route.methods or ():
                shown = DESCRIBED["paths"][route.path_format][method.lower()]["responses"][
                    str(route.status_code or 200)
                ]
                content = shown["content"].get("application/json")
                if content is not None:
                    TypeAdapter(route.response_model).validate_python(examples_of(content)[0], strict=False)


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One whose queue stands still: what is accepted is not run."""
    with running(tmp_path_factory.mktemp("fuzzed")) as server:
        server.wait_ready()
        assert server.post("/v1/queue/pause").status_code == 200
        yield server


def _has_query(raw: dict[str, Any]) -> bool:
    return any(parameter.get("in") == "query" for parameter in raw.get("parameters", ()))


def _caller(operation: Any, mode: GenerationMode, num_examples: int) -> Callable[[], None]:
    waits = operation.path.startswith(WAITING)

    @settings(
        max_examples=max(2, num_examples // 4) if waits else num_examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def call(case: Any) -> None:
        try:
            response = case.call(timeout=WAIT_S if waits else 60)
        except (requests.exceptions.ReadTimeout, requests.exceptions.ConnectionError) as error:
            # In the middle of a stream, what takes too long is said to be a broken connection.
            if not isinstance(error, requests.exceptions.ReadTimeout) and "Read timed out" not in str(error):
                raise
            assert waits, f"{case.method} {case.formatted_path} does not answer"
            return
        fine = response.status_code < 500 or response.status_code in DOCUMENTED_FAULTS
        assert fine, f"{case.as_curl_command()} -> {response.status_code} {response.text[:300]}"

    return call


def fuzz(server: RunningServer, mode: GenerationMode, num_examples: int) -> list[str]:
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
        call = _caller(operation, mode, num_examples)
        try:
            call()
        except AssertionError as error:
            broken.append(str(error)[:2000])
        except (Unsatisfiable, schemathesis.errors.SchemathesisError):
            continue  # of an operation without anything to be wrong about there is no wrong call
    return broken


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_a_few_calls_of_every_route_break_nothing(own_server: RunningServer, mode: GenerationMode):
    assert fuzz(own_server, mode, 3) == []
    assert server_log(own_server) == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_many_calls_of_every_route_break_nothing(own_server: RunningServer, mode: GenerationMode):
    assert fuzz(own_server, mode, 100) == []
    assert server_log(own_server) == []


def server_log(server: RunningServer) -> list[str]:
    """Tracebacks that nobody was told of."""
    return [line for line in server.log if "Traceback" in line or '"level": "critical"' in line]

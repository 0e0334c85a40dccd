"""The whole API against its own description: whatever is sent, nothing breaks."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode

from backend.errors import ANY_ERROR, status_of
from backend.routes import ROUTERS
from running import NO_TLS, RunningServer, running, wait_for
from sent_files import clip_bytes, picture_bytes
from studio.errors import rebuild
from studio.evaluation import load_schema
from tuning_server import recipe, send_clips, start, tuning_server, wait_tuning

WAITING = ("/v1/images/generations", "/v1/videos/sync", "/v1/actions/generations", "/v1/chat/completions")
"""Routes that answer when a job or an answer has ended; whoever gives up ends it."""

ENDLESS = ("/v1/jobs/{job_id}/events", "/login")
"""A stream, and a page that is no API."""

DISTURBING = (
    "/v1/queue/resume",
    "/v1/checkpoints/{name}/unload",
    "/v1/checkpoints/{name}/load",
    "/v1/checkpoints/{name}/default",
    "/v1/checkpoints/{name}/sleep",
    "/v1/checkpoints/{name}/pull",
)
"""They change what the other calls meet: a queue that runs, a server that is not ready, the network."""

DOCUMENTED_FAULTS = {501}
WAIT_S = 2.0


def examples_of(content: dict[str, Any]) -> list[Any]:
    """Those of one content type or parameter, wherever they stand."""
    if "example" in content:
        return [content["example"]]
    named = [example["value"] for example in content.get("examples", {}).values()]
    return named or list(content.get("schema", {}).get("examples", []))


def check(example: object, schema: dict[str, Any]) -> None:
    """Hold an example to its schema, whose references go to the document."""
    Draft202012Validator({**schema, "components": DESCRIBED["components"]}).validate(example)


def described() -> dict[str, Any]:
    app = FastAPI(responses=ANY_ERROR)
    for router in ROUTERS:
        app.include_router(router)
    return app.openapi()


DESCRIBED = described()
OPERATIONS = [
    (f"{method.upper()} {path}", operation)
    for path, methods in DESCRIBED["paths"].items()
    for method, operation in methods.items()
]
ERROR = {"$ref": "#/components/schemas/ErrorBody"}


def json_examples(operation: dict[str, Any]) -> list[Any]:
    """What an operation shows as its body, of those that take JSON."""
    return examples_of(operation.get("requestBody", {}).get("content", {}).get("application/json", {}))


def test_every_route_shows_an_example():
    for name, operation in OPERATIONS:
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "path":
                assert examples_of(parameter), f"{name} has no example of {parameter['name']}"
                check(examples_of(parameter)[0], parameter["schema"])
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            assert json_examples(operation), f"{name} has a body without an example: Body(examples=[...])"
            for example in json_examples(operation):
                check(example, content["application/json"]["schema"])
        assert operation.get("description") or operation.get("summary")


def test_every_error_that_a_route_documents_has_its_status():
    for _, operation in OPERATIONS:
        assert [shown["schema"] for shown in operation["responses"]["default"]["content"].values()] == [ERROR]
        for status, response in operation["responses"].items():
            if status != "default" and int(status) >= 400 and "content" in response:
                assert response["content"]["application/json"]["schema"] == ERROR
                codes = response["description"].split(", ")
                assert {status_of(rebuild(code, "")) for code in codes} == {int(status)}


SHOWN_PICTURE, SHOWN_PAIR = "u0123456789abcdef", "u0123456789abcdef.u123456789abcdef0"
SHOWN_CLIP = "uc1c1c1c1c1c1c1c1"
RUNS_AT_ONCE = (*WAITING, "/v1/tasks/{name}", "/v1/upsample", "/v1/arena/judgements", "/v1/arena/votes")
LAST = "DELETE /v1/library"


class World:
    """A server that has what the examples name, each under the id that it has got."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server
        self.picture = self._upload(picture_bytes())
        self.clip = self._upload(clip_bytes())
        self.spare = self._upload(picture_bytes(64, 64))
        for flow_shift in (3, 5):
            sampling = {"num_inference_steps": 1, "seed": 1, "flow_shift": flow_shift}
            server.wait_job(server.submit(resolution="256", aspect_ratio="1:1", sampling=sampling)["id"])
        self.pair = server.get("/v1/arena/pairs/next", params={"voter": "grace"}).json()["pair"]
        sampling = {"num_inference_steps": 1}
        generate = {"kind": "generate_image", "prompt": "A cup.", "resolution": "256", "sampling": sampling}
        self.refinement = server.post("/v1/refinements", json={"generate": generate, "max_rewrites": 0}).json()["id"]
        wait_for(lambda: server.get(f"/v1/refinements/{self.refinement}").json()["nodes"][0]["media"], 120)
        item = {"id": "one", "question": "What is it?", "reference": "A cup."}
        short = {"name": "cups", "form": "text", "items": [item], "settings": {"max_tokens": 4}}
        self.run = self._answered(short)
        events = {"id": "demo_0", "media": [self.clip], "events": ["It moves.", "It stops."], "reference": [0.5, 1.0]}
        self.timed = self._answered(short | {"name": "moves", "form": "events", "items": [events]})
        drive = {"id": "drive-1", "media": [self.clip], "reference": {"weather": "Overcast"}}
        annotated = {"name": "drives", "form": "fields", "annotation": load_schema("av").model_dump(mode="json")}
        self.annotated = self._answered(short | annotated | {"items": [drive]})
        episode = {"id": "simulated-table/vague/1000000000", "question": "Get the red one.", "category": "vague"}
        server.post("/v1/benchmarks", json={"name": "simulated-table", "form": "policy", "items": [episode]})
        driven = {"benchmark": "simulated-table", "reasoner": "pi05"}
        self.policy_run = server.post("/v1/runs", json=driven).json()["id"]
        send_clips(server, "cups")
        self.tuning = start(server, recipe=recipe("lift", steps=100, save_every=100))["id"]
        wait_tuning(server, self.tuning)
        self.ids: dict[str, str] = {}

    def _answered(self, benchmark: dict[str, Any]) -> str:
        """A run that has ended."""
        added = self.server.post("/v1/benchmarks", json=benchmark).json()["id"]
        run = self.server.post("/v1/runs", json={"benchmark": added}).json()["id"]
        wait_for(lambda: self.server.get(f"/v1/runs/{run}").json()["state"] == "succeeded", 120)
        return run

    def _upload(self, content: bytes) -> str:
        return self.server.post("/v1/media", files={"file": ("x", content)}).json()["id"]

    def fill_queue(self) -> None:
        """Stop starting jobs, and hand in what the other examples name."""
        self.server.post("/v1/queue/pause")
        waiting = [self.server.submit()["id"] for _ in range(2)]
        question = {"questions": [{"text": "What?", "reference": "A cup."}], "reasoners": ["speck"]}
        asked = self.server.post("/v1/arena/questions", json=question).json()["questions"][0]
        videos = {"videos": [{"media": self.clip, "prompt": "A cup falls."}]}
        study = self.server.post("/v1/hue", json=videos).json()["id"]
        fact = {"prompt": "p1", "text": "Is it a cup?", "dimension": "visual_integrity", "author": "ada"}
        blind = self.server.post("/v1/blind-tests", json={"policies": ["base", "tuned"]}).json()["id"]
        episodes = [{"policy": name, "videos": [self.clip]} for name in ("base", "tuned")]
        pair = {"id": "cup right", "task": "Pick up the cup.", "episodes": episodes}
        self.server.post(f"/v1/blind-tests/{blind}/pairs", json=pair)
        verdict = {"pair": 1, "better": "tie", "progress": [0.5, 0.5], "rater": "ben"}
        judged = self.server.post(f"/v1/blind-tests/{blind}/verdicts", json=verdict).json()["id"]
        self.ids = {
            "b11d00c3d2e5": blind,
            "b11d00c3d2e6": judged,
            "5be81f00c3d2": study,
            "p1-7f00c3d2": self.server.post(f"/v1/hue/{study}/questions", json=fact).json()["id"],
            "5b3090214d6b": waiting[0],
            "0c1d2e3f4a5b": waiting[1],
            "3d0c5a81fe27": self.refinement,
            "c41f7be2a905": asked["id"],
            "7a1f00c3d2e4": self.run,
            "7a1f00c3d2e5": self.timed,
            "7a1f00c3d2e6": self.annotated,
            "7a1f00c3d2e7": self.policy_run,
            "4e7a00c3d2b1": self.tuning,
        }

    def known(self, example: Any, key: str = "") -> Any:
        """An example with the ids of this server."""
        if isinstance(example, dict):
            return {name: self.known(value, name) for name, value in example.items()}
        if isinstance(example, list):
            return [self.known(value, key) for value in example]
        if not isinstance(example, str):
            return example
        if example == SHOWN_PAIR:
            return self.pair["id"]
        if key == "left":
            return self.pair["left"]["id"]
        media = {"source_video": self.clip, "ids": self.spare}.get(key, self.picture)
        return self.ids.get(example, example).replace(SHOWN_PICTURE, media).replace(SHOWN_CLIP, self.clip)

    def send(self, name: str, operation: dict[str, Any]) -> Iterator[tuple[Any, httpx.Response]]:
        """Every example of an operation, and what is answered."""
        method, path = name.split()
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", str(self.known(examples_of(parameter)[0])))
        for example in json_examples(operation):
            yield (
                example,
                httpx.request(method, self.server.url + path, json=self.known(example), timeout=240, verify=NO_TLS),
            )


def test_every_example_of_a_body_is_taken(tmp_path: Path):
    with tuning_server(tmp_path, ORRERY_ROBOT="scripted") as server:
        server.wait_ready()
        world = World(server)
        bodies = {name: operation for name, operation in OPERATIONS if json_examples(operation)}
        at_once = [name for name in bodies if name.split()[1] in RUNS_AT_ONCE]
        answers = [(name, *sent) for name in at_once for sent in world.send(name, bodies[name])]
        world.fill_queue()
        # These ask behind the answer, a judge its ten known pairs: the other calls come before them.
        asking = ("/v1/runs/{run_id}/questions", "/verdicts")
        others = [name for name in bodies if name not in (*at_once, LAST)]
        later = sorted(others, key=lambda name: next((n for n, part in enumerate(asking, 1) if part in name), 0))
        answers += [(name, *sent) for name in (*later, LAST) for sent in world.send(name, bodies[name])]

    refused = [(name, example, answer.text) for name, example, answer in answers if not answer.is_success]
    assert refused == []


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
    assert fuzz(own_server, mode, 15) == []
    assert server_log(own_server) == []


def server_log(server: RunningServer) -> list[str]:
    """Tracebacks that nobody was told of."""
    return [line for line in server.log if "Traceback" in line or '"level": "critical"' in line]

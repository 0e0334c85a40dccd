"""Refinements over HTTP: against scripted reasoners that misbehave, over a kill, and with the resident one."""

import json
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.app import app
from critiques import critique, rewritten
from refining_endpoint import RefiningEndpoint, refining_endpoint
from running import RunningServer, running, wait_for
from sent_files import picture_bytes

QUICK = {"num_inference_steps": 2, "seed": 7}
PICTURE: dict[str, Any] = {
    "kind": "generate_image",
    "prompt": "a red cube on a table",
    "resolution": "256",
    "sampling": QUICK,
}
LIMIT_S = 90


@pytest.fixture(scope="module")
def endpoint() -> Iterator[RefiningEndpoint]:
    with refining_endpoint() as one:
        yield one


@pytest.fixture(scope="module")
def refining(endpoint: RefiningEndpoint, server: RunningServer, tmp_path_factory: Any) -> Iterator[RunningServer]:
    """A server whose roles an endpoint takes."""
    folder = tmp_path_factory.mktemp("refining") / "data"
    shutil.copytree(server.data / "checkpoints", folder / "checkpoints")
    with running(folder, **endpoint.settings()) as own:
        own.wait_ready()
        yield own
        assert not own.tracebacks()


@pytest.fixture(autouse=True)
def forgetting(request: pytest.FixtureRequest) -> None:
    if "endpoint" in request.fixturenames:
        request.getfixturevalue("endpoint").forget()


def begin(server: RunningServer, **fields: Any) -> dict[str, Any]:
    answer = server.post("/v1/refinements", json={"generate": PICTURE, **fields})
    assert answer.status_code == 202, answer.text
    return answer.json()


def wait(
    server: RunningServer,
    tree: dict[str, Any],
    until: Callable[[dict[str, Any]], bool] | None = None,
    limit_s: float = LIMIT_S,
) -> Any:
    holds = until or (lambda tree: tree["state"] != "running")
    look = lambda: server.get(f"/v1/refinements/{tree['id']}").json()  # noqa: E731
    return wait_for(lambda: (lambda tree: tree if holds(tree) else None)(look()), limit_s)


@pytest.mark.parametrize(
    ("payload", "code", "param"),
    [
        ({}, "bad_input", "generate"),
        ({"generate": {**PICTURE, "prompt": " "}}, "bad_input", "generate.prompt"),
        ({"generate": {"kind": "run_policy"}}, "bad_input", None),
        ({"generate": {"kind": "generate_video", "prompt": "x"}}, "bad_input", None),
        ({"generate": PICTURE, "num_candidates": 99}, "bad_input", "num_candidates"),
        ({"generate": {**PICTURE, "count": 2}}, "bad_input", None),
        ({"generate": PICTURE, "critic": "endpoint"}, "not_allowed", "critic"),
        ({"generate": PICTURE, "steps": 2}, "bad_input", "steps"),
    ],
)
def test_what_cannot_be_refined_is_refused(
    server: RunningServer, payload: dict[str, Any], code: str, param: str | None
):
    error = server.post("/v1/refinements", json=payload).json()["error"]

    assert error["code"] == code
    assert param is None or error["param"] == param


def test_who_is_not_there_is_not_found_and_no_endpoint_is_known(server: RunningServer):
    for method, path in (("get", ""), ("post", "/stop"), ("post", "/resume")):
        answer = getattr(server, method)(f"/v1/refinements/nothing{path}")
        assert answer.json()["error"]["code"] == "refinement_not_found"
    assert server.get("/v1/refinements/reasoners").json() == {"endpoints": {}}


@pytest.mark.slow
def test_two_candidates_are_judged_and_rewritten_and_every_result_is_in_the_library(
    refining: RunningServer, endpoint: RefiningEndpoint
):
    endpoint.answers["critic"] = [json.dumps(critique(score, "minor")) for score in (4.0, 5.0, 8.0, 7.0)]

    tree = wait(refining, begin(refining, num_candidates=2, max_rewrites=1))

    assert (tree["state"], tree["ended_by"], len(tree["nodes"])) == ("succeeded", "rounds", 4)
    best = tree["nodes"][tree["best"]["node"]]
    assert best["critique"]["overall_score"] == 8.0
    assert best["critique"]["issues"][0]["box_2d"] == [100, 200, 600, 700]
    assert (best["origin"], best["request"]["negative_prompt"]) == ("rewritten", "bent edges")
    assert best["changes"][0]["path"] == "comprehensive_t2i_caption"
    assert endpoint.asked.count("upsampler") == 1
    assert tree["spent_tokens"] == 110 * 7
    parent = tree["nodes"][best["parent"]]
    item = refining.get(f"/v1/library/{best['media']['id']}").json()
    assert [each["id"] for each in item["made_from"]] == [parent["media"]["id"]]
    assert item["prompt"] == PICTURE["prompt"]
    # What it says of a result makes the same result again.
    again = refining.wait_job(refining.post("/v1/jobs", json=best["request"]).json()["id"])
    first, second = (
        refining.get(f"/v1/media/{name}/thumbnail").content for name in (best["media"]["id"], again["results"][0]["id"])
    )
    assert first == second
    listed = refining.get("/v1/refinements").json()["refinements"][0]
    assert (listed["id"], listed["overall_score"], listed["words"]) == (tree["id"], 8.0, PICTURE["prompt"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "useless",
    [
        "It looks nice, I would give it a nine.",
        json.dumps(critique(5.0))[:60],
        json.dumps(critique(5.0, overall_score=11)),
        json.dumps({**critique(5.0), "issues": None}),
        (429, b'{"error": {"message": "slow down"}}'),
    ],
    ids=["prose", "half", "eleven", "no issues", "rate limit"],
)
def test_a_useless_answer_is_asked_for_again(refining: RunningServer, endpoint: RefiningEndpoint, useless: Any):
    endpoint.answers["critic"] = [useless, "```json\n" + json.dumps(critique(9.2)) + "\n```"]

    tree = wait(refining, begin(refining))

    assert (tree["state"], tree["ended_by"]) == ("succeeded", "good_enough")
    assert tree["nodes"][0]["critique"]["overall_score"] == 9.2
    assert endpoint.asked.count("critic") == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("useless", "code"),
    [
        ("It looks nice.", "engine_failed"),
        ((500, b"oops"), "server_unreachable"),
        ((401, b'{"error": {"message": "bad key"}}'), "server_unreachable"),
    ],
    ids=["prose", "broken", "key"],
)
def test_a_critic_that_stays_useless_fails_the_round_and_resuming_keeps_the_picture(
    refining: RunningServer, endpoint: RefiningEndpoint, useless: Any, code: str
):
    endpoint.answers["critic"] = [useless]
    tree = wait(refining, begin(refining, attempts=2))
    node = tree["nodes"][0]

    assert (tree["state"], tree["error"]["code"], node["error"]["code"]) == ("failed", code, code)
    assert node["media"] is not None

    endpoint.answers["critic"] = [json.dumps(critique(9.5))]
    assert refining.post(f"/v1/refinements/{tree['id']}/resume").status_code == 202
    tree = wait(refining, tree)

    assert tree["state"] == "succeeded"
    assert tree["nodes"][0]["media"] == node["media"]
    assert refining.post(f"/v1/refinements/{tree['id']}/resume").json()["error"]["code"] == "conflict"


@pytest.mark.slow
def test_a_loop_is_stopped_while_a_slow_critic_is_asked_and_goes_on_later(
    refining: RunningServer, endpoint: RefiningEndpoint
):
    heard = threading.Event()

    def never() -> str:
        heard.wait(60)
        return "{}"

    endpoint.answers["critic"] = [json.dumps(critique(5.0)), never]
    tree = begin(refining)
    wait(refining, tree, lambda tree: len(tree["nodes"]) == 2 and tree["nodes"][1]["media"] is not None)
    stopped = refining.post(f"/v1/refinements/{tree['id']}/stop").json()
    heard.set()

    assert (stopped["state"], stopped["best"]["node"]) == ("stopped", 0)
    assert refining.post(f"/v1/refinements/{tree['id']}/stop").json()["error"]["code"] == "conflict"

    endpoint.answers["critic"] = [json.dumps(critique(9.5))]
    refining.post(f"/v1/refinements/{tree['id']}/resume")
    tree = wait(refining, tree)
    assert (tree["state"], tree["best"]["node"]) == ("succeeded", 1)


@pytest.mark.slow
def test_a_branch_leads_on_from_any_result_with_a_persons_words(refining: RunningServer, endpoint: RefiningEndpoint):
    endpoint.answers["rewriter"] = [rewritten("A blue cube.")]
    tree = wait(refining, begin(refining, max_rewrites=1))
    path = f"/v1/refinements/{tree['id']}/branches"

    assert refining.post(path, json={"node": 9, "words": "x"}).json()["error"]["param"] == "node"
    assert refining.post(path, json={"node": 0, "words": " "}).json()["error"]["param"] == "words"
    begun = refining.post(path, json={"node": 0, "words": "make it blue"})
    tree = wait(refining, tree)

    assert begun.status_code == 202
    assert [(node["origin"], node["parent"]) for node in tree["nodes"]] == [
        ("upsampled", None),
        ("rewritten", 0),
        ("branched", 0),
    ]
    assert tree["nodes"][2]["words"] == "make it blue"
    assert tree["nodes"][2]["critique"] is not None
    assert tree["state"] == "succeeded"


@pytest.mark.slow
def test_a_clip_is_refined_from_its_first_picture_with_a_negative_prompt_of_its_own(
    refining: RunningServer, endpoint: RefiningEndpoint
):
    start = refining.post("/v1/media", files={"file": ("x", picture_bytes())}).json()["id"]
    paragraph = {"temporal_caption": "A cube stands on a table. It slides to the left."}
    endpoint.answers["upsampler"] = [json.dumps({**paragraph, "negative_prompt": "Flicker and jumps."})]
    endpoint.answers["rewriter"] = [
        json.dumps({"positive_prompt": {"temporal_caption": "It slides slowly."}, "negative_prompt": "Jumps."})
    ]
    clip = {
        "kind": "generate_video",
        "prompt": "it slides",
        "start_image": start,
        "resolution": "256",
        "num_frames": 9,
        "fps": 10,
        "sampling": QUICK,
    }

    tree = wait(refining, begin(refining, generate=clip, max_rewrites=1))

    assert tree["state"] == "succeeded", tree["error"]
    first, second = (node["request"] for node in tree["nodes"])
    assert json.loads(first["prompt"]) == paragraph
    assert (first["negative_prompt"], second["negative_prompt"]) == ("Flicker and jumps.", "Jumps.")
    assert tree["nodes"][1]["media"]["type"] == "video"
    assert tree["nodes"][1]["changes"][0]["path"] == "temporal_caption"


@pytest.mark.slow
def test_a_kill_in_the_middle_costs_nothing_that_was_there(
    endpoint: RefiningEndpoint, server: RunningServer, tmp_path: Path
):
    shutil.copytree(server.data / "checkpoints", tmp_path / "data" / "checkpoints")
    own = RunningServer(tmp_path / "data", **endpoint.settings()).start()
    try:
        own.wait_ready()
        tree = begin(
            own, num_candidates=2, max_rewrites=1, generate={**PICTURE, "sampling": {**QUICK, "num_inference_steps": 8}}
        )
        for num_judged in (0, 1, 3):
            wait(own, tree, lambda tree, least=num_judged: sum(bool(n["critique"]) for n in tree["nodes"]) >= least)
            before = own.get(f"/v1/refinements/{tree['id']}").json()
            own.kill()
            own.start()
            own.wait_ready()
            made = {node["number"]: node["media"] for node in before["nodes"] if node["media"]}
            now = own.get(f"/v1/refinements/{tree['id']}").json()
            assert {number: now["nodes"][number]["media"] for number in made} == made
        tree = wait(own, tree)
        assert (tree["state"], len(tree["nodes"])) == ("succeeded", 4)
        jobs = own.get("/v1/jobs?limit=100").json()["jobs"]
        assert sorted(job["id"] for job in jobs) == sorted(node["job_id"] for node in tree["nodes"])
    finally:
        own.stop()


@pytest.mark.slow
def test_the_command_line_begins_one_follows_it_and_saves_the_best(
    refining: RunningServer, endpoint: RefiningEndpoint, tmp_path: Path
):
    endpoint.answers["critic"] = [json.dumps(critique(score, "minor")) for score in (4.0, 8.0)]
    said = ["refine", "a red cube", "--server", refining.url, "--steps", "2", "--rewrites", "1", "-o", str(tmp_path)]

    result = CliRunner().invoke(app, said)

    assert result.exit_code == 0, result.output
    picture, tree = (Path(line) for line in result.stdout.split())
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert json.loads(tree.read_text())["best"]["node"] == 1
    assert "1  round 2  8.0  1 minor  best" in result.stderr


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_resident_reasoner_takes_all_three_roles_and_its_noise_is_a_critique(server: RunningServer):
    tree = begin(server, max_rewrites=1, good_enough=10.0)

    tree = wait(server, tree, limit_s=1100)

    # Random weights write characters of every script, each of which a prompt spells as six: the prompt that is written
    # may stay too long for the generator, however often it is asked for at half the length.
    assert tree["state"] == "succeeded" or tree["error"]["code"] == "prompt_too_long"
    judged = [node["critique"] for node in tree["nodes"] if node["critique"]]
    assert all(0 <= each["overall_score"] <= 10 for each in judged)
    assert judged
    assert tree["spent_tokens"] > 0


def test_it_goes_on_when_the_worker_dies_while_it_is_asked_something(server: RunningServer):
    server.wait_ready()
    before = start = len(server.log)
    tree = begin(server, max_rewrites=0, num_candidates=2)

    for _ in range(2):
        worker = server.worker_pid()
        wait_for(lambda start=start: any("conversation_opened" in line for line in server.log[start:]), LIMIT_S)
        os.kill(worker, signal.SIGKILL)
        wait_for(lambda start=start: any("worker_lost" in line for line in server.log[start:]), LIMIT_S)
        start = next(number for number in range(start, len(server.log)) if "worker_lost" in server.log[number]) + 1

    done = wait(server, tree, limit_s=3 * LIMIT_S)
    assert done["state"] == "succeeded", done["error"]
    assert sum("conversation_opened" in line for line in server.log[before:]) > 2


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_all_go_on_when_the_worker_dies_twice_under_load(
    endpoint: RefiningEndpoint, server: RunningServer, tmp_path: Path
):
    shutil.copytree(server.data / "checkpoints", tmp_path / "data" / "checkpoints")
    with running(tmp_path / "data", **endpoint.settings()) as own:
        own.wait_ready()
        made = {**PICTURE, "sampling": {**QUICK, "num_inference_steps": 8}}
        trees = [begin(own, generate=made, critic="resident", num_candidates=2, max_rewrites=0) for _ in range(4)]
        plain = [own.submit(sampling=made["sampling"]) for _ in range(2)]

        for num_lost in (1, 2):
            wait_for(lambda: is_under_load(own), LIMIT_S)
            os.kill(own.worker_pid(), signal.SIGKILL)
            wait_for(lambda num=num_lost: len(jobs_lost(own)) == num, LIMIT_S)

        trees = [wait(own, tree, limit_s=600) for tree in trees]
        assert [tree["state"] for tree in trees] == ["succeeded"] * 4, [tree["error"] for tree in trees]
        assert all(node["critique"] for tree in trees for node in tree["nodes"])
        assert [own.wait_job(job["id"])["state"] for job in plain] == ["succeeded"] * 2


def is_under_load(server: RunningServer) -> bool:
    """Whether conversations are open beside a job that no worker has died of: a second time is its last."""
    said = [event["event"] for event in server.events()]
    running = [job["id"] for job in server.get("/v1/jobs?limit=100").json()["jobs"] if job["state"] == "running"]
    num_open = said.count("conversation_opened") - said.count("conversation_closed")
    return num_open > 0 and any(job not in jobs_lost(server) for job in running)


def jobs_lost(server: RunningServer) -> list[str | None]:
    """What each worker that died was at."""
    return [event["job_id"] for event in server.events() if event["event"] == "worker_lost"]

"""The arena over HTTP: votes that outlive a kill, and reasoners that vote, answer and grade."""

import json
import random
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from running import RunningServer, wait_for
from scripted_endpoint import ScriptedEndpoint, scripted_endpoint

NUM_KILLS = 6
KEY = "a-key-that-nobody-may-read"


@pytest.fixture(scope="module")
def judge(server: RunningServer) -> Iterator[ScriptedEndpoint]:
    """An endpoint that the session's server knows as a reasoner, for as long as this module runs."""
    file = server.data / "reasoners.toml"
    with scripted_endpoint() as scripted:
        file.write_text(f'[sage]\nurl = "{scripted.address}"\nkey = "{KEY}"\ntitle = "The sage"\n')
        yield scripted
        file.unlink()
    assert KEY not in "\n".join(server.log)


@pytest.fixture(scope="module")
def contest(server: RunningServer) -> str:
    """Two pictures that differ in their flow shift alone, which no other test of this server lets differ alone."""
    for flow_shift in (3.25, 4.75):
        job = server.submit(
            prompt="an axolotl in the arena",
            resolution="256",
            aspect_ratio="1:1",
            sampling={"num_inference_steps": 1, "seed": 3, "flow_shift": flow_shift},
        )
        server.wait_job(job["id"])
    return "sampling.flow_shift"


def test_a_pair_is_dealt_voted_on_ranked_exported_and_taken_back(server: RunningServer, contest: str):
    dealt = server.get("/v1/arena/pairs/next", params={"voter": "ada", "contest": contest}).json()
    pair = dealt["pair"]
    body = {"pair": pair["id"], "left": pair["left"]["id"], "voter": "ada", "choices": {"overall": "right"}}

    vote = server.post("/v1/arena/votes", json=body)

    assert vote.status_code == 201, vote.text
    assert {vote.json()["left"]["value"], vote.json()["right"]["value"]} == {"3.25", "4.75"}
    assert server.get(pair["left"]["url"]).status_code == 200
    assert server.get(f"/v1/arena/pairs/{pair['id']}", params={"voter": "ada"}).json()["left"] == pair["left"]
    ranked = server.get("/v1/arena/standings", params={"contest": contest}).json()
    assert ranked["num_votes"] == 1
    assert {row["why"] for row in ranked["tables"][0]["rows"]} == {"few_votes"}
    exported = server.get("/v1/arena/votes/export", params={"format": "json"}).json()["votes"]
    assert vote.json() in exported
    gone = server.delete(f"/v1/arena/votes/{vote.json()['id']}")
    assert gone.json()["revoked_at"] is not None
    assert server.get("/v1/arena/votes", params={"contest": contest}).json()["total"] == 0


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"choices": {"prompt": "left"}}, None),
        ({"choices": {"overall": "best"}}, "choices.overall"),
        ({"choices": {"overall": "left"}, "voter": " "}, "voter"),
        ({"choices": {"overall": "left"}, "pair": "../.."}, "pair"),
    ],
)
def test_a_vote_that_says_nothing_is_refused_by_field(server: RunningServer, body: dict[str, Any], param: str | None):
    answer = server.post("/v1/arena/votes", json={"pair": "aaa.bbb", "left": "aaa", "voter": "ada", **body})

    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "bad_input"
    assert answer.json()["error"]["param"] == param


def test_an_endpoint_votes_from_both_ends_and_its_key_stays_here(
    server: RunningServer, judge: ScriptedEndpoint, contest: str
):
    same = {"prompt": "first", "physics": "tie", "geometry": "bad", "overall": "first"}
    judge.bodies.clear()
    judge.answers = ["I like them.", json.dumps({"reason": "sharper", **same})]

    vote = server.post("/v1/arena/judgements", json={"judge": "sage", "contest": contest})

    assert vote.status_code == 201, vote.text
    said = vote.json()
    # It said "first" from both ends, which is no preference.
    assert said["choices"] == {"prompt": "tie", "physics": "tie", "geometry": "bad", "overall": "tie"}
    assert (said["by"], said["voter"], said["reason"]) == ("reasoner", "sage", "sharper")
    assert len(judge.bodies) == 3
    first, last = judge.bodies[0]["messages"][-1]["content"], judge.bodies[2]["messages"][-1]["content"]
    assert [part["type"] for part in first] == ["image_url", "image_url", "text"]
    assert (first[0], first[1]) == (last[1], last[0])
    again = server.post("/v1/arena/judgements", json={"judge": "sage", "contest": contest})
    assert again.json()["error"]["code"] == "pair_not_found"
    as_sage = {
        "pair": "an-image.an-other",
        "left": "side",
        "voter": "sage",
        "choices": {"overall": "tie"},
        "by": "reasoner",
    }
    refused = server.post("/v1/arena/votes", json=as_sage).json()["error"]
    assert (refused["code"], refused["param"]) == ("bad_input", "voter"), refused
    listed = server.get("/v1/arena/reasoners").json()["reasoners"]
    assert {"name": "sage", "title": "The sage", "endpoint": True, "ready": True} in listed
    assert KEY not in json.dumps(listed)


def test_a_judge_that_is_gone_or_talks_only_leaves_no_vote(
    server: RunningServer, judge: ScriptedEndpoint, contest: str
):
    pair = server.get("/v1/arena/pairs/next", params={"voter": "nobody", "contest": contest}).json()["pair"]["id"]
    before = server.get("/v1/arena/votes").json()["total"]
    judge.answers = [(500, b"{}")]
    gone = server.post("/v1/arena/judgements", json={"judge": "sage", "pair": pair})
    judge.answers = ["Both are nice."]
    talks = server.post("/v1/arena/judgements", json={"judge": "sage", "pair": pair})

    assert [answer.json()["error"]["code"] for answer in (gone, talks)] == ["server_unreachable", "engine_failed"]
    assert server.get("/v1/arena/votes").json()["total"] == before
    unknown = server.post("/v1/arena/judgements", json={"judge": "sagee"}).json()["error"]
    assert (unknown["code"], unknown["param"]) == ("bad_input", "judge")


def test_the_same_question_is_answered_by_several_and_graded(server: RunningServer, judge: ScriptedEndpoint):
    judge.answers = ["<think>hm</think>A red cube."]
    question = {"text": "What does the arm hold?", "reference": "A cube, red."}
    put = server.post(
        "/v1/arena/questions", json={"questions": [question], "reasoners": ["speck", "sage"], "max_tokens": 8}
    )
    assert put.status_code == 201, put.text
    name = put.json()["questions"][0]["id"]

    answered = server.post(f"/v1/arena/questions/{name}/answers").json()["answers"]
    asked = len(judge.bodies)
    server.post(f"/v1/arena/questions/{name}/answers")
    judge.answers = [json.dumps({"reason": "the same", "score": 5})]
    graded = server.post(f"/v1/arena/questions/{name}/grades", json={"judge": "sage"}).json()

    assert [answer["reasoner"] for answer in answered] == ["speck", "sage"]
    assert (answered[1]["text"], answered[1]["thought"]) == ("A red cube.", "hm")
    assert answered[0]["error"] is None
    assert len(judge.bodies) == asked + 2  # nobody is asked twice; both answers were graded
    assert [answer["grades"][0]["score"] for answer in graded["answers"]] == [5, 5]
    means = server.get("/v1/arena/questions").json()["grades"]
    assert {(mean["reasoner"], mean["mean"]) for mean in means} == {("speck", 5.0), ("sage", 5.0)}
    dealt = server.get("/v1/arena/pairs/next", params={"voter": "ada", "contest": "reasoner"}).json()["pair"]
    assert dealt["kind"] == "answer"
    assert "sage" not in json.dumps(dealt)
    assert server.delete(f"/v1/arena/questions/{name}").status_code == 200
    missing = server.post(f"/v1/arena/questions/{name}/answers").json()["error"]["code"]
    assert missing == "question_not_found"


def test_without_a_persons_answer_there_is_nothing_to_grade_against(server: RunningServer, judge: ScriptedEndpoint):
    put = server.post("/v1/arena/questions", json={"questions": [{"text": "Why?"}], "reasoners": ["sage"]})
    name = put.json()["questions"][0]["id"]

    refused = server.post(f"/v1/arena/questions/{name}/grades", json={"judge": "sage"})

    assert (refused.status_code, refused.json()["error"]["param"]) == (409, "reference")
    server.delete(f"/v1/arena/questions/{name}")


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_votes_that_were_answered_survive_every_kill(tmp_path: Path, server: RunningServer):
    data = tmp_path / "data"
    shutil.copytree(server.data / "checkpoints", data / "checkpoints")
    own = RunningServer(data).start()
    own.wait_ready()
    axes = {"sampling.seed": [1, 2, 3], "sampling.guidance_scale": [1, 2, 3, 4, 5]}
    request = {"kind": "generate_image", "prompt": "a storm", "sampling": {"num_inference_steps": 1}}
    batch = own.post("/v1/batches", json={"request": request, "axes": axes}).json()
    for job in batch["jobs"]:
        own.wait_job(job["id"])
    kept: dict[str, dict[str, Any]] = {}
    moments = random.Random(9)
    for number in range(NUM_KILLS):
        if number:
            own.start()
        stop, num_kept = threading.Event(), len(kept)
        voters = [
            threading.Thread(target=vote_on, args=(own, f"voter {number}.{each}", kept, stop)) for each in range(3)
        ]
        for voter in voters:
            voter.start()
        wait_for(lambda num_kept=num_kept: len(kept) > num_kept + 1, 60)
        stop.wait(0.3 + moments.random())
        own.kill()
        stop.set()
        for voter in voters:
            voter.join(60)
            assert not voter.is_alive()

    own.start()
    try:
        found = {vote["id"]: vote for vote in own.get("/v1/arena/votes/export?format=json").json()["votes"]}
        assert len(kept) > NUM_KILLS
        assert kept.items() <= found.items()
        assert len({(vote["pair"], vote["voter"]) for vote in found.values()}) == len(found)
    finally:
        own.stop()


def vote_on(server: RunningServer, name: str, kept: dict[str, dict[str, Any]], stop: threading.Event) -> None:
    """Vote on everything, and keep what was answered."""
    while not stop.is_set():
        try:
            dealt = httpx.get(server.url + "/v1/arena/pairs/next", params={"voter": name}, timeout=60).json()["pair"]
            if dealt is None:
                return
            body = {"pair": dealt["id"], "left": dealt["left"]["id"], "voter": name, "choices": {"overall": "left"}}
            answer = httpx.post(server.url + "/v1/arena/votes", json=body, timeout=60)
        except (httpx.HTTPError, OSError):
            continue  # it was killed: nothing was answered, so nothing is claimed
        assert answer.status_code == 201, answer.text
        kept[answer.json()["id"]] = answer.json()

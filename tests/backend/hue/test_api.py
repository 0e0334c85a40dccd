"""`/v1/hue` over HTTP: a study that outlives a kill, and what is refused."""

import itertools
import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from running import RunningServer, wait_for
from scripted_endpoint import scripted_endpoint


def make_video(server: RunningServer, prompt: str) -> str:
    asked = {"kind": "generate_video", "prompt": prompt, "resolution": "256", "aspect_ratio": "1:1", "num_frames": 5}
    job = server.post("/v1/jobs", json={**asked, "sound": False, "sampling": {"num_inference_steps": 1}})
    assert job.status_code == 202, job.text
    return server.wait_job(job.json()["id"])["results"][0]["id"]


def add_question(server: RunningServer, study: str, text: str) -> Any:
    body = {"prompt": "p1", "text": text, "dimension": "physical_laws", "author": "ada"}
    return server.post(f"/v1/hue/{study}/questions", json=body)


def test_a_study_is_rated_scored_and_deleted(server: RunningServer):
    video = make_video(server, "a cup falls for hue")
    created = server.post("/v1/hue", json={"title": "Cups", "videos": [{"media": video}]})
    assert created.status_code == 201, created.text
    study = created.json()["id"]
    assert server.get("/v1/hue").json()["studies"][0]["id"] == study
    question = add_question(server, study, "Does it fall?").json()["id"]
    for rater in ("ada", "ben"):
        card = server.get(f"/v1/hue/{study}/next", params={"rater": rater}).json()["card"]
        assert (card["video"]["id"], card["question"]["id"]) == (video, question)
        assert "model" not in card["video"]
        body = {"video": video, "question": question, "said": "yes", "rater": rater}
        assert server.post(f"/v1/hue/{study}/ratings", json=body).status_code == 201
    (score,) = server.get(f"/v1/hue/{study}/scores").json()["people"]
    assert (score["overall"]["value"], score["videos"][video]["n"]) == (1.0, 1)
    (answer,) = server.get(f"/v1/hue/{study}/ratings", params={"said": "yes"}).json()["answers"]
    undone = server.delete(f"/v1/hue/{study}/ratings/{answer['ratings'][1]['id']}")
    assert undone.json()["rater"] == "ben"
    assert server.get(f"/v1/hue/{study}/scores").json()["people"][0]["undecided"] == 1
    assert server.delete(f"/v1/hue/{study}").status_code == 204
    assert server.get(f"/v1/hue/{study}").json()["error"]["code"] == "study_not_found"


def test_what_is_refused_names_the_field(server: RunningServer):
    def refused(answer: Any) -> tuple[int, str, str | None]:
        error = answer.json()["error"]
        return answer.status_code, error["code"], error["param"]

    missing = server.post("/v1/hue", json={"videos": [{"media": "0123456789ab-0"}]})
    assert refused(missing) == (404, "media_not_found", "videos.0.media")
    assert refused(server.post("/v1/hue", json={})) == (422, "bad_input", "videos")
    assert refused(server.get("/v1/hue/none/next", params={"rater": "ada"})) == (404, "study_not_found", "study")
    video = make_video(server, "a ball rolls for hue")
    study = server.post("/v1/hue", json={"videos": [{"media": video}]}).json()["id"]
    body = {"video": video, "question": "p1-none", "said": "yes", "rater": "ada"}
    assert refused(server.post(f"/v1/hue/{study}/ratings", json=body)) == (404, "question_not_found", "question")
    question = add_question(server, study, "Does it roll?").json()["id"]
    other = {**body, "question": question, "video": "0123456789ab-0"}
    assert refused(server.post(f"/v1/hue/{study}/ratings", json=other)) == (422, "bad_input", "video")
    maybe = {**body, "question": question, "said": "maybe"}
    assert refused(server.post(f"/v1/hue/{study}/ratings", json=maybe)) == (422, "bad_input", "said")
    assert refused(add_question(server, study, "does it ROLL?")) == (409, "conflict", "text")
    nobody = {"task": "ratings", "reasoner": "nobody"}
    assert refused(server.post(f"/v1/hue/{study}/tasks", json=nobody)) == (422, "bad_input", "reasoner")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ratings_survive_a_kill_and_the_reasoner_continues(tmp_path: Path, server: RunningServer):
    data = tmp_path / "data"
    shutil.copytree(server.data / "checkpoints", data / "checkpoints")
    with scripted_endpoint() as sage:
        (data / "reasoners.toml").write_text(f'[sage]\nurl = "{sage.address}"\n')
        own = RunningServer(data).start()
        own.wait_ready()
        video = make_video(own, "a cup falls before a kill")
        study = own.post("/v1/hue", json={"videos": [{"media": video}]}).json()["id"]
        questions = [add_question(own, study, f"Is it {number}?").json()["id"] for number in range(12)]
        rating = {"video": video, "question": questions[0], "said": "yes", "rater": "ada"}
        assert own.post(f"/v1/hue/{study}/ratings", json=rating).status_code == 201
        held, answered = threading.Event(), itertools.count(1)

        def answer(_: dict[str, Any]) -> str:
            if next(answered) > 5:
                held.wait(60)
            return json.dumps({"reason": "It is seen.", "said": "no"})

        sage.answers = [answer]
        started = own.post(f"/v1/hue/{study}/tasks", json={"task": "ratings", "reasoner": "sage"})
        assert started.status_code == 202, started.text
        wait_for(lambda: own.get(f"/v1/hue/{study}").json()["tasks"][0]["num_done"] >= 5, 60)
        own.kill()
        held.set()
        own.start()
        wait_for(lambda: own.get(f"/v1/hue/{study}").json()["tasks"][0]["state"] == "succeeded", 60)
        given = own.get(f"/v1/hue/{study}/ratings").json()["answers"]
        own.stop()
    by = [rated["by"] for each in given for rated in each["ratings"]]
    assert (by.count("person"), by.count("reasoner")) == (1, len(questions))
    assert len(sage.bodies) <= len(questions) + 4  # those that were on their way are asked again

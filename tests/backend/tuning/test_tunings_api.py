"""Tunings over HTTP with a scripted trainer: checked, trained, stopped, killed, resumed, saved and served."""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from running import RunningServer, wait_for
from sent_files import clip_bytes
from tuning_server import ENDED, put_file, recipe, send_clips, start, tuning, tuning_server, wait_tuning

SLOW_S = 0.2
LONG_S = 120


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with tuning_server(tmp_path_factory.mktemp("tuning")) as server:
        server.wait_ready()
        send_clips(server, "cups")
        yield server


def test_a_check_reports_and_is_then_started(own: RunningServer):
    answer = own.post("/v1/tunings/check", json={"recipe": recipe("checked"), "evaluates_saves": False})
    assert answer.status_code == 202, answer.text
    found = wait_tuning(own, answer.json()["id"])
    assert found["state"] == "checked"
    report = found["report"]
    assert report["num_kept"] > 2
    assert report["dropped"][0]["message"] == "2 windows have fewer than 17 frames."
    assert len(report["samples"]) == 3
    assert own.get(f"/v1/tunings/{found['id']}/samples/0").headers["content-type"] == "image/png"
    assert own.get(f"/v1/tunings/{found['id']}/samples/1").status_code == 404
    assert own.post(f"/v1/tunings/{found['id']}/start").status_code == 202
    assert wait_tuning(own, found["id"], ("succeeded",))["progress"]["step"] == 20
    assert own.post(f"/v1/tunings/{found['id']}/start").status_code == 409


def test_every_step_is_kept_and_every_save_is_an_adapter(own: RunningServer):
    begun = start(own, recipe=recipe("grasp"))
    done = wait_tuning(own, begun["id"])
    assert (done["state"], done["error"]) == ("succeeded", None)
    assert [save["name"] for save in done["saves"]] == ["grasp@10", "grasp@20"]
    curves = own.get(f"/v1/tunings/{begun['id']}/curves").json()["points"]
    assert [point["step"] for point in curves] == list(range(1, 21))
    assert curves[0]["loss"] > curves[-1]["loss"]
    assert len(own.get(f"/v1/tunings/{begun['id']}/curves", params={"after": 15}).json()["points"]) == 5
    table = own.get(f"/v1/tunings/{begun['id']}/curves.csv").text.splitlines()
    assert table[0] == "step,loss,gradient_norm,learning_rate,seconds_per_step,i2v_vision,t2v_vision,vision"
    assert len(table) == 21
    adapters = {one["name"]: one for one in own.get("/v1/adapters").json()["adapters"]}
    assert adapters["grasp@20"]["lineage"]["tuning"] == begun["id"]
    assert adapters["grasp@20"]["lineage"]["recipe"]["data"] == "cups"
    sampling = {"num_inference_steps": 1, "seed": 3}
    job = own.submit(resolution="256", aspect_ratio="1:1", sampling=sampling, adapter={"name": "grasp@20"})
    assert own.wait_job(job["id"])["state"] == "succeeded"


def test_a_kept_save_outlives_its_tuning(own: RunningServer):
    begun = start(own, recipe=recipe("lift"))
    wait_tuning(own, begun["id"])
    kept = own.post(f"/v1/tunings/{begun['id']}/saves/10/keep", json={"name": "lift-best"})
    assert kept.json()["saves"][0]["kept_as"] == ["lift-best"]
    again = own.post(f"/v1/tunings/{begun['id']}/saves/10/keep", json={"name": "lift-best"})
    assert again.status_code == 409
    assert own.post(f"/v1/tunings/{begun['id']}/saves/11/keep", json={"name": "x"}).status_code == 422
    assert own.delete(f"/v1/tunings/{begun['id']}").status_code == 204
    names = {one["name"] for one in own.get("/v1/adapters").json()["adapters"]}
    assert "lift-best" in names
    assert not names & {"lift@10", "lift@20"}
    assert own.get(f"/v1/tunings/{begun['id']}").status_code == 404


def test_a_full_training_makes_checkpoints_that_are_served(own: RunningServer):
    begun = start(own, recipe=recipe("whole", lora=None, steps=10))
    done = wait_tuning(own, begun["id"])
    assert done["saves"][0]["makes"] == "checkpoint"
    found = {one["id"]: one for one in own.get("/v1/checkpoints").json()["checkpoints"]}
    assert found["whole@10"]["built_here"]
    assert found["whole@10"]["lineage"]["step"] == 10
    job = own.submit(
        checkpoint="whole@10", resolution="256", aspect_ratio="1:1", sampling={"num_inference_steps": 1, "seed": 3}
    )
    assert own.wait_job(job["id"])["state"] == "succeeded"
    own.post("/v1/checkpoints/whole@10/unload")


def test_a_name_that_is_taken_and_data_of_another_task_are_refused(own: RunningServer):
    begun = start(own, recipe=recipe("once", steps=1))
    wait_tuning(own, begun["id"])
    taken = own.post("/v1/tunings", json={"recipe": recipe("once")})
    assert (taken.status_code, taken.json()["error"]["param"]) == (409, "recipe.name")
    policy = {"task": "policy", "name": "p", "checkpoint": "speck", "data": "cups"}
    other = own.post("/v1/tunings", json={"recipe": policy})
    assert other.status_code == 422
    assert "cannot train the policy" in other.json()["error"]["message"]
    assert own.post("/v1/tunings", json={"recipe": recipe("a", data="nothing")}).status_code == 404
    assert own.post("/v1/tunings", json={"recipe": {**recipe("a"), "checkpoint": "nine"}}).status_code == 404


def test_a_fault_of_the_data_stops_with_its_reason_and_keeps_the_saves(own: RunningServer):
    send_clips(own, "faulty", **{"fault.txt": b"15"})
    begun = start(own, recipe=recipe("fault", data="faulty"))
    failed = wait_tuning(own, begun["id"])
    assert failed["state"] == "failed"
    assert failed["error"]["message"] == "The loss of videos/a.mp4 is not a number at step 15."
    assert [save["step"] for save in failed["saves"]] == [10]


def test_a_trainer_that_dies_is_resumed_from_its_last_state(own: RunningServer):
    send_clips(own, "deadly", **{"die.txt": b"15"})
    begun = start(own, recipe=recipe("dead", data="deadly"))
    failed = wait_tuning(own, begun["id"])
    assert failed["error"]["code"] == "engine_lost"
    assert "Segmentation fault" in failed["error"]["message"]
    assert own.post(f"/v1/tunings/{begun['id']}/resume").status_code == 202
    done = wait_tuning(own, begun["id"], ("succeeded",))
    assert [save["step"] for save in done["saves"]] == [10, 20]


def test_the_grid_of_each_save_opens_as_a_comparison(own: RunningServer):
    begun = start(own, recipe=recipe("seen", steps=10), evaluates_saves=True)
    done = wait_for(
        lambda: (lambda found: found if found["saves"] and found["saves"][0]["comparison"] else None)(
            tuning(own, begun["id"])
        ),
        LONG_S,
    )
    grid = own.get(f"/v1/comparisons/{done['saves'][0]['comparison']}").json()
    assert [column["label"] for column in grid["columns"]] == ["ground truth", "before", "after"]
    assert [row.rpartition(" · ")[2] for row in grid["rows"]] == ["text", "first frame", "first frames"] * 2
    own.delete("/v1/queue")
    own.delete(f"/v1/comparisons/{grid['id']}")


def test_two_tunings_take_turns_and_a_stopped_one_goes_on(tmp_path: Path):
    with tuning_server(tmp_path, SLOW_S) as server:
        server.wait_ready()
        send_clips(server, "cups")
        first = start(server, recipe=recipe("first", steps=1000, save_every=500))
        second = start(server, recipe=recipe("second", steps=2))
        waiting = wait_for(lambda: tuning(server, second["id"])["progress"]["waits_for"], LONG_S)
        assert waiting == "the tuning first"
        assert server.delete("/v1/datasets/cups").status_code == 409
        wait_for(lambda: tuning(server, first["id"])["progress"]["step"] > 2, LONG_S)
        assert server.post(f"/v1/tunings/{first['id']}/save").status_code == 200
        wait_for(lambda: tuning(server, first["id"])["saves"], LONG_S)
        assert server.post(f"/v1/tunings/{first['id']}/stop").status_code == 200
        stopped = wait_tuning(server, first["id"])
        assert stopped["state"] == "stopped"
        assert wait_tuning(server, second["id"])["state"] == "succeeded"
        assert server.post(f"/v1/tunings/{first['id']}/resume").status_code == 202
        wait_for(lambda: tuning(server, first["id"])["progress"]["step"] > stopped["progress"]["step"], LONG_S)
        assert server.delete(f"/v1/tunings/{first['id']}").status_code == 409


def test_a_server_that_was_killed_goes_on_with_what_ran(tmp_path: Path):
    with tuning_server(tmp_path, SLOW_S) as server:
        server.wait_ready()
        send_clips(server, "cups")
        begun = start(server, recipe=recipe("long", steps=15, save_every=5))
        wait_for(lambda: tuning(server, begun["id"])["progress"]["step"] > 6, LONG_S)
        server.kill()
        server.start()
        done = wait_tuning(server, begun["id"])
        assert done["state"] == "succeeded"
        assert [save["step"] for save in done["saves"]] == [5, 10, 15]
        points = server.get(f"/v1/tunings/{begun['id']}/curves").json()["points"]
        assert [point["step"] for point in points] == list(range(1, 16))
        assert server.tracebacks() == []


def test_a_file_that_is_sent_again_replaces_the_older_one(own: RunningServer):
    put_file(own, "sent", "a/b.txt", b"one")
    put_file(own, "sent", "a/b.txt", b"two")
    assert own.get("/v1/datasets/sent").json()["size_bytes"] == 3
    assert httpx.put(f"{own.url}/v1/datasets/sent/files/a%2F..%2Fb", content=b"x").status_code == 422
    assert own.delete("/v1/datasets/sent").status_code == 204
    put_file(own, "clip", "a.mp4", clip_bytes())
    answer = own.post("/v1/tunings/check", json={"recipe": recipe("none", data="clip")})
    failed = wait_tuning(own, answer.json()["id"], ENDED)
    assert (failed["state"], failed["error"]["message"]) == ("checked", "No video of clip has a caption.")
    assert own.post(f"/v1/tunings/{failed['id']}/start").status_code == 409
    assert own.post(f"/v1/tunings/{failed['id']}/resume").status_code == 409
    assert own.delete(f"/v1/tunings/{failed['id']}").status_code == 204


def test_recipes_are_described_for_a_form(own: RunningServer):
    choices = own.get("/v1/tunings/recipes").json()
    assert set(choices["schemas"]) == {"generator", "reasoner", "policy"}


def test_on_the_only_gpu_the_engines_leave_and_jobs_wait_until_the_tuning_has_ended(tmp_path: Path):
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "nvidia-smi").write_text("#!/bin/sh\necho GPU-1, 81559, 80000\n")
    (tools / "nvidia-smi").chmod(0o755)
    with tuning_server(tmp_path / "data", SLOW_S, PATH=f"{tools}:{os.environ['PATH']}") as server:
        server.wait_ready()
        send_clips(server, "cups")
        begun = start(server, recipe=recipe("alone", steps=100, save_every=100))
        wait_for(lambda: tuning(server, begun["id"])["state"] == "running", LONG_S)
        assert tuning(server, begun["id"])["device"] == "cuda:0"
        assert server.get("/v1/checkpoints").json()["checkpoints"][0]["state"] == "asleep"
        job = server.submit(resolution="256", aspect_ratio="1:1", sampling={"num_inference_steps": 1})
        assert server.job(job["id"])["waiting_for"] == "the tuning alone"
        question = {"messages": [{"role": "user", "content": "What is it?"}], "max_tokens": 4}
        assert server.post("/v1/chat/completions", json=question).status_code == 503
        server.post(f"/v1/tunings/{begun['id']}/stop")
        wait_tuning(server, begun["id"])
        assert server.wait_job(job["id"])["state"] == "succeeded"

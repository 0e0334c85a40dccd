"""A benchmark of requests over HTTP: a kill in the middle, saves of a training as a curve, and the zip."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from adapter_saves import write_saves
from running import RunningServer, running, wait_for
from studio.evaluation.layouts import read

pytestmark = pytest.mark.slow

ENDED_S = 240
STILL: dict[str, Any] = {"kind": "generate_image", "resolution": "256", "aspect_ratio": "1:1"}
STEPS: dict[str, Any] = {"sampling": {"num_inference_steps": 2}}


def made(server: RunningServer, **fields: Any) -> str:
    job = server.wait_job(server.submit(**{**STILL, **fields})["id"])
    assert job["state"] == "succeeded", job["error"]
    return job["results"][0]["id"]


def run_of(server: RunningServer, run_id: str) -> dict[str, Any]:
    return wait_for(lambda: (run := server.get(f"/v1/runs/{run_id}").json())["state"] != "running" and run, ENDED_S)


def found(server: RunningServer, **query: Any) -> list[str]:
    return [item["id"] for item in server.get("/v1/library", params={"limit": 500, **query}).json()["items"]]


def start(server: RunningServer, **said: Any) -> str:
    answer = server.post("/v1/runs", json={"benchmark": "stills", **said})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


@pytest.mark.timeout(600)
def test_a_killed_run_makes_nothing_twice_and_saves_are_drawn_as_a_curve(tmp_path: Path):
    write_saves(tmp_path)
    with running(tmp_path) as server:
        server.wait_ready()
        truth = made(
            server, prompt="one", sampling={"num_inference_steps": 2, "seed": 3}, adapter={"name": "grasp@200"}
        )
        items = [
            {
                "id": str(seed),
                "request": {**STILL, "prompt": "one", "sampling": {"seed": seed}},
                "reference": {"media": truth},
            }
            for seed in range(8)
        ]
        benchmark = {"name": "stills", "form": "generation", "items": items, "settings": {"request": STEPS}}
        assert server.post("/v1/benchmarks", json=benchmark).status_code == 201
        run_id = start(server, adapter={"name": "grasp@200"})
        wait_for(lambda: server.get(f"/v1/runs/{run_id}").json()["num_answered"] >= 2, ENDED_S)
        server.kill()
    with running(tmp_path) as server:
        run = run_of(server, run_id)
        assert (run["state"], run["num_answered"], run["num_failed"]) == ("succeeded", 8, 0)
        jobs = server.get("/v1/jobs?limit=100").json()["jobs"]
        assert len(jobs) == 9, "the truth, and one job for each item"
        assert found(server) == [truth]
        assert found(server, evaluation=True) == [job["results"][0]["id"] for job in jobs[:-1]]
        scores = server.get(f"/v1/runs/{run_id}/scores").json()
        by_item = {mark["item"]: mark["values"]["psnr_db"] for mark in scores["marks"]}
        assert by_item["3"] == 100, "the truth itself"
        others = [start(server), start(server, adapter={"name": "grasp@100"})]
        assert [run_of(server, one)["state"] for one in others] == ["succeeded"] * 2
        (curve,) = server.get("/v1/runs/curves?benchmark=stills").json()["curves"]
        assert (curve["training"], curve["checkpoint"], curve["baseline"]) == ("grasp", "speck", others[0])
        psnr = curve["lines"][0]
        assert (psnr["metric"], [point["step"] for point in psnr["points"]]) == ("psnr_db", [100, 200])
        assert psnr["peak"] == 200
        assert psnr["baseline"]["value"] < psnr["points"][1]["measurement"]["value"]

        unknown = server.post("/v1/runs", json={"benchmark": "stills", "adapter": {"name": "grasp@300"}})
        assert (unknown.status_code, unknown.json()["error"]["param"]) == (422, "adapter.name")
        archive = zipfile.ZipFile(io.BytesIO(server.get(f"/v1/runs/{run_id}/export").content))
        archive.extractall(tmp_path / "zip")
        again = read(tmp_path / "zip")
        assert again.items[0].request is not None
        assert again.items[0].media == (f"media/{truth}.png",)
        results = {name for name in archive.namelist() if name.startswith("results/")}
        answers = [json.loads(line) for line in archive.read("answers.jsonl").splitlines()]
        assert results == {f"results/{json.loads(answer['text'])['media'][0]}.png" for answer in answers}

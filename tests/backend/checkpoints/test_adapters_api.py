"""LoRA adapters over HTTP: listed, asked for by name, worn by the request that names them and by no other."""

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import safetensors.numpy
from PIL import Image

from running import RunningServer, wait_for

FAST: dict[str, Any] = {"sampling": {"num_inference_steps": 2, "seed": 3}}
QUERY = "transformer.layers.0.self_attn.to_q"


@pytest.fixture(scope="module", autouse=True)
def folder(server: RunningServer) -> Iterator[Path]:
    """Two adapters: one that fits speck, and one that does not."""
    random = np.random.default_rng(0)
    folder = server.data / "adapters"
    (folder / "warm-light").mkdir(parents=True)
    for place, width in ((folder / "warm-light" / "pytorch_lora_weights.safetensors", 64), (folder / "wide", 80)):
        tensors = {
            f"{QUERY}.lora_A.weight": random.normal(size=(4, width)).astype(np.float32),
            f"{QUERY}.lora_B.weight": random.normal(size=(128, 4)).astype(np.float32),
        }
        safetensors.numpy.save_file(tensors, place.with_suffix(".safetensors"))
    yield folder
    shutil.rmtree(folder)


def pixels_of(server: RunningServer, **fields: Any) -> bytes:
    job = server.wait_job(server.submit(**FAST, **fields)["id"])
    assert job["state"] == "succeeded", job["error"]
    return Image.open(io.BytesIO(server.get(job["results"][0]["url"]).content)).tobytes()


def test_adapters_are_listed_by_name_without_their_place(server: RunningServer):
    answer = server.get("/v1/adapters")

    assert [adapter["name"] for adapter in answer.json()["adapters"]] == ["warm-light", "wide"]
    assert all(adapter["size_bytes"] > 1000 for adapter in answer.json()["adapters"])
    assert str(server.data) not in answer.text


def test_an_adapter_is_worn_by_the_request_that_names_it_and_by_no_other(server: RunningServer):
    bare = pixels_of(server)

    worn = pixels_of(server, adapter={"name": "warm-light"})
    half = pixels_of(server, adapter={"name": "warm-light", "scale": 0.5})
    nothing = pixels_of(server, adapter={"name": "warm-light", "scale": 0})

    assert len({bare, worn, half}) == 3
    assert nothing == bare
    assert pixels_of(server) == bare
    assert pixels_of(server, adapter={"name": "warm-light"}) == worn


def test_an_adapter_that_is_not_there_is_refused_with_the_nearest(server: RunningServer):
    answer = server.post("/v1/jobs", json={"kind": "generate_image", "prompt": "x", "adapter": {"name": "warm_light"}})

    assert answer.status_code == 422
    assert answer.json()["error"]["param"] == "adapter.name"
    assert "warm-light" in answer.json()["error"]["hint"]


def test_an_adapter_of_another_checkpoint_fails_its_job_without_saying_where_it_lies(server: RunningServer):
    job = server.wait_job(server.submit(**FAST, adapter={"name": "wide"})["id"])

    assert job["state"] == "failed"
    assert job["error"]["param"] == "adapter.name"
    assert "wide.safetensors" in job["error"]["message"]
    assert str(server.data) not in str(job["error"])
    pixels_of(server)


def test_a_run_wears_its_adapter_for_the_answers_alone(server: RunningServer):
    question = {"id": "one", "question": "What is on the table?", "reference": "A cup."}
    benchmark = {"name": "worn", "form": "text", "items": [question], "settings": {"max_tokens": 12}}
    assert server.post("/v1/benchmarks", json=benchmark).status_code == 201

    def start(adapter: str | None) -> httpx.Response:
        worn = adapter and {"name": adapter}
        return server.post("/v1/runs", json={"benchmark": "worn", "reasoner": "speck", "adapter": worn})

    def answer(adapter: str | None) -> dict[str, Any]:
        run = start(adapter).json()
        wait_for(lambda: server.get(f"/v1/runs/{run['id']}").json()["state"] == "succeeded", 120)
        [item] = server.get(f"/v1/runs/{run['id']}/answers").json()["items"]
        return item["answers"][0]

    bare, worn = answer(None)["text"], answer("warm-light")["text"]

    assert bare != worn
    assert answer(None)["text"] == bare
    refused = start("no-such")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "bad_input")

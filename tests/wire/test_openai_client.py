"""The real `openai` client against a running server."""

import base64
import http.client
import io
import json
from typing import Any
from urllib.parse import urlsplit

import httpx
import openai
import pytest
from PIL import Image

from running import RunningServer, wait_for


@pytest.fixture
def client(server: RunningServer):
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.mark.parametrize("size", ["256x256", "1024x1024"])
def test_images_generate_answers_a_picture_of_the_size(client: openai.OpenAI, size: str):
    answer = client.images.generate(
        prompt="a red cube", size=size, extra_body={"num_inference_steps": 2, "seed": 4, "use_system_prompt": True}
    )

    assert answer.data is not None
    image = Image.open(io.BytesIO(base64.b64decode(answer.data[0].b64_json or "")))
    assert f"{image.width}x{image.height}" == size


def test_n_images_have_consecutive_seeds_and_urls_can_be_fetched(client: openai.OpenAI):
    answer = client.images.generate(
        model="speck",
        prompt="a red cube",
        n=2,
        size="256x256",
        response_format="url",
        extra_body={
            "extra_params": {
                "seed": 11,
                "num_inference_steps": 2,
                "guidance_scale": 1,
                "flow_shift": 5,
                "step_cache": 0,
            }
        },
    )

    assert answer.data is not None
    assert [image.seed for image in answer.data] == [11, 12]  # type: ignore[attr-defined]
    for image in answer.data:
        assert httpx.get(image.url or "").headers["content-type"] == "image/png"


def test_extra_params_may_be_the_text_of_an_object(client: openai.OpenAI):
    answer = client.images.generate(
        prompt="x", size="256x256", extra_body={"extra_args": '{"seed": 5, "num_inference_steps": 2}'}
    )

    assert answer.data is not None
    assert answer.data[0].seed == 5  # type: ignore[attr-defined]


def test_models_list_names_the_loaded_checkpoint_and_behind_it_the_one_that_ships(client: openai.OpenAI):
    assert [model.id for model in client.models.list()] == ["speck", "pocket"]


def test_a_model_of_the_list_can_be_retrieved(client: openai.OpenAI):
    assert client.models.retrieve("speck").id == "speck"


@pytest.mark.parametrize("name", ["nothing", "nvidia/Cosmos3-Nano", "gpt/../speck"])
def test_one_that_is_not_here_is_not_found(client: openai.OpenAI, name: str):
    with pytest.raises(openai.NotFoundError) as refused:
        client.models.retrieve(name)

    assert refused.value.code == "checkpoint_not_found"


def test_a_stream_of_pictures_is_refused_in_words(client: openai.OpenAI):
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        client.images.generate(prompt="x", size="256x256", stream=True, extra_body={"num_inference_steps": 1})

    assert (refused.value.code, refused.value.param) == ("not_allowed", "stream")
    assert client.images.generate(prompt="x", size="256x256", stream=False, extra_body={"num_inference_steps": 1}).data


@pytest.mark.parametrize("path", ["/health", "/v1/health/ready", "/readyz"])
def test_readiness_is_said_where_other_servers_say_it(server: RunningServer, path: str):
    assert wait_for(lambda: server.get(path).status_code == 200, 60)
    assert server.get(path).text in ("ready", "asleep")


def test_a_size_off_the_table_names_the_nearest(client: openai.OpenAI):
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        client.images.generate(prompt="x", size="1000x1000")  # type: ignore[arg-type]

    assert refused.value.code == "bad_input"
    assert refused.value.param == "size"
    assert isinstance(refused.value.body, dict)
    assert "1024x1024" in refused.value.body["hint"]


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"extra_body": {"steps": 4}}, "steps"),
        ({"extra_body": {"extra_params": "["}}, "extra_params"),
        ({"response_format": "tiff"}, "response_format"),
        ({"n": 0}, "count"),
        ({"extra_body": {"extra_params": {"guidance_scale": 99}}}, "sampling.guidance_scale"),
    ],
)
def test_bad_fields_are_named(client: openai.OpenAI, fields: dict[str, object], param: str):
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        client.images.generate(prompt="x", size="256x256", **fields)  # type: ignore[arg-type, call-overload]

    assert refused.value.param == param


def test_an_unknown_model_is_not_found(client: openai.OpenAI):
    with pytest.raises(openai.NotFoundError, match="spek"):
        client.images.generate(model="spek", prompt="x")


def test_a_caller_that_hangs_up_cancels_its_job(server: RunningServer):
    body = {"prompt": "left alone", "size": "1280x720", "num_inference_steps": 200}

    def asked_for() -> dict[str, Any] | None:
        job = next(iter(server.get("/v1/jobs", params={"limit": 1}).json()["jobs"]), None)
        return job if job and job["request"]["prompt"] == body["prompt"] else None

    address = urlsplit(server.url)
    caller = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    try:
        headers = {"content-type": "application/json"}
        caller.request("POST", "/v1/images/generations", json.dumps(body), headers)
        job = wait_for(asked_for, 60)
    finally:
        caller.close()

    assert server.wait_job(job["id"])["state"] == "cancelled"

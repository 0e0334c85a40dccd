"""Reasoner tasks over HTTP, on a checkpoint that answers at random: the form is what is tested."""

from collections.abc import Callable
from typing import Any

import pytest

from running import RunningServer


@pytest.fixture(scope="module")
def picture(upload: Callable[[bytes], str], make_picture: Callable[..., bytes]) -> str:
    return upload(make_picture())


@pytest.fixture(scope="module")
def clip(upload: Callable[[bytes], str], make_clip: Callable[..., bytes]) -> str:
    return upload(make_clip())


def test_every_task_says_what_it_takes(server: RunningServer):
    tasks = {task["id"]: task for task in server.get("/v1/tasks").json()["tasks"]}

    assert len(tasks) == 12
    assert tasks["grounding"]["media"] == ["image"] or "image" in tasks["grounding"]["media"]
    assert tasks["grounding"]["fields"][0]["name"] == "subject"


def test_boxes_come_typed_and_in_pixels(server: RunningServer, picture: str):
    asked = {"media": picture, "words": {"subject": "cups"}, "seed": 4, "max_tokens": 300}

    answer = server.post("/v1/tasks/grounding", json=asked)

    assert answer.status_code == 200, answer.text
    said = answer.json()
    assert said["results"] or said["failure"] or said["skipped"] or said["text"] == "[]"
    for box in said["results"]:
        assert box["type"] == "box"
        assert all(0 <= value <= 1000 for value in box["box_2d"])
        assert box["pixels"][2] <= 96
        assert box["pixels"][3] <= 160


def test_a_clip_is_asked_about(server: RunningServer, clip: str):
    answer = server.post("/v1/tasks/caption", json={"media": f"media:{clip}", "seed": 4, "max_tokens": 12})

    assert answer.status_code == 200, answer.text
    assert answer.json()["results"][0]["type"] == "prose"


@pytest.mark.parametrize(
    ("name", "change", "code", "param"),
    [
        ("gronding", {}, "not_found", "name"),
        ("grounding", {"media": "u0123456789abcdef"}, "media_not_found", "media"),
        ("grounding", {"media": "picture.png"}, "bad_input", "media"),
        ("grounding", {"media": "data:image/png;base64,AAAA"}, "bad_input", "media"),
        ("grounding", {"media": ""}, "bad_input", "media"),
        ("grounding", {"words": {}}, "bad_input", "subject"),
        ("grounding", {"words": {"subject": "cups", "mood": "good"}}, "bad_input", "mood"),
        ("grounding", {"words": {"subject": "x" * 5000}}, "bad_input", "subject"),
        ("grounding", {"seed": -1}, "bad_input", "seed"),
        ("grounding", {"max_tokens": 0}, "bad_input", "max_tokens"),
        ("grounding", {"temperature": 1}, "bad_input", "temperature"),
    ],
)
def test_what_a_task_does_not_take_is_named(
    server: RunningServer, picture: str, name: str, change: dict[str, Any], code: str, param: str
):
    asked = {"media": picture, "words": {"subject": "cups"}, "max_tokens": 50, **change}

    error = server.post(f"/v1/tasks/{name}", json=asked).json()["error"]

    assert (error["code"], error["param"]) == (code, param)


def test_a_medium_of_another_kind_is_refused(server: RunningServer, picture: str):
    tasks = server.get("/v1/tasks").json()["tasks"]
    name = next(task["id"] for task in tasks if task["media"] == ["video"])

    error = server.post(f"/v1/tasks/{name}", json={"media": picture}).json()["error"]

    assert (error["code"], error["param"]) == ("bad_input", "media")

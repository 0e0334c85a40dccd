"""A new kind of request is its class, its row, its planner and its words: everything else reads those."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import gradio as gr
import pytest

from frontend.draft import taken
from frontend.fields import nest
from frontend.form import draw_form
from frontend.panel import FormPart, Panel, spread
from frontend.places import MAKING_STYLES, Place
from running import RunningServer, running
from sent_files import picture_bytes
from studio.requests import KINDS, parse_request
from toy_kind import PAINT_SKETCH, PaintSketch, in_every_process

PLACE = Place("sketch", "Make", "Sketch", "/sketch", "image", "paint_sketch", styles=MAKING_STYLES)
PANEL = Panel(PLACE, PaintSketch, parts=(FormPart("@sketch", "o-picture", ("sketch",)),))


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return in_every_process(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Iterator[RunningServer]:
    with running(tmp_path_factory.mktemp("data"), own_imports=True, **environment) as server:
        server.wait_ready()
        yield server


@pytest.fixture
def row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "paint_sketch", PAINT_SKETCH)


@pytest.fixture(scope="module")
def sketch(studio: RunningServer) -> str:
    return studio.post("/v1/media", files={"file": ("sketch.png", picture_bytes())}).json()["id"]


@pytest.mark.usefixtures("row")
def test_its_form_is_drawn_from_its_fields_and_gives_its_request():
    async def draw() -> dict[str, gr.components.Component]:
        with gr.Blocks(analytics_enabled=False):
            return draw_form(PANEL.model, "sketch", without=PANEL.held)

    drawn = asyncio.run(draw())
    assert isinstance(drawn["softness"], gr.Slider)
    values = taken(PANEL, {"prompt": "a chair", "softness": 5})
    request = parse_request({"kind": "paint_sketch", **nest(spread({**values, "@sketch": {"sketch": "u" + "0" * 16}}))})
    assert isinstance(request, PaintSketch)
    assert request.softness == 5


def test_the_api_says_what_it_takes_and_what_a_checkpoint_makes_of_it(studio: RunningServer):
    facts = studio.get("/v1/choices").json()["kinds"]["paint_sketch"]
    assert facts["takes"] == {"sketch": {"type": "image", "required": True}}
    assert facts["makes"] == [{"type": "image", "when": ""}]
    choices = studio.get("/v1/choices/paint_sketch").json()
    assert {option["value"] for option in choices["choices"]["resolution"]} == {"256", "480", "720", "768"}
    assert "sampling.num_inference_steps" in studio.get("/openapi.json").text
    body = studio.get("/openapi.json").json()["paths"]["/v1/jobs"]["post"]["requestBody"]["content"]["application/json"]
    assert body["examples"]["paint_sketch"]["value"]["prompt"] == "A chair."
    page = studio.get("/").text
    assert '"paint_sketch": {"takes"' in page
    assert '"kind.paint_sketch": "painted sketch"' in page


def test_what_is_wrong_with_it_is_refused_at_once(studio: RunningServer, sketch: str):
    asked = {"kind": "paint_sketch", "prompt": "a chair", "sketch": sketch}
    for said, code, param in (
        ({"softness": 10}, "bad_input", "softness"),
        ({"sketch": "u" + "f" * 16}, "media_not_found", "sketch"),
        ({"fps": 10}, "bad_input", "fps"),
    ):
        error = studio.post("/v1/jobs", json={**asked, **said}).json()["error"]
        assert (error["code"], error["param"]) == (code, param)


def test_it_is_made_by_the_engine_and_kept_in_the_library(studio: RunningServer, sketch: str):
    few = {"num_inference_steps": 2, "seed": 3}
    asked = {"kind": "paint_sketch", "prompt": "a chair", "sketch": sketch, "sampling": few}
    assert studio.post("/v1/estimates", json={"request": asked}).status_code == 200

    job = studio.wait_job(studio.submit(**asked)["id"])

    assert job["state"] == "succeeded", job["error"]
    (made,) = job["results"]
    assert (made["type"], made["width"], made["height"]) == ("image", 256, 256)
    items = studio.get("/v1/library", params={"kind": "paint_sketch"}).json()["items"]
    assert [item["id"] for item in items] == [made["id"]]
    kept = studio.get(f"/v1/library/{made['id']}").json()["request"]
    assert (kept["kind"], kept["sketch"], kept["softness"]) == ("paint_sketch", sketch, 3)


def test_the_command_line_has_its_flags_and_knows_it_by_them(
    studio: RunningServer, environment: dict[str, str], tmp_path: Path
):
    (tmp_path / "chair.png").write_bytes(picture_bytes())
    flags = ["--sketch", "chair.png", "--softness", "7", "--resolution", "256", "--steps", "1", "--seed", "2"]
    command = [sys.executable, "-P", "-c", "from cli import main; main()", "generate", "a chair", *flags]
    ran = subprocess.run(
        [*command, "-o", "out.png"],
        env={**os.environ, **environment, "ORRERY_SERVER": studio.url},
        cwd=tmp_path,
        text=True,
        capture_output=True,
        check=False,
    )
    assert ran.stdout == "out.png  256x256  seed 2\n", ran.stderr
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")

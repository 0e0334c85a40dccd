"""`/v1/library` of a real server: what was made and uploaded is there, and goes when it is told to."""

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from PIL import Image, PngImagePlugin

from backend.media.recipe import write_recipe
from running import RunningServer
from sent_files import clip_bytes, picture_bytes
from studio.requests import GenerateImage

TWO: dict[str, Any] = {"sampling": {"num_inference_steps": 2, "seed": 90}, "count": 2}


@pytest.fixture(scope="module")
def made(server: RunningServer) -> list[str]:
    """Two pictures of one job."""
    job = server.wait_job(server.submit(prompt="a zebra — 红色立方体 <b>${x}</b>", **TWO)["id"])
    assert job["state"] == "succeeded"
    return [result["id"] for result in job["results"]]


def search(server: RunningServer, **query: Any) -> dict[str, Any]:
    answer = server.get("/v1/library", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def ids(found: dict[str, Any]) -> list[str]:
    return [item["id"] for item in found["items"]]


def erase(server: RunningServer, name: str) -> dict[str, Any]:
    """Out of the trash for good."""
    return httpx.request("DELETE", f"{server.url}/v1/library/trash", json={"ids": [name]}, timeout=60).json()


def test_a_result_is_in_the_library_once_its_job_has_succeeded(server: RunningServer, made: list[str]):
    found = search(server, q="zebra 立方", kind="generate_image", seed=91)

    (item,) = found["items"]
    assert item["id"] == made[1]
    assert (item["type"], item["seed"], item["checkpoint"], item["missing"]) == ("image", 91, "speck", False)
    assert item["prompt"] == "a zebra — 红色立方体 <b>${x}</b>"
    assert {facet["value"] for facet in found["facets"]["kinds"]} >= {"generate_image"}
    assert found["usage"]["free_bytes"] > 0


def test_an_item_has_its_recipe_and_its_relatives(
    server: RunningServer, made: list[str], upload: Callable[[bytes], str]
):
    source = upload(clip_bytes(13, 128, 96, 12))
    request = {
        "kind": "generate_video",
        "prompt": "more of it",
        "source_video": source,
        "num_frames": 9,
        "fps": 12,
        "resolution": "256",
        "sound": True,
        "sampling": {"num_inference_steps": 1, "seed": 4},
    }
    job = server.wait_job(server.submit(**request)["id"])
    (clip,) = job["results"]

    detail = server.get(f"/v1/library/{clip['id']}").json()
    assert [item["id"] for item in detail["made_from"]] == [source]
    assert detail["request"]["sampling"]["seed"] == 4
    assert clip["id"] in [item["id"] for item in server.get(f"/v1/library/{source}").json()["led_to"]]
    picture = server.get(f"/v1/library/{made[1]}").json()
    assert [item["id"] for item in picture["siblings"]] == [made[0]]
    assert (picture["request"]["count"], picture["request"]["sampling"]["seed"]) == (1, 91)

    waveform = server.get(f"/v1/media/{clip['id']}/waveform").json()
    assert (waveform["num_channels"], len(waveform["peaks"][0])) == (2, 800)
    assert all(0 <= peak <= 1 for peak in waveform["peaks"][0])
    silent = server.get(f"/v1/media/{source}/waveform")
    assert (silent.status_code, silent.json()["error"]["code"]) == (422, "bad_input")


def test_a_clips_frames_lie_in_a_sheet_where_its_layout_says(server: RunningServer, upload: Callable[[bytes], str]):
    clip = upload(clip_bytes(49, 64, 48, 24))

    layout = server.get(f"/v1/media/{clip}/spritesheet", params={"layout": "json"}).json()
    answers = [server.get(f"/v1/media/{clip}/spritesheet") for _ in range(2)]

    assert (layout["num_frames"], layout["columns"], layout["rows"]) == (24, 6, 4)
    assert layout["times_s"][-1] == pytest.approx(2.0)
    with Image.open(io.BytesIO(answers[0].content)) as sheet:
        assert sheet.size == (6 * layout["frame_width"], 4 * layout["frame_height"])
    assert answers[0].content == answers[1].content
    assert json.loads(answers[0].headers["x-orrery-spritesheet"]) == layout
    cached = server.get(f"/v1/media/{clip}/spritesheet", headers={"if-none-match": answers[0].headers["etag"]})
    assert cached.status_code == 304
    picture = upload(picture_bytes(20, 20))
    assert server.get(f"/v1/media/{picture}/spritesheet").status_code == 422
    assert server.get("/v1/media/u0000000000000000/spritesheet").status_code == 404


def test_items_are_starred_tagged_and_named(server: RunningServer, made: list[str]):
    said = {"starred": True, "tags": ["Été", " a   b "], "title": "first\none"}
    item = httpx.patch(f"{server.url}/v1/library/{made[0]}", json=said, timeout=60).json()

    assert (item["starred"], item["tags"], item["title"]) == (True, ["a b", "Été"], "first one")
    assert ids(search(server, q="ete", tag="a b", starred="true")) == [made[0]]
    change = {"ids": [*made, "u0000000000000000"], "add_tags": ["both"], "remove_tags": ["a B"]}
    assert server.post("/v1/library/change", json=change).json()["ids"] == made
    assert sorted(ids(search(server, tag="both"))) == sorted(made)
    assert ids(search(server, tag="a b")) == []


def test_an_upload_has_its_files_name_and_is_one_item_however_often_it_comes(server: RunningServer):
    files = {"file": ("C:\\secret\\..\\drive <b>.png", picture_bytes(31, 33))}
    names = {server.post("/v1/media", files=files).json()["id"] for _ in range(2)}

    (name,) = names
    (item,) = search(server, q="drive", kind="upload")["items"]
    assert (item["id"], item["title"]) == (name, "drive <b>.png")
    server.post("/v1/library/trash", json={"ids": [name]})
    assert name in ids(search(server, trashed="true"))
    server.post("/v1/media", files=files)
    assert name not in ids(search(server, trashed="true"))


def test_a_benchmarks_upload_stays_out_of_view_until_it_is_sent_for_anything_else(server: RunningServer):
    content = picture_bytes(72, 40)
    files = {"file": ("benchmark.png", content)}
    sent = server.post("/v1/media", files=files, params={"evaluation": "true"}).json()["id"]

    assert sent not in ids(search(server, kind="upload"))
    assert sent in ids(search(server, evaluation=True))
    assert server.get(f"/v1/library/{sent}").json()["evaluation"]
    assert server.post("/v1/media", files=files).json()["id"] == sent
    assert sent in ids(search(server, kind="upload"))
    server.post("/v1/media", files=files, params={"evaluation": "true"})
    assert sent in ids(search(server, kind="upload"))
    assert sent not in ids(search(server, evaluation=True))


def test_a_file_that_carries_its_recipe_is_found_by_its_words_and_can_be_used_again(server: RunningServer):
    made = GenerateImage.model_validate({"prompt": "a heron from elsewhere", "sampling": {"seed": 77}})
    file = io.BytesIO()
    Image.new("RGB", (32, 48), "teal").save(file, "PNG", pnginfo=write_recipe(made, "cosmos3-nano", (32, 48)))
    name = server.post("/v1/media", files={"file": ("heron.png", file.getvalue())}).json()["id"]

    (item,) = search(server, q="heron elsewhere")["items"]
    assert (item["id"], item["kind"], item["prompt"], item["job_id"]) == (name, "upload", made.prompt, None)
    request = server.get(f"/v1/library/{name}").json()["request"]
    assert (request["kind"], request["sampling"]["seed"], request["checkpoint"]) == (
        "generate_image",
        77,
        "cosmos3-nano",
    )


def test_the_trash_can_be_undone_and_then_is_emptied_for_good(server: RunningServer):
    name = server.post("/v1/media", files={"file": ("x.png", picture_bytes(41, 43))}).json()["id"]
    assert server.post("/v1/library/trash", json={"ids": [name]}).json()["ids"] == [name]
    assert server.get(f"/v1/media/{name}").status_code == 200
    assert server.post("/v1/library/restore", json={"ids": [name]}).json()["ids"] == [name]
    kept = erase(server, name)
    assert kept == {"num_items": 0, "num_jobs": 0, "freed_bytes": 0}

    server.post("/v1/library/trash", json={"ids": [name]})
    gone = erase(server, name)

    assert gone["num_items"] == 1
    assert server.get(f"/v1/media/{name}").status_code == 404
    assert server.get(f"/v1/library/{name}").status_code == 404
    assert not list((server.data / "media").glob(f"*/{name}*"))


def test_a_job_says_of_a_result_that_it_was_deleted_until_an_import_brings_it_back(server: RunningServer):
    request = {"prompt": "a bilby", "resolution": "256", "aspect_ratio": "1:1", "sampling": {"num_inference_steps": 1}}
    job = server.wait_job(server.submit(**request, count=2)["id"])
    first, second = (result["id"] for result in job["results"])
    export = server.get("/v1/library/export").content
    server.post("/v1/library/trash", json={"ids": [first]})
    erase(server, first)

    results = server.get(f"/v1/jobs/{job['id']}").json()["results"]
    assert [(result["id"], result["deleted"]) for result in results] == [(first, True), (second, False)]

    server.post("/v1/library/import", content=export)
    assert not any(result["deleted"] for result in server.get(f"/v1/jobs/{job['id']}").json()["results"])


def test_what_an_open_job_needs_is_not_removed(server: RunningServer):
    name = server.post("/v1/media", files={"file": ("x.png", picture_bytes(51, 53))}).json()["id"]
    server.post("/v1/queue/pause")
    try:
        request = {"kind": "generate_video", "start_image": name, "num_frames": 5, "resolution": "256"}
        job = server.submit(**request, sampling={"num_inference_steps": 1})
        server.post("/v1/library/trash", json={"ids": [name]})
        refused = server.delete("/v1/library/trash")

        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "conflict")
        assert job["id"] in refused.json()["error"]["message"]
        server.delete(f"/v1/jobs/{job['id']}")
        assert server.delete("/v1/library/trash").status_code == 200
        assert name not in ids(search(server, trashed="true"))
        again = server.post(f"/v1/jobs/{job['id']}/retry")
        assert (again.status_code, again.json()["error"]["code"]) == (404, "media_not_found")
    finally:
        server.post("/v1/queue/resume")


def test_a_file_that_was_deleted_on_disk_is_missing_and_bricks_nothing(server: RunningServer):
    name = server.post("/v1/media", files={"file": ("gone.png", picture_bytes(61, 63))}).json()["id"]
    for path in (server.data / "media").glob(f"*/{name}.*"):
        path.unlink()

    (item,) = search(server, q="gone.png")["items"]

    assert item["missing"]
    assert server.get(f"/v1/library/{name}").json()["missing"]
    assert server.get(item["url"]).status_code == 404
    assert server.get(item["thumbnail_url"]).status_code == 404
    archive = server.post("/v1/library/archive", json={"ids": [name]})
    assert (archive.status_code, archive.json()["error"]["code"]) == (404, "media_not_found")
    server.post("/v1/library/trash", json={"ids": [name]})
    assert erase(server, name)["num_items"] == 1


@pytest.mark.parametrize("as_form", [False, True])
def test_an_archive_holds_files_and_recipes(server: RunningServer, made: list[str], as_form: bool):
    body: dict[str, Any] = {"ids": [*made, "u0000000000000000"]}
    answer = server.post("/v1/library/archive", **{"data" if as_form else "json": body})

    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == sorted(f"{name}{end}" for name in made for end in (".png", ".recipe.json"))
        recipe = json.loads(archive.read(f"{made[1]}.recipe.json"))
        assert archive.read(f"{made[0]}.png") == server.get(f"/v1/media/{made[0]}").content
    assert (recipe["sampling"]["seed"], recipe["checkpoint"]) == (91, "speck")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/library?limit=0", None),
        ("GET", "/v1/library?limit=501", None),
        ("GET", "/v1/library?order=best", None),
        ("GET", "/v1/library?cursor=x", None),
        ("GET", "/v1/library?since=yesterday", None),
        ("GET", "/v1/library?since=2026-01-01T00:00:00", None),
        ("GET", "/v1/library?colour=red", None),
        ("GET", "/v1/library?type=sculpture", None),
        ("PATCH", "/v1/library/u0000000000000000", {"tags": [""]}),
        ("PATCH", "/v1/library/u0000000000000000", {"tags": ["x" * 61]}),
        ("PATCH", "/v1/library/u0000000000000000", {"tags": ["x"] * 101}),
        ("PATCH", "/v1/library/u0000000000000000", {"title": "x" * 301}),
        ("PATCH", "/v1/library/u0000000000000000", {"stars": 5}),
        ("POST", "/v1/library/trash", {"ids": []}),
        ("POST", "/v1/library/trash", {"ids": ["x"] * 10_001}),
        ("POST", "/v1/library/trash", []),
        ("POST", "/v1/library/archive", [1]),
        ("POST", "/v1/library/change", {"ids": ["x"], "add_tags": [1]}),
        ("DELETE", "/v1/library/trash", {"ids": "x"}),
        ("DELETE", "/v1/library", {"confirm": "yes"}),
        ("DELETE", "/v1/library", None),
    ],
)
def test_nonsense_is_refused_in_words(server: RunningServer, method: str, path: str, body: Any):
    answer = httpx.request(method, server.url + path, json=body, timeout=30)

    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["message"]


def test_a_picture_of_another_program_gives_back_what_can_be_read(server: RunningServer):
    chunks = PngImagePlugin.PngInfo()
    chunks.add_text(
        "parameters",
        "a red cube\non a table <lora:x:1>\nNegative prompt: blurry,\nugly\nSteps: 25, Sampler: Euler a, "
        'CFG scale: 6.5, Seed: 42, Size: 512x768, Model: sd15, Lora hashes: "x: 12, y: 3", Version: v1',
    )
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, "PNG", pnginfo=chunks)

    recipe = server.post("/v1/recipes/read", files={"file": ("x.png", buffer.getvalue())}).json()

    request = recipe["request"]
    assert (request["prompt"], request["negative_prompt"]) == ("a red cube\non a table <lora:x:1>", "blurry,\nugly")
    assert (request["sampling"]["num_inference_steps"], request["sampling"]["guidance_scale"]) == (25, 6.5)
    assert (request["sampling"]["seed"], request["resolution"], request["aspect_ratio"]) == (42, "480", "3:4")
    assert recipe["unread"] == ["Sampler", "Size", "Model", "Lora hashes", "Version"]

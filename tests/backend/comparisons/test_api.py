"""Comparisons over HTTP: a kill in the middle, a checkpoint that cannot be loaded, and what is taken along."""

import csv
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import httpx
import pytest

from running import RunningServer, running, wait_for
from two_checkpoints import lay_out

pytestmark = pytest.mark.slow

CLIP = {"kind": "generate_video", "num_frames": 9, "resolution": "256", "sampling": {"num_inference_steps": 2}}
ENDED_S = 240


def look(server: RunningServer, name: str, verb: str = "") -> dict[str, Any]:
    return server.get(f"/v1/comparisons/{name}{verb}").json()


def states(grid: dict[str, Any]) -> list[str]:
    return [cell["job"]["state"] for cell in grid["cells"] if cell["job"]]


def ended(server: RunningServer, name: str) -> dict[str, Any]:
    return wait_for(lambda: (grid := look(server, name))["num_done"] == grid["num_cells"] and grid, ENDED_S)


@pytest.mark.timeout(600)
def loaded(server: RunningServer) -> list[str]:
    """Checkpoints that were loaded for a job's turn, by what it logged."""
    return [event["checkpoint"] for event in server.events() if event.get("event") == "checkpoint_comes"]


def test_a_kill_in_the_middle_of_a_grid_costs_no_cell_and_a_broken_checkpoint_only_its_own(tmp_path: Path):
    lay_out(tmp_path, broken=True)
    asked = {
        "request": CLIP,
        "axes": {"checkpoint": ["speck", "broken", "after"]},
        "subjects": [{"request": {"prompt": prompt}} for prompt in ("one", "two", "three")],
    }
    # Room for one at a time, so that checkpoints must take turns.
    with running(tmp_path, ORRERY_MEMORY_GB="0.7") as server:
        server.wait_ready()
        name = server.post("/v1/comparisons", json=asked).json()["id"]
        done = wait_for(lambda: (grid := look(server, name))["num_done"] >= 1 and grid, ENDED_S)
        first = {cell["item"]["id"]: cell["job"]["finished_at"] for cell in done["cells"] if cell["item"]}
        server.kill()
    with running(tmp_path, ORRERY_MEMORY_GB="0.7") as server:
        grid = ended(server, name)
        made = {cell["item"]["id"]: cell["job"]["finished_at"] for cell in grid["cells"] if cell["item"]}
        assert states(grid) == ["succeeded", "failed", "succeeded"] * 3
        assert first.items() <= made.items()
        assert {cell["job"]["error"]["code"] for cell in grid["cells"] if cell["job"]["error"]} == {"broken_checkpoint"}
        assert all(cell["seconds"] > 0 and cell["memory_gb"] > 0 for cell in grid["cells"] if cell["item"])
        # What was logged is read by a thread of its own.
        wait_for(lambda: {"speck", "after"} <= set(loaded(server)), 60)
        assert sorted(name for name in loaded(server) if name in ("after", "speck")) == ["after", "speck"]

        # A checkpoint that has failed fails its cells at once.
        again = server.post("/v1/comparisons", json={**asked, "axes": {"checkpoint": ["broken"]}})
        assert states(again.json()) == ["failed"] * 3


def test_a_grid_with_ground_truth_is_measured_and_taken_along(server: RunningServer):
    made = server.post("/v1/jobs", json={**CLIP, "prompt": "truth", "sampling": {"num_inference_steps": 1, "seed": 1}})
    truth = server.wait_job(made.json()["id"])["results"][0]["id"]
    asked = {
        "request": {**CLIP, "sampling": {"num_inference_steps": 1}},
        "axes": {"sampling.seed": [1, 2], "num_frames": [9]},
        "subjects": [{"reference": truth, "starts": ["t2v", "v2v"], "request": {"prompt": "truth"}}],
    }
    answer = server.post("/v1/comparisons", json=asked)
    assert answer.status_code == 202, answer.text
    name = answer.json()["id"]
    assert answer.json()["rows"] == ["truth · text", "truth · first frames"]
    ended(server, name)

    grid = look(server, name, "/likeness")
    likeness = {(cell["row"], cell["column"]): cell["likeness"] for cell in grid["cells"]}
    assert likeness[0, 0] is None
    assert likeness[0, 1]["psnr_db"] > 40  # the same seed again, encoded alike
    assert likeness[0, 2]["psnr_db"] < 30

    rows = list(csv.DictReader(io.StringIO(server.get(f"/v1/comparisons/{name}/export?form=csv").text)))
    assert [row["role"] for row in rows] == ["reference", "made", "made"] * 2
    assert float(rows[1]["psnr_db"]) == likeness[0, 1]["psnr_db"]
    with av.open(io.BytesIO(server.get(f"/v1/comparisons/{name}/export?form=mp4").content)) as mosaic:
        assert sum(1 for _ in mosaic.decode(video=0)) == 9
    with zipfile.ZipFile(io.BytesIO(server.get(f"/v1/comparisons/{name}/export?form=zip").content)) as page:
        assert {"index.html", "cells.csv"} < set(page.namelist())
        assert b"/v1/media/" not in page.read("index.html")
    _makes_again_what_was_deleted(server, name, grid)
    assert server.delete(f"/v1/comparisons/{name}").status_code == 204
    assert server.get(f"/v1/comparisons/{name}").json()["error"]["code"] == "comparison_not_found"


def _makes_again_what_was_deleted(server: RunningServer, name: str, grid: dict[str, Any]) -> None:
    """One cell's file is removed on disk, another is deleted for good: both are made again in their places."""
    cells = {(cell["row"], cell["column"]): cell for cell in grid["cells"]}
    on_disk, for_good = (cells[place]["item"]["id"] for place in ((0, 1), (1, 2)))
    for path in (server.data / "media").glob(f"*/{on_disk}.*"):
        path.unlink()
    server.post("/v1/library/trash", json={"ids": [for_good]})
    erased = httpx.request("DELETE", f"{server.url}/v1/library/trash", json={"ids": [for_good]}, timeout=30)
    assert erased.status_code == 200, erased.text
    exported = server.get(f"/v1/comparisons/{name}/export?form=csv").text
    assert [row["state"] for row in csv.DictReader(io.StringIO(exported))].count("gone") == 2

    assert server.post(f"/v1/comparisons/{name}/retry").status_code == 202
    again = {(cell["row"], cell["column"]): cell for cell in ended(server, name)["cells"]}

    assert {at: cell["item"]["id"] for at, cell in again.items() if at not in ((0, 1), (1, 2))} == {
        at: cell["item"]["id"] for at, cell in cells.items() if at not in ((0, 1), (1, 2))
    }
    for at in ((0, 1), (1, 2)):
        assert not again[at]["item"]["missing"]
        assert again[at]["job"]["request"]["sampling"] == cells[at]["job"]["request"]["sampling"]
    assert (again[0, 1]["item"]["id"] == on_disk, again[1, 2]["item"]["id"] == for_good) == (False, False)


def test_a_transfer_that_is_shown_as_it_is_is_measured_against_what_it_followed(
    server: RunningServer, make_clip: Callable[..., bytes], upload: Callable[[bytes], str]
):
    source = upload(make_clip(9))
    asked = {
        "kind": "transfer_video",
        "prompt": "outlines",
        "resolution": "256",
        "source_video": source,
        "num_frames": 9,
    }
    sampling = {"num_inference_steps": 1, "seed": 1}
    job = server.submit(**asked, controls=[{"hint": "edge"}], sampling=sampling)
    made = server.wait_job(job["id"])["results"][0]["id"]
    shown = server.post("/v1/comparisons", json={"subjects": [{"reference": source, "shown": [made]}]})
    assert shown.status_code == 202, shown.text

    grid = look(server, shown.json()["id"], "/likeness")

    truth, cell = grid["cells"]
    assert truth["likeness"] is None
    assert 0 <= cell["likeness"]["fidelity"] <= 1
    assert cell["likeness"]["psnr_db"] > 0


def test_a_cell_that_is_refused_says_why_and_the_others_are_made(server: RunningServer):
    asked = {
        "request": {"kind": "generate_image", "prompt": "x", "resolution": "256"},
        "axes": {"sampling.num_inference_steps": [1, 100_000]},
        "subjects": [{}],
    }
    server.post("/v1/queue/pause")
    try:
        grid = server.post("/v1/comparisons", json=asked).json()
        assert [bool(cell["job"]) for cell in grid["cells"]] == [True, False]
        assert "100000" in grid["cells"][1]["error"]["message"].replace(",", "")
        assert look(server, grid["id"], "/export?form=mp4")["error"]["code"] == "bad_input"
        assert server.delete(f"/v1/comparisons/{grid['id']}").json()["error"]["code"] == "conflict"
        assert states(server.post(f"/v1/comparisons/{grid['id']}/cancel").json()) == ["cancelled"]
        assert states(server.post(f"/v1/comparisons/{grid['id']}/retry").json()) == ["queued"]
    finally:
        server.post("/v1/queue/resume")
    assert states(ended(server, grid["id"])) == ["succeeded"]
    nothing = server.post("/v1/comparisons", json={**asked, "axes": {"sampling.num_inference_steps": [-1]}})
    assert nothing.status_code == 422


def test_a_comparison_that_was_removed_comes_back_with_an_import(server: RunningServer):
    asked = {
        "request": {"kind": "generate_image", "prompt": "x", "resolution": "256"},
        "axes": {"sampling.num_inference_steps": [1, 100_000], "sampling.seed": [1, 2]},
        "subjects": [{}],
    }
    before = ended(server, server.post("/v1/comparisons", json=asked).json()["id"])
    exported = server.get("/v1/library/export").content
    assert server.delete(f"/v1/comparisons/{before['id']}").status_code == 204

    report = server.post("/v1/library/import", content=exported).json()

    assert report["records"]["comparisons"]["num_added"] == 1
    after = look(server, before["id"])
    assert after["cells"] == before["cells"]
    assert [bool(cell["item"]) for cell in after["cells"]] == [True, True, False, False]

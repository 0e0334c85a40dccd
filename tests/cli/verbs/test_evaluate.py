"""`orrery evaluate`: a benchmark goes to the server with its media, and its scores come back."""

import csv
import json
import zipfile
from pathlib import Path

from running import RunningServer
from sent_files import clip_bytes, picture_bytes


def written(folder: Path, num: int = 3) -> Path:
    """A benchmark of pictures."""
    folder.mkdir()
    rows = [
        {
            "id": f"cube-{number}",
            "media": [f"cube-{number % 2}.png"],
            "question": "Which colour has the cube?",
            "choices": {"A": "red", "B": "blue"},
            "answer": "AB"[number % 2],
            "category": ("warm", "cold")[number % 2],
        }
        for number in range(num)
    ]
    for number in range(2):
        (folder / f"cube-{number}.png").write_bytes(picture_bytes(64 + 32 * number, 64))
    (folder / "items.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    (folder / "benchmark.toml").write_text('name = "cubes"\nform = "choice"\n[settings]\nmax_tokens = 8\n')
    return folder


def test_a_folder_is_sent_answered_and_scored_and_its_run_is_found_again(server: RunningServer, orrery, tmp_path: Path):
    folder = written(tmp_path / "cubes")
    result = orrery("evaluate", folder, "--trials", "2", "-o", tmp_path / "scores.csv", "--server", server.url)

    assert result.exit_code == 0, result.output
    assert "6 answered" in result.output
    assert "Accuracy" in result.output
    assert "warm" in result.output
    rows = list(csv.DictReader((tmp_path / "scores.csv").read_text().splitlines()))
    assert {row["group"] for row in rows} == {"all", "category"}
    sent = {item["title"] for item in server.get("/v1/library?evaluation=true").json()["items"]}
    assert {"cube-0.png", "cube-1.png"} <= sent
    assert "cube-0.png" in orrery("library", "--evaluation", "--server", server.url).output
    assert "cube-0.png" not in orrery("library", "--limit", "500", "--server", server.url).output
    listing = orrery("evaluate", "--list", "--server", server.url)
    assert "cubes" in listing.output
    run = server.get("/v1/runs").json()["runs"][0]
    assert (run["benchmark"], run["num_answered"], run["state"]) == ("cubes", 6, "succeeded")
    again = orrery("evaluate", "--run", run["id"], "-o", tmp_path / "scores.json", "--server", server.url)
    assert again.exit_code == 0, again.output
    assert json.loads((tmp_path / "scores.json").read_text())["overall"]["counts"]["answered"] == 6
    archive = tmp_path / "run.zip"
    archive.write_bytes(server.get(f"/v1/runs/{run['id']}/export").content)
    with zipfile.ZipFile(archive) as files:
        assert len(files.read("answers.jsonl").splitlines()) == 6
    rerun = orrery("evaluate", archive, "--server", server.url)
    assert rerun.exit_code == 0, rerun.output
    assert "6 answered" in rerun.output
    newest = server.get("/v1/runs").json()["runs"][0]
    assert newest["id"] != run["id"]
    items = [
        server.get(f"/v1/benchmarks/{each['benchmark_id']}").json()["benchmark"]["items"] for each in (run, newest)
    ]
    assert items[0] == items[1]


def test_a_row_that_cannot_be_used_and_a_call_without_a_benchmark_are_told(
    server: RunningServer, orrery, tmp_path: Path
):
    folder = written(tmp_path / "cubes")
    rows = (folder / "items.jsonl").read_text().splitlines()
    (folder / "items.jsonl").write_text("\n".join([rows[0], rows[1].replace('"answer": "B"', '"answer": "Z"')]))
    result = orrery("evaluate", folder, "--server", server.url)

    assert result.exit_code == 2
    assert "items.jsonl" in result.output
    assert "2" in result.output
    assert orrery("evaluate", "--server", server.url).exit_code == 2
    assert orrery("evaluate", "nothing-of-this-name", "--server", server.url).exit_code == 2


def test_boundaries_are_written_as_json_and_as_demonstrations(server: RunningServer, orrery, tmp_path: Path):
    video = server.post("/v1/media", files={"file": ("stack.mp4", clip_bytes(24))}).json()["id"]
    item = {"id": "stack_demo3", "media": [video], "events": ["grasping"], "reference": [1.0]}
    benchmark = {"name": "stack", "form": "events", "items": [item], "settings": {"max_tokens": 4}}
    added = server.post("/v1/benchmarks", json=benchmark).json()
    begun = orrery("evaluate", added["id"], "--server", server.url)
    assert begun.exit_code == 0, begun.output
    run = server.get("/v1/runs").json()["runs"][0]["id"]
    again = ("evaluate", "--run", run, "--server", server.url, "--boundaries")

    nothing = orrery(*again, tmp_path / "demos.zip")
    assert nothing.exit_code == 2
    assert "corrected boundaries" in nothing.output
    correction = {"item": "stack_demo3", "reference": [[0.25, 1.5]], "by": "ada"}
    assert server.put(f"/v1/runs/{run}/corrections", json=correction).status_code == 200
    assert orrery(*again, tmp_path / "demos.zip").exit_code == 0
    with zipfile.ZipFile(tmp_path / "demos.zip") as files:
        demo = json.loads(files.read("stack_demo3.json"))
    assert (demo["demo"], demo["subtask_indices"]) == ("demo_3", [[0, 20], [20, 24]])
    assert orrery(*again, tmp_path / "all.json").exit_code == 0
    (found,) = json.loads((tmp_path / "all.json").read_text())["items"]
    assert (found["corrected"][0]["end_s"], found["reference"][0]["end_s"], found["answered"]) == (1.5, 1.0, [])
    assert orrery(*again, tmp_path / "all.txt").exit_code == 2
    archive = tmp_path / "run.zip"
    archive.write_bytes(server.get(f"/v1/runs/{run}/export").content)
    gone = server.delete(f"/v1/runs/{run}/corrections", params={"item": "stack_demo3", "by": "ada"})
    assert gone.status_code == 204
    rerun = orrery("evaluate", archive, "--server", server.url)
    assert rerun.exit_code == 0, rerun.output
    (kept,) = server.get(f"/v1/runs/{run}/corrections").json()["corrections"]
    assert (kept["by"], kept["reference"]) == ("ada", [[0.25, 1.5]])

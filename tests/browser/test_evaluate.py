"""Evaluate: a run is started, outlives a reload, and is read as a table and answer by answer."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.conftest import OpenPage
from browser.keeping_page import visit
from browser.test_accessibility import serious_violations
from running import RunningServer
from sent_files import clip_bytes, picture_bytes

pytestmark = pytest.mark.browser


def benchmark(num_items: int, name: str, media: str) -> dict[str, object]:
    """Questions about one picture."""
    items = [
        {
            "id": f"cube-{number}",
            "media": [media],
            "question": f"Which colour has cube {number}?",
            "choices": {"A": "red", "B": "blue"},
            "reference": "AB"[number % 2],
            "category": ("warm", "cold")[number % 2],
        }
        for number in range(num_items)
    ]
    return {"name": name, "title": name.title(), "form": "choice", "items": items, "settings": {"max_tokens": 6}}


def add(studio: RunningServer, num_items: int, name: str) -> None:
    media = studio.post("/v1/media", files={"file": ("cube.png", picture_bytes(64, 64))}).json()["id"]
    assert studio.post("/v1/benchmarks", json=benchmark(num_items, name, media)).status_code == 201


def benchmarks(page: Page) -> Locator:
    return page.locator("select[name=benchmark]")


def runs(page: Page) -> Locator:
    return page.get_by_role("region", name="Runs").get_by_role("listitem")


def test_a_run_outlives_a_reload_and_is_read_as_a_table_and_answer_by_answer(
    open_page: OpenPage, studio: RunningServer
):
    add(studio, 24, "parrots")
    page = visit(open_page(), "evaluate")
    benchmarks(page.page).select_option(label="Parrots")
    page.page.get_by_label("Trials").fill("2")
    page.page.get_by_role("button", name="Start run").click()
    expect(runs(page.page).first).to_contain_text("of 48 answers")
    page.page.reload()
    first = runs(page.page).first
    expect(first).to_contain_text("done · 48 of 48 answers", timeout=120_000)
    scores = page.page.get_by_role("region", name="Scores")
    expect(scores.locator("[data-metric=accuracy]")).to_contain_text("%")
    expect(scores.locator("[data-group=warm]")).to_be_visible()
    page.page.get_by_label("Metric of the table").select_option("parseable")
    expect(page.page.get_by_label("Metric of the table")).to_have_value("parseable")
    answers = page.page.get_by_role("region", name="Answers")
    expect(answers.locator("[data-item]")).to_have_count(10)
    expect(answers.locator("[data-item=cube-0] pre")).to_have_count(2)
    answers.get_by_label("Category of the questions").select_option("cold")
    expect(answers.locator("[data-item]").first).to_have_attribute("data-item", "cube-1")
    answers.get_by_role("button", name="Show more").click()
    expect(answers.locator("[data-item]")).to_have_count(12)
    assert serious_violations(page) == []


def test_two_runs_stand_beside_each_other_and_one_is_deleted(open_page: OpenPage, studio: RunningServer):
    add(studio, 3, "macaws")
    for title in ("Before", "After"):
        started = studio.post("/v1/runs", json={"benchmark": "macaws", "title": title})
        assert started.status_code == 202, started.text
    page = visit(open_page(color_scheme="dark"), "evaluate")
    for title in ("Before", "After"):
        row = runs(page.page).filter(has_text=title)
        expect(row).to_contain_text("done", timeout=60_000)
        row.get_by_role("checkbox").check()
    head = page.page.get_by_role("region", name="Scores").get_by_role("columnheader")
    expect(head.filter(has_text="Before").first).to_be_visible()
    expect(head.filter(has_text="After").first).to_be_visible()
    expect(page.page.get_by_label("Order of the questions")).to_be_visible()
    with page.page.expect_download() as download:
        page.page.get_by_role("button", name="Table (CSV)").click()
    assert "accuracy" in Path(download.value.path()).read_text()
    assert serious_violations(page) == []
    runs(page.page).filter(has_text="Before").get_by_role("button", name="Delete run").click()
    page.page.get_by_role("alertdialog").get_by_role("button", name="Delete run").click()
    expect(runs(page.page).filter(has_text="Before")).to_have_count(0)


def test_a_benchmark_comes_from_files_and_a_bad_line_is_named(open_page: OpenPage, tmp_path: Path):
    row = {"media": "seen.png", "question": "What is it?", "choices": {"A": "a cup", "B": "a cube"}, "answer": "B"}
    (tmp_path / "lories.jsonl").write_text(json.dumps(row) + "\n\n" + json.dumps(row | {"answer": "A"}))
    (tmp_path / "broken.jsonl").write_text("{")
    (tmp_path / "seen.png").write_bytes(picture_bytes(80, 64))
    page = visit(open_page(), "evaluate")
    files = page.page.get_by_label("Add a benchmark").and_(page.page.locator("input"))
    files.set_input_files([tmp_path / "broken.jsonl"])
    expect(page.page.get_by_text("Line 1 of broken.jsonl is not JSON.")).to_be_visible()
    files.set_input_files([tmp_path / "lories.jsonl"])
    expect(page.page.get_by_text("seen.png is not among the selected files.")).to_be_visible()
    files.set_input_files([tmp_path / "lories.jsonl", tmp_path / "seen.png"])
    expect(benchmarks(page.page).locator("option:checked")).to_have_text("lories")
    expect(page.page.get_by_text("2 questions · multiple choice")).to_be_visible()


def test_an_unpacked_run_is_added_with_its_corrections_and_its_media_are_behind_a_button(
    open_page: OpenPage, studio: RunningServer, tmp_path: Path
):
    item = {"id": "1", "media": ["media/lift.mp4"], "events": ["grasping"], "reference": [1.0]}
    said = {"item": "1", "reference": [[0.25, 1.25]], "by": "ada", "created_at": "2026-11-26T10:00:00Z"}
    files = {
        "answers.jsonl": "",
        "benchmark.json": json.dumps({"name": "cockatoos", "title": "Cockatoos", "form": "events"}),
        "corrections.jsonl": json.dumps(said),
        "items.jsonl": json.dumps(item),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "lift.mp4").write_bytes(clip_bytes(30))
    page = visit(open_page(), "evaluate").page
    chosen = page.get_by_label("Add a benchmark").and_(page.locator("input"))
    chosen.set_input_files([tmp_path / name for name in (*files, "lift.mp4")])
    expect(page.get_by_text("Cockatoos: 1 question added")).to_be_visible()
    expect(benchmarks(page).locator("option:checked")).to_have_text("Cockatoos")
    run = studio.post("/v1/runs", json={"benchmark": "cockatoos", "settings": {"trials": 1, "max_tokens": 4}}).json()
    (kept,) = studio.get(f"/v1/runs/{run['id']}/corrections").json()["corrections"]
    assert (kept["by"], kept["reference"]) == ("ada", [[0.25, 1.25]])

    library = visit(open_page(), "library").page
    expect(library.get_by_text("lift.mp4")).to_have_count(0)
    library.get_by_role("button", name="Benchmarks and their runs").click()
    expect(library.get_by_text("lift.mp4").first).to_be_visible()


def test_a_policys_run_is_read_by_level_and_is_not_started_here(open_page: OpenPage, studio: RunningServer):
    levels = ("vague", "default", "specific")
    items = [{"id": f"table/{level}/1", "question": f"{level}: lift it", "category": level} for level in levels]
    added = studio.post(
        "/v1/benchmarks", json={"name": "table", "title": "Table", "form": "policy", "items": items}
    ).json()
    run = studio.post("/v1/runs", json={"benchmark": added["id"], "reasoner": "pocket"}).json()
    text = json.dumps({"success": True, "lifted": True, "stopped": "", "seconds": 2.5})
    answers = [{"item": item["id"], "text": text} for item in items]
    assert studio.post(f"/v1/runs/{run['id']}/answers", json={"answers": answers}).status_code == 200

    page = visit(open_page(), "evaluate", f"?run={run['id']}")
    expect(runs(page.page).first).to_contain_text("Task success 100.0 %")
    scores = page.page.get_by_role("region", name="Scores")
    for level in levels:
        expect(scores).to_contain_text(level)
    benchmarks(page.page).select_option(label="Table")
    expect(page.page.get_by_text("Start it with orrery evaluate-policy")).to_be_visible()
    expect(page.page.get_by_role("button", name="Start run")).to_be_disabled()

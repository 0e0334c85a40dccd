"""Evaluate with a generator: made items stand beside their reference, and saves of a training are curves."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import visit
from browser.test_accessibility import serious_violations
from browser.test_evaluate import benchmarks, runs
from running import RunningServer
from sent_files import picture_bytes

pytestmark = pytest.mark.browser

STILL: dict[str, Any] = {"kind": "generate_image", "resolution": "256", "aspect_ratio": "1:1", "prompt": "a cube"}
QUERY = "transformer.layers.0.self_attn.to_q"


def write_saves(folder: Path) -> None:
    """`lift@10` and `lift@20`, which fit speck."""
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(0)
    tensors = {
        f"{QUERY}.lora_A.weight": random.normal(size=(4, 64)).astype(np.float32),
        f"{QUERY}.lora_B.weight": random.normal(size=(128, 4)).astype(np.float32),
    }
    for step in (10, 20):
        safetensors.numpy.save_file(tensors, folder / f"lift@{step}.safetensors")


def test_a_generators_run_is_started_read_and_drawn_over_saves(open_page: OpenPage, studio: RunningServer):
    write_saves(studio.data / "adapters")
    truth = studio.wait_job(studio.submit(**STILL, sampling={"num_inference_steps": 1, "seed": 0})["id"])
    media = truth["results"][0]["id"]
    items = [{"id": "cube", "request": {**STILL, "sampling": {"seed": 0}}, "reference": {"media": media}}]
    added = {"name": "cubes", "title": "Cubes, generated", "form": "generation", "items": items}
    assert studio.post("/v1/benchmarks", json=added).status_code == 201

    page = visit(open_page(), "evaluate")
    benchmarks(page.page).select_option(label="Cubes, generated")
    expect(page.page.get_by_text("1 request · generation")).to_be_visible()
    page.page.get_by_label("Steps").fill("1")
    page.page.get_by_role("button", name="Start run").click()
    expect(runs(page.page).first).to_contain_text("done · 1 of 1 answers", timeout=60_000)
    expect(runs(page.page).first).to_contain_text("PSNR 100.00 dB")
    for step in ("lift@10", "lift@20"):
        page.page.get_by_label("LoRA adapter").select_option(step)
        page.page.get_by_role("button", name="Start run").click()
        expect(runs(page.page).filter(has_text=step)).to_contain_text("PSNR", timeout=60_000)

    made = page.page.get_by_role("region", name="Answers").locator("[data-item=cube]")
    expect(made.locator("figure")).to_have_count(2)
    curves = page.page.get_by_role("region", name="Curves over saves")
    expect(curves.locator("[data-metric=psnr_db]")).to_contain_text("at step 10")
    expect(curves.locator("[data-metric=psnr_db]")).to_contain_text("Baseline: 100.00 dB")
    with page.page.expect_download() as download:
        curves.get_by_role("button", name="Curves (CSV)").click()
    assert '"lift","speck","1","psnr_db","20"' in Path(download.value.path()).read_text()
    assert serious_violations(page) == []

    others = {**added, "name": "others", "title": "Others, generated", "items": [{**items[0], "id": "other"}]}
    assert studio.post("/v1/benchmarks", json=others).status_code == 201
    benchmarks(page.page).select_option(label="Others, generated")
    page.page.get_by_label("LoRA adapter").select_option("")
    page.page.get_by_role("button", name="Start run").click()
    expect(page.page.get_by_role("region", name="Answers").locator("[data-item=other]")).to_be_visible(timeout=60_000)
    expect(curves).to_have_count(0)


def test_files_of_requests_are_found_in_the_fields_that_take_them(
    open_page: OpenPage, studio: RunningServer, tmp_path: Path
):
    row = {"id": "truth.png", "request": {**STILL, "prompt": "truth.png"}, "reference": {"media": "truth.png"}}
    (tmp_path / "truths.jsonl").write_text(json.dumps(row))
    (tmp_path / "truth.png").write_bytes(picture_bytes(80, 64))
    page = visit(open_page(), "evaluate").page
    files = page.get_by_label("Add a benchmark").and_(page.locator("input"))
    files.set_input_files([tmp_path / "truths.jsonl", tmp_path / "truth.png"])
    expect(page.get_by_text("truths: 1 request added")).to_be_visible()
    (item,) = studio.get("/v1/benchmarks/truths").json()["benchmark"]["items"]
    assert (item["id"], item["request"]["prompt"]) == ("truth.png", "truth.png")
    assert item["media"] == [item["reference"]["media"]]

"""What the API and the command line made, on the page: clips and actions."""

import io
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.studio_page import StudioPage
from running import RunningServer

pytestmark = pytest.mark.browser


def made(studio: RunningServer, page: StudioPage, request: dict[str, Any]) -> str:
    answer = studio.post("/v1/jobs", json={"sampling": {"num_inference_steps": 2, "seed": 5}, **request})
    job = answer.raise_for_status().json()["id"]
    page.strip.locator(f"[data-job='{job}']").click()
    page.wait_state("succeeded", job)
    return job


def uploaded_picture(studio: RunningServer) -> str:
    buffer = io.BytesIO()
    Image.new("RGB", (320, 240), "teal").save(buffer, "PNG")
    return studio.post("/v1/media", files={"file": ("a.png", buffer.getvalue())}).json()["id"]


def test_a_clip_plays_on_the_stage(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit()
    job = made(studio, page, {"kind": "generate_video", "prompt": "a cube", "num_frames": 5})
    clip = page.stage.locator("video")
    expect(clip).to_be_visible()
    expect(clip).to_have_attribute("aria-label", "Video 1 of 1, seed 5")
    page.page.wait_for_function("() => document.querySelector('o-stage video').readyState >= 2")
    expect(page.card).to_contain_text("256×256×5 · 12 fps · 2 steps")
    expect(page.card.get_by_role("button", name="Use again")).to_be_visible()
    with page.page.expect_download() as download:
        page.card.get_by_text("Download").click()
    assert download.value.suggested_filename == f"orrery-{job}-0.mp4"


def test_actions_without_a_clip_are_drawn_as_lines(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit()
    asked = {"kind": "run_policy", "prompt": "push", "start_image": uploaded_picture(studio), "embodiment": "umi"}
    job = made(studio, page, {**asked, "num_actions": 8, "decode_video": False})
    chart = page.stage.get_by_role("img", name="8 actions of 10 values")
    expect(chart).to_be_visible()
    expect(chart.locator("polyline")).to_have_count(10)
    expect(page.stage.locator("video")).to_be_hidden()
    expect(page.card).to_contain_text("umi · 8 actions")
    with page.page.expect_download() as download:
        page.card.get_by_text("Download").click()
    assert download.value.suggested_filename == f"orrery-{job}-0-actions.json"


def test_a_picture_comes_back_after_a_clip_and_a_chart(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit()
    page.generate("a cube")
    page.wait_picture()
    picture = page.newest()
    made(studio, page, {"kind": "generate_video", "prompt": "a cube", "num_frames": 5})
    expect(page.stage.locator("video")).to_be_visible()
    page.strip.locator(f"[data-job='{picture}']").click()
    page.wait_picture()
    expect(page.stage.locator("video")).to_be_hidden()

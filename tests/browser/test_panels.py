"""Every panel makes what it is for, from its own example, on the tiny checkpoint."""

import io
import re

import httpx
import pytest
from PIL import Image
from playwright.sync_api import Locator, expect

from browser.conftest import OpenPage
from browser.studio_page import JOB_MS, StudioPage
from frontend.static_files import FOLDER
from running import RunningServer

pytestmark = pytest.mark.browser

CLIP = (FOLDER / "sample.mp4").read_bytes()


def picture(colour: str = "teal") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (320, 240), colour).save(buffer, "PNG")
    return buffer.getvalue()


def uploaded(studio: RunningServer, content: bytes) -> str:
    return httpx.post(f"{studio.url}/v1/media", files={"file": ("a", content)}, timeout=30).json()["id"]


def few_steps(page: StudioPage) -> None:
    page.steps.fill("2")
    page.steps.blur()


def media(page: StudioPage) -> Locator:
    return page.page.locator(".o-media").first


def test_a_clip_goes_on_from_another_and_is_stepped_through(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit("video")
    page.example("From a video")
    expect(media(page)).to_contain_text("17 frames")
    expect(page.field("@start")).to_contain_text("5 of 17 frames")
    few_steps(page)
    job = page.submit()
    page.wait_clip()
    asked = studio.job(job)["request"]
    assert asked["source_video"].startswith("u")
    assert asked["condition_frames"] == [0, 1]
    player = page.page.locator(".o-player")
    stopped_s = page.stage.locator("video").evaluate(
        """clip => new Promise((done) => {
            const say = () => done(clip.currentTime);
            if (clip.paused) say();
            clip.addEventListener("pause", say, { once: true });
            clip.pause() })"""
    )
    before = int(stopped_s * asked["fps"] + 1e-3)
    expect(player).to_have_attribute("data-frame", str(before))  # drawn at the next animation frame
    page.page.keyboard.press("l")
    expect(player).to_have_attribute("data-frame", str((before + 1) % 17))
    page.page.keyboard.press("ArrowLeft")
    expect(player).to_have_attribute("data-frame", str(before))
    # A reload finds the result, and the form as it was.
    page.reload()
    page.wait_clip()
    expect(page.stage).to_have_attribute("data-job", job)
    expect(media(page)).to_contain_text("17 frames")


def test_what_is_dropped_decides_what_a_clip_starts_from(open_page: OpenPage):
    page = open_page().visit("video")
    start = page.page.locator("o-start")
    expect(start).to_have_attribute("data-mode", "text")
    page.drop("clip.mp4", CLIP, "video/mp4", on=".o-media")
    expect(start).to_have_attribute("data-mode", "clip")
    page.drop("table.png", picture(), on=".o-media")
    expect(start).to_have_attribute("data-mode", "image")
    page.page.get_by_role("button", name="Remove: Start from").click()
    expect(start).to_have_attribute("data-mode", "text")


def test_a_picture_is_picked_from_the_library(open_page: OpenPage, studio: RunningServer):
    media_id = uploaded(studio, picture("orange"))
    page = open_page().visit("video")
    page.page.get_by_role("button", name="Library", exact=True).click()
    page.page.locator(f".o-picker [data-media='{media_id}']").click()
    expect(media(page)).to_have_attribute("data-media", media_id)
    expect(media(page)).to_contain_text("320×240")


def test_sound_stands_below_its_clip_and_can_be_heard(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit("sound")
    page.prompt.fill("rain")
    few_steps(page)
    job = page.submit()
    page.wait_clip()
    assert studio.job(job)["results"][0]["has_sound"]
    expect(page.page.locator(".o-wave")).to_be_visible()
    expect(page.page.locator(".o-wave")).not_to_have_attribute("data-peaks", "0")
    page.page.get_by_role("button", name="Unmute").click()
    assert not page.stage.locator("video").evaluate("clip => clip.muted")


def test_a_control_is_seen_before_it_is_followed(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit("transfer")
    page.example("Outlines and blur")
    edges = page.page.locator(".o-control[data-hint=edge]")
    expect(edges.locator(".o-control-preview")).to_have_attribute("data-ready", "true", timeout=JOB_MS)
    edges.get_by_role("button", name="high", exact=True).click()
    expect(edges.locator("img").first).to_have_attribute("src", re.compile("strength=high"))
    edges.get_by_label("Weight of Edges").fill("2")
    few_steps(page)
    job = page.submit()
    page.wait_clip()
    assert studio.job(job)["request"]["controls"] == [
        {"hint": "edge", "video": None, "strength": "high", "weight": 2.0},
        {"hint": "blur", "video": None, "strength": "high", "weight": 0.5},
    ]


def test_a_curve_is_drawn_with_the_keyboard_and_its_clip_shows_it(open_page: OpenPage, studio: RunningServer):
    page = open_page(locale="en-GB").visit("world")  # a profile of its own: no draft has these actions already
    page.example("Push to the right")
    expect(media(page)).to_contain_text("256×256")
    knob = page.page.get_by_role("slider", name="Value of one row")
    knob.focus()
    page.page.keyboard.press("End")
    expect(knob).to_have_attribute("aria-valuetext", "row 16: 0.75")
    page.page.keyboard.press("PageDown")
    expect(knob).not_to_have_attribute("aria-valuetext", "row 16: 0.75")
    few_steps(page)
    job = page.submit()
    page.wait_clip()
    actions = studio.job(job)["request"]["actions"]
    assert (len(actions), actions[14][0]) == (16, 0.7)
    assert actions[15][0] < 0.75
    expect(page.stage.get_by_role("img", name="16 actions of 2 values")).to_be_visible()


def test_actions_are_found_in_a_clip(open_page: OpenPage):
    page = open_page().visit("inverse")
    page.example("The arm above the table")
    expect(media(page)).to_contain_text("17 frames")
    few_steps(page)
    page.submit()
    page.wait_state("succeeded")
    expect(page.stage.locator(".o-frame svg polyline")).to_have_count(8)
    expect(page.stage).to_contain_text("gripper")


def test_a_policy_plans_from_a_picture_and_a_state(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit("policy")
    page.example("Lift the cube")
    expect(media(page)).to_contain_text("256×256")
    page.page.get_by_label("joint 2").fill("-0.5")
    page.page.get_by_label("joint 2").blur()
    few_steps(page)
    job = page.submit()
    page.wait_clip()
    assert studio.job(job)["request"]["state"][1] == -0.5
    expect(page.stage.get_by_role("img", name="16 actions of 8 values")).to_be_visible()


def test_what_is_missing_is_said_where_it_belongs(open_page: OpenPage):
    page = open_page(allowed=("status of 422",)).visit("policy")
    page.prompt.fill("lift")
    page.button.click()
    expect(page.field("@start")).to_contain_text("This is required")

"""The settings of a browser: the theme, whether videos play at once, and the unit of angles."""

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import make_clip
from browser.test_accessibility import serious_violations
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_theme_follows_the_system_again_once_it_is_set_so(open_page: OpenPage):
    page = open_page(color_scheme="light").visit()
    page.page.get_by_role("button", name="Dark mode").click()
    page.page.locator("[data-do=settings]").click()
    dialog = page.page.get_by_role("dialog", name="Settings")
    expect(dialog.get_by_label("Dark")).to_be_checked()
    assert serious_violations(page) == []
    dialog.get_by_label("System").check()
    assert not page.page.evaluate("() => document.body.classList.contains('dark')")
    expect(page.page.get_by_role("button", name="Dark mode")).to_have_attribute("aria-pressed", "false")
    page.page.emulate_media(color_scheme="dark")
    page.page.wait_for_function("() => document.body.classList.contains('dark')")
    page.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_videos_wait_to_be_played_where_that_is_set(open_page: OpenPage, studio: RunningServer):
    job = make_clip(studio, "a clip that waits").partition("-")[0]
    page = open_page(locale="en-GB").visit("video")
    page.page.locator("[data-do=settings]").click()
    page.page.get_by_role("dialog", name="Settings").get_by_label("Off").check()
    page.visit("video", f"?job={job}")
    page.wait_clip()
    assert page.stage.locator("video").evaluate("clip => clip.paused")


def test_a_page_opens_with_the_preset_that_is_marked(open_page: OpenPage, studio: RunningServer):
    saved = {"kind": "generate_image", "name": "Seven steps", "values": {"sampling": {"num_inference_steps": 7}}}
    preset = studio.post("/v1/presets", json=saved).json()["id"]
    page = open_page().visit()
    page.steps.fill("3")
    page.steps.blur()
    page.wait_value("sampling.num_inference_steps", 3)
    mark = page.page.get_by_role("button", name="Open this page with Seven steps")
    page.page.locator("[data-do=presets]").click()
    mark.click()
    expect(mark).to_have_attribute("aria-pressed", "true")
    page.visit()
    expect(page.steps).to_have_value("7")
    page.page.locator("[data-do=presets]").click()
    mark.click()
    page.page.keyboard.press("Escape")
    page.steps.fill("3")
    page.steps.blur()
    page.wait_value("sampling.num_inference_steps", 3)
    page.reload()
    expect(page.steps).to_have_value("3")
    studio.delete(f"/v1/presets/{preset}").raise_for_status()

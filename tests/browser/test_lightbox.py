"""One item over the whole page, from the stage and from the library."""

import re

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import make_actions, make_clip, make_picture, tile, visit
from browser.test_accessibility import serious_violations
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_results_of_a_job_are_enlarged_and_leafed_through_with_the_keyboard(open_page: OpenPage):
    page = open_page().visit()
    count = page.field("count").locator("input[type=number]")
    count.fill("3")
    count.blur()
    job = page.generate("three to look at")
    page.wait_picture()
    page.stage.focus()
    page.page.keyboard.press("f")
    box = page.page.locator("dialog.o-lightbox")
    expect(box).to_have_attribute("data-media", f"{job}-0")
    expect(box).to_contain_text("1 of 3")
    expect(box).to_contain_text("three to look at")
    page.page.keyboard.press("ArrowRight")
    expect(box).to_have_attribute("data-media", f"{job}-1")
    expect(box.locator("img[alt]:not([alt=''])")).to_have_count(1)
    page.page.keyboard.press("End")
    expect(box.get_by_role("button", name="Next item")).to_be_disabled()
    box.get_by_role("button", name="Show item 1").click()
    expect(box).to_have_attribute("data-media", f"{job}-0")
    assert serious_violations(page) == []
    page.page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    expect(page.stage).to_have_attribute("data-state", "succeeded")


def test_actions_stand_in_the_strip_without_a_picture(open_page: OpenPage, studio: RunningServer):
    picture = make_picture(studio, "beside actions")
    make_actions(studio, picture)
    page = visit(open_page(), "library")
    tile(page, picture).locator(".o-tile-open").click()
    page.page.locator("[data-do=enlarge]").click()
    strip = page.page.locator("dialog.o-lightbox .o-lightbox-strip")
    expect(strip.locator("img").first).to_be_visible()
    expect(strip.locator("button:not(:has(img)) svg").first).to_be_visible()


def test_zoom_is_kept_within_the_frame_and_begins_anew_with_each_item(open_page: OpenPage, studio: RunningServer):
    first, second = (make_picture(studio, f"closer {index}", sampling={"seed": index}) for index in (1, 2))
    page = visit(open_page(), "library")
    tile(page, second).locator(".o-tile-open").click()
    page.page.locator("[data-do=enlarge]").click()
    box = page.page.locator("dialog.o-lightbox")
    box.get_by_role("button", name="Zoom in").click()
    body = box.locator(".o-lightbox-body")
    expect(body).to_have_attribute("data-zoomed", "")
    expect(box.get_by_role("button", name="Fit")).to_have_text("1.5×")
    page.page.keyboard.press("ArrowRight")  # the older one
    expect(box).to_have_attribute("data-media", first)
    expect(body).not_to_have_attribute("data-zoomed", "")
    page.page.keyboard.press("Escape")
    # The library goes on from what was looked at last.
    expect(page.page.locator("o-library-peek")).to_have_attribute("data-id", first)


def test_a_clip_is_played_there_by_its_own_keys(open_page: OpenPage, studio: RunningServer):
    clip = make_clip(studio, "a clip to enlarge")
    page = visit(open_page(), "library")
    tile(page, clip).locator(".o-tile-open").click()
    expect(page.page.locator("[data-do=enlarge]")).to_be_visible()
    page.page.keyboard.press("f")
    player = page.page.locator("dialog.o-lightbox .o-player")
    expect(player).to_have_attribute("data-frame", re.compile(r"\d+"))
    before = int(player.get_attribute("data-frame") or 0)
    page.page.keyboard.press("l")
    expect(player).to_have_attribute("data-frame", str(before + 1))


def test_a_cell_of_a_comparison_and_what_is_asked_about_are_enlarged_too(open_page: OpenPage, studio: RunningServer):
    one, other = (make_picture(studio, f"beside {index}", sampling={"seed": index}) for index in (3, 4))
    page = visit(open_page(), "compare", f"?items={one},{other}").page
    page.locator(f".o-clip[data-media='{one}']").hover()
    page.get_by_role("button", name="Enlarge A").click()
    box = page.locator("dialog.o-lightbox")
    expect(box).to_contain_text("1 of 2")
    page.keyboard.press("ArrowRight")
    expect(box).to_have_attribute("data-media", other)
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    ask = visit(open_page(), "ask", f"?from={one}").page
    ask.locator("[data-do=enlarge]").click()
    expect(ask.locator("dialog.o-lightbox")).to_have_attribute("data-media", one)

"""Videos are trimmed where they are looked at, and joined where they are selected."""

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import make_clip, tile, visit
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def newest(studio: RunningServer) -> dict[str, object]:
    return studio.get("/v1/library?limit=1&type=video").json()["items"][0]


def test_a_video_is_trimmed_to_the_frames_that_were_chosen(open_page: OpenPage, studio: RunningServer):
    clip = make_clip(studio, "a clip to trim")
    page = visit(open_page(), "library")
    tile(page, clip).locator(".o-tile-open").click()
    peek = page.page.locator("o-library-peek")
    peek.get_by_text("Trim and join").click()
    save = peek.locator("[data-do=trim]")
    expect(save).to_be_disabled()
    peek.get_by_label("First frame").fill("3")
    peek.get_by_label("First frame").blur()
    peek.locator("video").evaluate("clip => clip.pause()")
    for _ in range(6):
        page.page.keyboard.press("j")
    expect(save).to_have_text("Save 7 frames")
    peek.locator("label", has_text="Last frame").get_by_role("button", name="Frame shown").click()
    expect(save).not_to_have_text("Save 7 frames")
    # The player may still be seeking: how many frames there are is what the two fields say.
    count = int(peek.get_by_label("Last frame").input_value()) - 2
    expect(save).to_have_text(f"Save {count} frames")
    save.click()
    expect(page.page.locator(".o-toast")).to_contain_text(f"a video of {count} frames")
    assert newest(studio)["num_frames"] == count
    page.page.locator(".o-toast").get_by_role("link", name="Show").click()
    expect(page.page.locator("o-library-peek")).to_have_attribute("data-id", str(newest(studio)["id"]))


def test_selected_videos_are_joined_in_the_order_of_selection(open_page: OpenPage, studio: RunningServer):
    clips = [make_clip(studio, f"a clip to join {index}") for index in range(2)]
    page = visit(open_page(), "library")
    for clip in clips:
        tile(page, clip).hover()
        tile(page, clip).locator("[data-do=choose]").click()
    page.page.locator("o-library-chosen [data-do=join]").click()
    expect(page.page.locator(".o-toast")).to_contain_text("a video of 18 frames")
    assert newest(studio)["num_frames"] == 18

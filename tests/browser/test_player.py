"""The bar under a clip: on a phone's full screen, and the sound as a line wherever a clip with sound is looked at."""

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import OpenPage
from browser.keeping_page import tile, visit
from running import RunningServer, wait_for

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.fixture(scope="module")
def clip(studio: RunningServer) -> str:
    """Id of a job that made a clip with sound."""
    asked = {
        "kind": "generate_video",
        "prompt": "a clip that is heard",
        "resolution": "256",
        "aspect_ratio": "1:1",
        "num_frames": 9,
        "fps": 12,
        "sound": True,
        "sampling": {"num_inference_steps": 1},
    }
    return studio.wait_job(studio.post("/v1/jobs", json=asked).json()["id"])["id"]


def is_reachable(page: Page, name: str) -> bool:
    """Whether a button of that name lies within the screen, whole."""
    box = page.locator(f".o-player:visible [aria-label='{name}']").bounding_box()
    size = page.viewport_size
    assert size is not None
    return box is not None and box["x"] >= 0 and box["x"] + box["width"] <= size["width"]


def test_the_full_screen_of_a_phone_has_the_bar_and_the_sound(open_page: OpenPage, clip: str):
    page = open_page(**PHONE).visit("sound", f"?job={clip}")
    page.wait_clip()
    page.page.get_by_role("button", name="Unmute").click()
    page.page.get_by_role("button", name="Full screen").click()
    leave = page.page.get_by_role("button", name="Exit full screen")
    expect(leave).to_be_visible()
    assert page.page.evaluate("() => document.fullscreenElement.matches('o-stage')")
    for name in ("Frame", "Mute", "Exit full screen"):
        wait_for(lambda name=name: is_reachable(page.page, name), 20)  # the screen grows for a while
    expect(page.page.locator(".o-wave")).to_be_visible()
    assert not page.page.evaluate("() => document.querySelector('o-stage video').muted")
    leave.click()
    expect(page.page.get_by_role("button", name="Full screen", exact=True)).to_be_visible()
    assert page.page.evaluate("() => document.fullscreenElement === null")


def test_a_phone_that_grows_nothing_but_videos_grows_the_video(open_page: OpenPage, clip: str):
    page = open_page(**PHONE)
    page.page.add_init_script(
        "delete Element.prototype.requestFullscreen;"
        "HTMLVideoElement.prototype.webkitEnterFullscreen = function () { this.dataset.grown = '' };"
    )
    page.visit("sound", f"?job={clip}")
    page.wait_clip()
    page.page.get_by_role("button", name="Full screen").click()
    expect(page.page.locator("o-stage video")).to_have_attribute("data-grown", "")


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_the_sound_of_a_clip_is_a_line_in_the_library_too(open_page: OpenPage, clip: str, options: dict[str, object]):
    page = visit(open_page(**options), "library")
    tile(page, f"{clip}-0").locator(".o-tile-open").click()
    wave = page.page.locator("o-library-peek .o-wave")
    expect(wave).to_be_visible()
    expect(wave).not_to_have_attribute("data-peaks", "0")
    wait_for(lambda: is_reachable(page.page, "Full screen"), 20)
    wave.click(position={"x": 2, "y": 10})
    expect(page.page.locator("o-library-peek .o-player")).to_have_attribute("data-frame", "0")

"""The frame of the page: in the served HTML, in both themes, on a phone, fast."""

import time
from collections.abc import Iterable
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import visit, wait_usable
from browser.studio_page import IMAGE
from browser.test_accessibility import serious_violations
from frontend import element_ids
from running import RunningServer

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
SERVED_S = 0.5
"""What it guards against (Gradio copying its whole configuration for every page) took 0.5 to 1.7 s; 5 ms is usual."""


def test_rail_and_header_are_in_the_served_html(studio: RunningServer):
    html = studio.get("/").text
    assert '<o-header role="banner"' in html
    assert f'<o-rail id="{element_ids.RAIL}"' in html
    assert 'aria-current="page"' in html
    assert html.index("<o-header") < html.index("<gradio-app")


def test_the_page_is_served_without_building_it_anew(studio: RunningServer):
    taken: list[float] = []
    with httpx.Client(base_url=studio.url, timeout=30) as client:
        for _ in range(11):
            began = time.perf_counter()
            client.get("/").raise_for_status()
            taken.append(time.perf_counter() - began)
    assert min(taken[1:]) < SERVED_S, taken  # each was as slow; the others wait for a core


# Paths that the served head announces; Gradio's own announcements say what they are of.
ANNOUNCED = """() => {
    const links = document.querySelectorAll("link[rel=modulepreload]:not([as]), link[rel=stylesheet]:not([disabled])");
    return [...links].map(({ href }) => new URL(href).pathname);
}"""
QUIET_MS = 500


def of_gradio(paths: Iterable[str]) -> list[str]:
    return sorted({path for path in paths if path.startswith("/assets/")})


@pytest.mark.parametrize("place", ["image", "library"])
def test_all_that_a_page_needs_of_gradio_is_announced_and_nothing_else(open_page: OpenPage, place: str):
    page = open_page()
    asked: list[str] = []
    # Not from the page's own record of its resources, which has been seen empty in a browser that many tests had used.
    page.page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    page.visit() if place == IMAGE else visit(page, place)
    before = -1
    while before != len(of_gradio(asked)):
        before = len(of_gradio(asked))
        page.page.wait_for_timeout(QUIET_MS)
    assert of_gradio(page.page.evaluate(ANNOUNCED)) == of_gradio(asked)
    assert {path.partition("-")[0] for path in of_gradio(asked)} >= {"/assets/Blocks", "/assets/HTML", "/assets/page"}


def test_only_our_own_pages_are_touched(studio: RunningServer):
    assert "o-header" not in studio.get("/docs").text


def test_the_header_says_what_is_loaded_and_that_it_draws_noise(open_page: OpenPage):
    page = open_page().visit()
    pill = page.page.locator("[data-pill=checkpoint]")
    expect(pill).to_have_attribute("data-state", "ready")
    expect(pill).to_contain_text("speck")
    expect(pill).to_contain_text("ready")
    page.page.locator("[data-do=caveat]").click()
    expect(page.page.locator("o-notice")).to_contain_text("noise, by design")


def test_the_dark_theme_is_there_before_the_first_paint_and_stays(open_page: OpenPage):
    page = open_page()
    page.page.goto(page.url, wait_until="commit")
    page.wait_usable()
    assert not page.page.evaluate("() => document.body.classList.contains('dark')")
    page.page.get_by_role("button", name="Dark mode").click()
    expect(page.page.get_by_role("button", name="Dark mode")).to_have_attribute("aria-pressed", "true")
    page.page.add_init_script(
        """new MutationObserver(() => {
            if (document.querySelector("o-header") && window.paintedDark === undefined)
                window.paintedDark = document.documentElement.classList.contains("dark");
        }).observe(document, { childList: true, subtree: true })"""
    )
    page.reload()
    assert page.page.evaluate("() => window.paintedDark")
    assert page.page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(13, 16, 20)"


def test_the_system_theme_is_followed_until_a_person_chooses(open_page: OpenPage):
    page = open_page()
    page.page.emulate_media(color_scheme="dark")
    page.visit()
    assert page.page.evaluate("() => document.body.classList.contains('dark')")


def test_a_phone_has_no_sideways_scroll_and_a_drawer(open_page: OpenPage):
    page = open_page(**PHONE).visit()
    assert page.page.evaluate("() => document.documentElement.scrollWidth") == 390
    page.generate("on a phone")
    page.wait_picture()
    assert page.page.evaluate("() => document.documentElement.scrollWidth") == 390
    rail = page.part(element_ids.RAIL)
    expect(rail).to_be_hidden()
    page.page.get_by_role("button", name="Pages").tap()
    expect(rail).to_be_visible()
    expect(rail.get_by_role("link", name="Image")).to_be_focused()
    page.page.keyboard.press("Escape")
    expect(rail).to_be_hidden()
    expect(page.page.get_by_role("button", name="Pages")).to_be_focused()


@pytest.mark.slow
def test_the_command_palette_brings_earlier_requests_back_and_goes_to_pages(open_page: OpenPage):
    page = open_page().visit()
    job = page.generate("a quokka of the palette")
    page.wait_state("succeeded", job)
    page.prompt.fill("something else")
    palette = page.page.get_by_role("dialog", name="Commands")
    page.page.keyboard.press("Control+k")
    page.page.keyboard.type("quokka again")
    expect(palette.get_by_role("option").first).to_have_text("Use again: a quokka of the palette")
    assert serious_violations(page) == []
    page.page.keyboard.press("Enter")
    expect(palette).to_be_hidden()
    expect(page.prompt).to_have_value("a quokka of the palette")
    page.page.keyboard.press("Control+k")
    page.page.keyboard.type("queue")
    expect(palette.get_by_role("option").first).to_have_text("Go to Queue")
    page.page.keyboard.press("Enter")
    page.page.wait_for_url("**/queue")
    wait_usable(page, "queue")
    page.page.keyboard.press("Control+k")
    expect(palette).to_be_visible()
    page.page.keyboard.type("quokka")
    page.page.keyboard.press("ArrowUp")  # the last one is the search
    page.page.keyboard.press("Enter")
    page.page.wait_for_url("**/library?q=quokka")

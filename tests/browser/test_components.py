"""Controls look alike on every page, and fingers can press them on a phone."""

from typing import Any

import pytest

from browser.conftest import OpenPage
from browser.keeping_page import make_clip, wait_usable
from browser.studio_page import PATHS, StudioPage
from browser.test_player import PHONE
from frontend.places import PLACES
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MADE_HERE = {**PATHS, **{place.name: place.path for place in PLACES if place.name != "api"}}
# As drawn, with what a pseudo-element adds for fingers; what is hidden, or read out only, is nobody's target.
TOO_SMALL = """() => {
    const said = "button, a[href], input:not([type=file]), select, textarea, summary, [role=slider]";
    const grown = (node) => Math.max(0, ...["::before", "::after"].map((part) => {
        const style = getComputedStyle(node, part);
        if (style.content === "none" || style.position !== "absolute") return 0;
        return Math.max(0, -parseFloat(style.top)) + Math.max(0, -parseFloat(style.bottom));
    }));
    return [...document.querySelectorAll(said)].filter((node) => {
        if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
        if (node.matches(".o-skip") || node.closest("p, dd")) return false; // words of a sentence
        const box = (node.matches("[type=checkbox], [type=radio]") && node.closest("label") || node)
            .getBoundingClientRect();
        return box.width > 0 && box.height + grown(node) < 43.5;
    }).map((node) => [node.tagName, node.className, node.name || node.textContent.trim().slice(0, 30)].join(" "));
}"""
DRAWN = """() => [...document.querySelectorAll("input, select")].filter((node) =>
        node.matches("select, [type=text], [type=number], [type=date], [type=search], :not([type])")
        && node.checkVisibility() && !node.closest(".head, .o-search, .o-say"))
    .map((node) => {
        const style = getComputedStyle(node), height = node.getBoundingClientRect().height;
        return [height, style.borderTopLeftRadius, style.borderTopColor, style.backgroundColor, style.fontSize].join();
    })"""


def opened(page: StudioPage, place: str) -> StudioPage:
    page.page.goto(f"{page.url}{MADE_HERE[place]}")
    if place in PATHS:
        page.place = place
        page.wait_usable()
    else:
        wait_usable(page, place)
    page.page.wait_for_load_state("networkidle")
    return page


@pytest.fixture(scope="module")
def clip(studio: RunningServer) -> str:
    """So that strips, lists and grids have something in them."""
    return make_clip(studio, "a clip on every page")


@pytest.mark.parametrize("place", MADE_HERE)
def test_what_is_pressed_on_a_phone_is_44_pixels_high(open_page: OpenPage, clip: str, place: str):
    page = opened(open_page(**PHONE), place)
    assert page.page.evaluate(TOO_SMALL) == []
    assert page.page.evaluate("() => document.documentElement.scrollWidth") == PHONE["viewport"]["width"]


def test_fields_of_every_page_are_drawn_alike(open_page: OpenPage):
    page = open_page()
    drawn: dict[Any, set[str]] = {}
    for place in MADE_HERE:
        for style in opened(page, place).page.evaluate(DRAWN):
            drawn.setdefault(style, set()).add(place)
    assert len(drawn) == 1, drawn
    assert {"compare", "refine", "tune", "evaluate", "library"} <= drawn.popitem()[1]

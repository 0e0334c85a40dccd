"""What the pages that keep things have in common: axe-core, a phone, the keyboard's help, and the header above them."""

import json
from typing import Any, Literal

import pytest
from playwright.sync_api import WebSocketRoute, expect

from browser.conftest import OpenPage
from browser.keeping_page import READY, make_picture, search, tile, visit, wait_usable
from browser.studio_page import StudioPage
from browser.test_accessibility import serious_violations
from browser.test_shell import PHONE
from frontend import element_ids
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Theme = Literal["light", "dark"]


@pytest.fixture(scope="module")
def picture(studio: RunningServer) -> str:
    return make_picture(studio, "an echidna")


def add_to_snapshot(page: StudioPage, **system: Any) -> list[WebSocketRoute]:
    """Let the page be told more of the system than the server says; the page's side of its sockets, as they open."""
    sides: list[WebSocketRoute] = []

    def relay(side: WebSocketRoute) -> None:
        sides.append(side)

        def add(message: str | bytes) -> None:
            told = json.loads(message)
            if told["type"] == "snapshot":
                told["state"]["system"].update(system)
            side.send(json.dumps(told))

        side.connect_to_server().on_message(add)

    page.page.route_web_socket("**/v1/events", relay)
    return sides


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_minds_nothing_serious(open_page: OpenPage, picture: str, theme: Theme):
    page = open_page()
    page.page.emulate_media(color_scheme=theme)
    visit(page, "library", f"?q=echidna&item={picture}")
    expect(page.page.locator("o-library-peek .o-recipe dt").first).to_be_visible()
    tile(page, picture).hover()
    tile(page, picture).locator("[data-do=choose]").click()
    found = {"library": serious_violations(page)}
    page.page.get_by_role("button", name="Storage").click()
    found["storage"] = serious_violations(page)
    for name in ("queue", "checkpoints", "ask"):
        visit(page, name, f"?from={picture}")
        found[name] = serious_violations(page)
    assert not any(found.values()), found


def test_a_phone_has_no_sideways_scroll_and_can_do_everything(open_page: OpenPage, picture: str):
    page = open_page(**PHONE)
    for name in READY:
        visit(page, name)
        assert page.page.evaluate("() => document.documentElement.scrollWidth") == 390, name
        assert serious_violations(page) == [], name
    visit(page, "library")
    search(page, "echidna", 1)
    page.page.get_by_role("button", name="Filters").tap()
    expect(page.page.get_by_label("Seed", exact=True)).to_be_visible()
    page.page.get_by_role("button", name="Filters").tap()
    tile(page, picture).locator("[data-do=open]").tap()
    peek = page.page.locator("o-library-peek")
    expect(peek.get_by_role("link", name="Use again")).to_be_visible()
    assert page.page.evaluate("() => document.documentElement.scrollWidth") == 390
    peek.get_by_role("button", name="Close").tap()
    expect(peek).to_be_hidden()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("library", "Move to trash"),
        ("queue", "On a handle: move the job up or down"),
        ("checkpoints", "Next button"),
        ("ask", "New line"),
    ],
)
def test_the_question_mark_lists_the_keys_of_the_page(open_page: OpenPage, name: str, words: str):
    page = visit(open_page(), name)
    page.page.locator("body").press("?")
    expect(page.part(element_ids.KEYS)).to_contain_text(words)


def test_the_header_says_what_guards_how_long_the_queue_takes_and_that_it_is_paused(open_page: OpenPage):
    page = open_page()
    status = {"paused": True, "full": False, "num_queued": 5, "num_running": 0, "seconds_left": 62.0}
    add_to_snapshot(
        page, guardrail={"state": "not_installed", "detail": "make guardrail"}, queue=status, num_answering=2
    )
    visit(page, "library")
    expect(page.page.locator("[data-pill=guardrail]")).to_contain_text("not installed")
    queue = page.page.locator("[data-pill=queue]")
    expect(queue).to_contain_text("0 running · 5 queued · 2 answering")
    expect(queue).to_contain_text("paused")
    queue.click()
    wait_usable(page, "queue")
    expect(page.page.get_by_role("button", name="Resume")).to_be_visible()


def test_a_lost_connection_is_said_across_the_page_and_taken_back(open_page: OpenPage):
    page = open_page(allowed=("WebSocket",))
    sides = add_to_snapshot(page)
    visit(page, "queue")
    page.page.evaluate(
        "() => { window.Real = WebSocket; window.WebSocket = class extends EventTarget {"
        " constructor() { super(); setTimeout(() => this.onclose?.({ code: 1006 })) } close() {} send() {} } }"
    )
    sides[0].close()
    expect(page.page.locator(".o-lost")).to_contain_text("Connection to the server lost")
    page.page.evaluate("() => { window.WebSocket = window.Real }")
    expect(page.page.locator(".o-lost")).to_be_hidden(timeout=20_000)

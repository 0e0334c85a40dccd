"""What the page says by itself: a caption's sentence as its name, one voice for a lost server, messages that stay."""

import json

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import make_picture, tile, visit
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SENTENCE = "A red cube stands on a grey table."
CAPTION = json.dumps({"comprehensive_t2i_caption": SENTENCE, "subjects": [], "background_setting": "a table"})
LOST = ("ERR_CONNECTION_REFUSED", "WebSocket", "Failed to load resource")


def test_a_structured_caption_is_called_by_its_sentence_wherever_it_is_listed(
    open_page: OpenPage, studio: RunningServer
):
    item = make_picture(studio, CAPTION, use_resolution_template=False)
    library = visit(open_page(), "library")
    expect(tile(library, item)).to_contain_text(SENTENCE)
    expect(tile(library, item)).not_to_contain_text("{")
    queue = visit(open_page(), "queue").page.locator("o-queue")
    expect(queue.get_by_text(SENTENCE).first).to_be_visible()
    expect(queue).not_to_contain_text("comprehensive_t2i_caption")


def test_a_page_opened_for_the_first_time_has_nothing_selected_that_the_checkpoint_refuses(open_page: OpenPage):
    page = open_page()
    page.page.add_init_script("""
        window.chosenThoughRefused = 0;
        new MutationObserver(() => {
            const chosen = document.querySelectorAll("[role=radio][aria-checked=true][aria-disabled=true]");
            window.chosenThoughRefused += chosen.length;
        }).observe(document, { subtree: true, childList: true, attributes: true });
    """)
    page.visit("video")
    expect(page.page.locator("[role=radio][aria-checked=true]").first).to_be_visible()
    page.page.wait_for_timeout(1500)
    assert page.page.evaluate("() => window.chosenThoughRefused") == 0


def test_a_lost_server_is_said_in_one_place(fresh_studio: RunningServer, open_page: OpenPage):
    page = open_page(fresh_studio, allowed=LOST).visit()
    fresh_studio.kill()
    banner = page.page.locator(".o-lost")
    expect(banner).to_be_visible()
    page.page.wait_for_timeout(2000)
    expect(page.page.locator(".o-toast, .toast-wrap > *")).to_have_count(0)
    below, rail = banner.bounding_box(), page.page.locator("o-rail a").first.bounding_box()
    assert below
    assert rail
    assert rail["y"] >= below["y"] + below["height"] or rail["x"] >= below["x"] + below["width"]


def test_messages_do_not_pile_up_and_an_undo_stays_under_the_pointer(open_page: OpenPage, studio: RunningServer):
    item = make_picture(studio, "a picture to throw away")
    page = visit(open_page(), "library")
    page.page.clock.install()
    tile(page, item).locator("[data-do=open]").focus()
    page.page.keyboard.press("Delete")
    undo = page.page.locator(".o-toast").get_by_role("button", name="Undo")
    undo.hover()
    page.page.clock.run_for(60_000)
    expect(undo).to_be_visible()
    undo.click()
    expect(tile(page, item)).to_be_visible()
    expect(page.page.locator(".o-toast")).to_have_count(1)  # what came back; the other left with its button

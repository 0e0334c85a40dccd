"""What the page says by itself: a caption's sentence as its name, one voice for a lost server, messages that stay."""

import json
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from browser.conftest import OpenPage
from browser.keeping_page import make_picture, tile, visit
from browser.test_player import PHONE
from running import RunningServer, wait_for

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


def test_a_checkpoint_that_is_unloaded_is_not_said_to_run(open_page: OpenPage, studio: RunningServer):
    studio.post("/v1/checkpoints/speck/unload").raise_for_status()
    try:
        page = visit(open_page(), "checkpoints").page
        card = page.locator("[data-checkpoint=speck]")
        expect(card).to_have_attribute("data-state", "installed")
        expect(page.locator("o-checkpoints")).to_contain_text("speck is the default and loads at startup.")
        expect(card.locator("[data-tone=good]")).to_have_count(0)
        expect(card.get_by_role("button", name="Load")).to_be_visible()
    finally:
        studio.post("/v1/checkpoints/speck/load").raise_for_status()
        studio.wait_ready()


@pytest.mark.parametrize("device", [{}, PHONE], ids=["desktop", "phone"])
def test_a_long_prompt_ends_with_its_second_line_in_the_history(
    open_page: OpenPage, studio: RunningServer, device: dict[str, Any]
):
    make_picture(studio, "a red cube on a grey table, " * 12)
    page = open_page(**device).visit()
    page.page.locator("[data-do=history]").click()
    row = page.page.locator(".o-popover .o-row", has_text="a red cube on a grey table, a red cube")
    expect(row).to_be_visible()
    lines, padding = row.evaluate(
        """row => {
            const style = getComputedStyle(row);
            return [row.clientHeight / parseFloat(style.lineHeight), parseFloat(style.paddingBottom)];
        }"""
    )
    assert lines == pytest.approx(2, abs=0.15)
    assert padding == 0


def test_a_comparison_cut_short_ends_with_an_ellipsis(open_page: OpenPage, studio: RunningServer):
    words = "a yellow ball rolls over the table and falls down from its edge, " * 6
    prompts = [f"{name}: {words}" for name in ("one", "two")]
    subjects = [{"request": {"kind": "generate_image", "prompt": prompt}} for prompt in prompts]
    axes = {"sampling.num_inference_steps": [1], "resolution": ["256"], "aspect_ratio": ["1:1"]}
    answer = studio.post("/v1/comparisons", json={"subjects": subjects, "axes": axes})
    page = visit(open_page(), "compare", f"?id={answer.json()['id']}").page
    for row in page.locator(".o-clips-row").all():
        assert row.evaluate("row => row.scrollWidth > row.clientWidth")
        assert row.evaluate("row => getComputedStyle(row).textOverflow") == "ellipsis"
    item = make_picture(studio, words)
    beside = visit(open_page(), "compare", f"?items={item}").page.locator(".o-clip-notes [data-tone=said]")
    expect(beside).to_have_text(words.strip())
    assert (
        beside.evaluate("note => note.scrollHeight > note.clientHeight && getComputedStyle(note).webkitLineClamp")
        == "2"
    )


def test_what_is_copied_three_times_is_said_once_and_covers_no_button(open_page: OpenPage, studio: RunningServer):
    job = make_picture(studio, "a picture beside messages").rpartition("-")[0]
    page = open_page(permissions=["clipboard-read", "clipboard-write"]).visit("image", f"?job={job}")
    page.wait_state("succeeded", job)
    page.prompt.fill("copied")
    for name in ("curl", "Python", "an orrery command"):
        page.page.get_by_role("button", name=f"Copy as {name}").click()
    toast = page.page.locator(".o-toast")
    expect(toast).to_have_count(1)
    said = wait_for(toast.bounding_box, 20)  # it is drawn anew with each copy
    for name in ("Send to", "Use again", "Download"):
        box = page.card.get_by_text(name, exact=True).bounding_box()
        assert box
        beside = box["x"] + box["width"] <= said["x"] or said["x"] + said["width"] <= box["x"]
        assert beside or box["y"] + box["height"] <= said["y"] or said["y"] + said["height"] <= box["y"], name


def test_a_page_that_still_loads_shows_no_spinner_of_gradios(open_page: OpenPage, studio: RunningServer):
    page = open_page().page
    held: list[Route] = []
    page.route("**/assets/Blocks*.js", lambda route: held.append(route))  # Playwright marks its handlers
    page.goto(f"{studio.url}/library", wait_until="commit")
    waiting = page.locator("[data-testid=status-tracker]").first
    expect(waiting).to_be_attached()
    expect(waiting.locator("svg")).to_be_hidden()
    expect(page.get_by_text("Loading...")).to_be_hidden()
    for route in held:
        route.continue_()
    expect(page.locator("o-library-grid")).to_be_visible()

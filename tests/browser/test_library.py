"""The library: what was made is found again, looked at, kept, compared and thrown away."""

import json
import re
import time
import zipfile
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from browser.conftest import OpenPage
from browser.keeping_page import make_clip, make_picture, search, tile, tiles, visit, wait_usable
from browser.studio_page import OPEN_MS, StudioPage
from browser.test_accessibility import serious_violations
from browser.test_bad_input import SCRIPTS
from running import RunningServer

pytestmark = pytest.mark.browser

USABLE_S = 6.0
"""The bar is 1.5 s with nothing beside it; this runs beside other tests, often on the same two cores. What the page
itself costs is held by the test before, in its own time."""

BUSY_S = 1.2
"""Of which 0.5 s are usual, 0.4 s of them Gradio's and the frame's own."""

MOST_OPENINGS = 5

MOST_NODES = 3000
"""A page that draws 10,000 tiles has more than 100,000."""


@pytest.fixture(scope="module")
def quokkas(studio: RunningServer) -> list[str]:
    """Three pictures that nothing else is called like."""
    return [
        make_picture(studio, f"quokka {word}", sampling={"seed": seed})
        for seed, word in enumerate(("one", "two", "three"))
    ]


@pytest.fixture(scope="module")
def clip(studio: RunningServer) -> str:
    return make_clip(studio, "a wombat walks")


def test_words_find_it_the_star_narrows_and_the_address_keeps_both(open_page: OpenPage, quokkas: list[str]):
    page = visit(open_page(), "library")
    page.page.keyboard.press("/")
    expect(page.page.get_by_label("Search the library")).to_be_focused()
    page.page.keyboard.type("quok thr")
    expect(page.page.locator("o-library-grid")).to_have_attribute("data-count", "1")
    expect(tile(page, quokkas[2])).to_be_visible()
    search(page, "quokka", 3)
    tile(page, quokkas[0]).hover()
    tile(page, quokkas[0]).locator("[data-do=star]").click()
    page.page.get_by_role("button", name="Starred", exact=True).click()
    expect(tiles(page)).to_have_count(1)
    page.page.reload()
    wait_usable(page, "library")
    expect(tiles(page)).to_have_count(1)
    expect(tile(page, quokkas[0])).to_have_attribute("data-starred", "true")
    expect(page.page.get_by_label("Search the library")).to_have_value("quokka")
    page.page.get_by_role("button", name="Clear filters").click()
    expect(page.page).not_to_have_url(re.compile("starred"))


def test_an_item_is_looked_at_with_its_recipe_and_tagged(open_page: OpenPage, quokkas: list[str]):
    page = visit(open_page(), "library", "?q=quokka")
    tile(page, quokkas[1]).locator("[data-do=open]").click()
    peek = page.page.locator("o-library-peek")
    expect(peek).to_contain_text("quokka two")
    expect(peek.locator(".o-recipe")).to_contain_text("Denoising steps")
    expect(peek).to_contain_text("seed 1")
    peek.get_by_label("Add a tag").fill("marsupial")
    with page.page.expect_response("**/v1/library/change"):  # shown at once; a reload must not be quicker
        peek.get_by_label("Add a tag").press("Enter")
    expect(peek.locator(".o-tags li")).to_have_text(["marsupial×"])
    page.page.reload()
    expect(peek.locator(".o-tags li")).to_have_text(["marsupial×"])
    search(page, "marsup", 1)
    peek.get_by_role("button", name="Remove tag marsupial").click()
    expect(peek.locator(".o-tags li")).to_have_count(0)


def test_use_again_restores_the_recipe_and_send_to_begins_with_the_item(open_page: OpenPage, quokkas: list[str]):
    page = visit(open_page(), "library", f"?item={quokkas[2]}")
    peek = page.page.locator("o-library-peek")
    peek.get_by_role("button", name="Send to").click()
    expect(peek.locator("[data-to=ask]")).to_have_attribute("href", f"/ask?from={quokkas[2]}")
    expect(peek.locator("[data-to=video]")).to_have_attribute("href", f"/video?from={quokkas[2]}")
    peek.get_by_role("link", name="Use again").click()
    page.wait_usable()
    expect(page.prompt).to_have_value("quokka three")
    expect(page.seed).to_have_value("2")


def test_ways_that_the_checkpoint_refuses_are_greyed_and_say_why(open_page: OpenPage, quokkas: list[str]):
    page = open_page()

    def mute(route: Route) -> None:
        shelf = route.fetch().json()
        for entry in shelf["checkpoints"]:
            entry["capabilities"]["sound"] = False
        route.fulfill(json=shelf)

    page.page.route("**/v1/checkpoints", mute)
    visit(page, "library", f"?item={quokkas[2]}")
    peek = page.page.locator("o-library-peek")
    peek.get_by_role("button", name="Send to").click()
    sound = peek.locator("button[data-to=sound]")
    expect(sound).to_have_attribute("aria-disabled", "true")
    expect(sound).to_contain_text("makes no sound.")
    expect(peek.locator("a[data-to=video]")).to_be_visible()


def test_what_goes_into_the_trash_comes_back_with_undo_or_out_of_the_trash(
    fresh_studio: RunningServer, open_page: OpenPage
):
    studio = fresh_studio  # what is deleted for good stays out of the other journeys' strips
    kept, gone = [make_picture(studio, f"numbat {word}") for word in ("stays", "goes")]
    other = open_page(studio)
    other.visit()
    page = visit(open_page(studio), "library", "?q=numbat")
    tile(page, gone).locator("[data-do=open]").focus()
    page.page.keyboard.press("Delete")
    expect(tiles(page)).to_have_count(1)
    page.page.get_by_role("button", name="Undo").click()
    expect(tiles(page)).to_have_count(2)
    tile(page, gone).locator("[data-do=open]").focus()
    page.page.keyboard.press("Delete")
    expect(tiles(page)).to_have_count(1)
    page.page.get_by_role("button", name="Trash", exact=True).first.click()
    expect(tile(page, gone)).to_be_visible()
    expect(tile(page, kept)).to_have_count(0)
    tile(page, gone).locator("[data-do=open]").focus()
    page.page.keyboard.press(" ")
    page.page.locator("o-library-chosen").get_by_role("button", name="Delete permanently").click()
    page.page.get_by_role("alertdialog").get_by_role("button", name="Keep").click()
    expect(tile(page, gone)).to_be_visible()
    page.page.locator("o-library-chosen").get_by_role("button", name="Delete permanently").click()
    page.page.get_by_role("alertdialog").get_by_role("button", name="Delete permanently").click()
    expect(tiles(page)).to_have_count(0)
    assert studio.get(f"/v1/library/{gone}").status_code == 404
    assert studio.get(f"/v1/library/{kept}").status_code == 200
    # Every place that showed it says so: told, or found out.
    for path in (studio.data / "media").glob(f"*/{kept}.*"):
        path.unlink()
    expect(other.strip.locator("button[data-deleted]", has_text="deleted")).to_have_count(1)
    fresh = open_page(studio, allowed=("404",), locale="en-GB").visit()  # a profile that holds no pictures of before
    expect(fresh.strip.locator("button[data-deleted]", has_text="deleted")).to_have_count(2)
    expect(fresh.page.locator("o-strip img:visible")).to_have_count(0)
    fresh.page.locator(f"o-strip [data-job='{gone.partition('-')[0]}']").click()
    expect(fresh.page.locator("o-stage .o-stage-words")).to_contain_text("was deleted")
    expect(fresh.page.locator("o-progress [data-do=download]")).to_be_hidden()
    assert serious_violations(fresh) == []
    visit(page, "library", "?q=numbat")
    expect(tile(page, kept)).to_contain_text("file missing")
    visit(page, "queue")
    expect(page.page.locator(".o-row .o-state", has_text="deleted")).to_have_count(1)
    # Neither a form nor a question begins with it in silence.
    fresh.visit("video", f"?from={kept}")
    expect(fresh.page.locator("[data-media] .o-media-status")).to_contain_text("missing from the disk")
    fresh.prompt.fill("it walks")
    fresh.button.click()
    expect(fresh.page.get_by_text("There is no media").first).to_be_visible()
    visit(fresh, "ask", f"?from={kept}")
    expect(fresh.page.locator("o-ask-view")).to_contain_text("missing from the disk")
    fresh.page.get_by_label("Question").fill("What is it?")
    fresh.page.keyboard.press("Enter")
    expect(fresh.page.locator(".o-turn[data-role=assistant]")).to_contain_text("There is no media")


def test_several_are_chosen_by_keyboard_and_downloaded_with_their_recipes(open_page: OpenPage, quokkas: list[str]):
    page = visit(open_page(), "library", "?q=quokka")
    expect(tiles(page)).to_have_count(3)
    page.page.locator(".o-tile [tabindex='0']").first.focus()
    page.page.keyboard.press(" ")
    page.page.keyboard.press("Shift+ArrowRight")
    expect(page.page.locator("o-library-chosen")).to_contain_text("2 selected")
    with page.page.expect_download() as download:
        page.page.locator("o-library-chosen [data-do=zip]").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        names = archive.namelist()
    assert len([name for name in names if name.endswith(".png")]) == 2
    page.page.keyboard.press("Escape")
    expect(page.page.locator("o-library-chosen")).to_be_hidden()


def test_two_pictures_are_compared_under_one_slider(open_page: OpenPage, quokkas: list[str]):
    page = visit(open_page(), "library", "?q=quokka")
    for item in quokkas[:2]:
        tile(page, item).hover()
        tile(page, item).locator("[data-do=choose]").click()
    page.page.get_by_role("button", name="Compare").click()
    expect(page.page.locator("o-compare")).to_have_attribute("data-items", "2")
    slider = page.page.get_by_role("slider", name="Divider between")
    slider.focus()
    page.page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("50.5")
    expect(page.page.locator(".o-clip-over:visible")).to_have_count(1)


def test_the_pointer_runs_through_a_clips_frames(open_page: OpenPage, clip: str):
    page = visit(open_page(), "library", "?q=wombat")
    picture = tile(page, clip).locator(".o-tile-picture")
    picture.hover(position={"x": 10, "y": 60})
    sheet = picture.locator(".o-scrub")
    expect(sheet).to_be_visible()
    first = sheet.evaluate("sheet => sheet.style.backgroundPosition")
    picture.hover(position={"x": 150, "y": 60})
    expect(sheet).not_to_have_css("background-position", first)


def test_another_device_sees_what_this_one_does(open_page: OpenPage, quokkas: list[str]):
    here = visit(open_page(), "library", "?q=quokka+two")
    there = visit(open_page(viewport={"width": 900, "height": 700}), "library", "?q=quokka+two")
    expect(tile(there, quokkas[1])).not_to_have_attribute("data-starred", "true")
    tile(here, quokkas[1]).locator("[data-do=open]").focus()
    here.page.keyboard.press("s")
    expect(tile(there, quokkas[1])).to_have_attribute("data-starred", "true")
    here.page.keyboard.press("s")
    expect(tile(there, quokkas[1])).not_to_have_attribute("data-starred", "true")


def test_a_dropped_file_is_uploaded(open_page: OpenPage, studio: RunningServer, quokkas: list[str]):
    content = studio.get(f"/v1/media/{quokkas[0]}").content
    page = visit(open_page(), "library")
    page.drop("potoroo.png", content + b"\0")
    expect(page.page.locator(".o-toast")).to_contain_text("potoroo.png added to the library")
    search(page, "potoroo", 1)


def test_text_that_looks_like_code_is_only_text(open_page: OpenPage, studio: RunningServer):
    made = [make_picture(studio, f"thylacine {script}") for script in SCRIPTS]
    page = visit(open_page(), "library", "?q=thylacine")
    expect(tiles(page)).to_have_count(len(made))
    for item, script in zip(made, SCRIPTS, strict=True):
        tile(page, item).locator("[data-do=open]").click()
        expect(page.page.locator(".o-peek-prompt")).to_have_text(f"thylacine {script}")
        title = page.page.get_by_label("Title")
        title.fill(script)
        title.press("Enter")
        expect(tile(page, item).locator(".o-tile-name")).to_have_text(script)
    tag = page.page.locator("o-library-peek").get_by_label("Add a tag")
    tag.fill(SCRIPTS[0])
    tag.press("Enter")
    expect(page.page.locator(".o-tags li span")).to_have_text(SCRIPTS[0])
    assert page.page.evaluate("() => window.pwn === undefined")


def test_deleting_everything_wants_the_words_written(open_page: OpenPage):
    page = visit(open_page(), "library")
    page.page.get_by_role("button", name="Storage").click()
    delete = page.page.get_by_role("button", name="Delete everything")
    expect(delete).to_be_disabled()
    asked: list[Any] = []

    def answer(route: Route) -> None:
        asked.append(json.loads(route.request.post_data or "{}"))
        route.fulfill(json={"num_items": 0, "num_jobs": 0, "freed_bytes": 0})

    page.page.route(re.compile(r"/v1/library$"), answer)
    page.page.get_by_label("Type “delete everything”").fill("delete everything")
    delete.click()
    expect(page.page.locator(".o-toast")).to_contain_text("Deleted")
    assert asked == [{"confirm": "delete everything"}]


def test_everything_is_exported_and_what_is_known_is_not_imported_twice(
    open_page: OpenPage, quokkas: list[str], studio: RunningServer
):
    shown = studio.post("/v1/comparisons", json={"subjects": [{"shown": quokkas}]}).json()["id"]
    page = visit(open_page(), "library")
    page.page.get_by_role("button", name="Storage").click()
    with page.page.expect_download() as download:
        page.page.get_by_role("link", name="Export everything").click()
    exported = download.value.path()
    with zipfile.ZipFile(exported) as archive:
        assert any(quokkas[0] in name for name in archive.namelist())
    assert studio.delete(f"/v1/comparisons/{shown}").status_code == 204
    page.page.locator("o-library-storage input[type=file]").set_input_files(
        {"name": "orrery.zip", "mimeType": "application/zip", "buffer": exported.read_bytes()}
    )
    expect(page.page.locator(".o-toast")).to_contain_text("0 items imported", timeout=60_000)
    expect(page.page.locator(".o-toast")).to_contain_text("· 1 comparison")


def many(route: Route) -> None:
    """A page of a library of 10,000 items."""
    parameters = dict(part.split("=") for part in route.request.url.partition("?")[2].split("&"))
    begin, limit = int(parameters.get("cursor", 0)), int(parameters["limit"])
    item = {"job_id": "j", "kind": "generate_image", "type": "image", "mime": "image/png", "size_bytes": 9, "tags": []}
    item |= {"width": 256, "height": 256, "checkpoint": "speck", "title": "", "starred": False, "missing": True}
    item |= {"created_at": "2026-11-21T12:00:00Z", "trashed_at": None, "thumbnail_url": None, "spritesheet_url": None}
    items = [
        {**item, "id": f"m{n}", "prompt": f"item {n}", "seed": n, "url": f"/v1/media/m{n}"}
        for n in range(begin, begin + limit)
    ]
    usage = {
        "num_items": 10_000,
        "size_bytes": 1,
        "num_trashed": 0,
        "trash_bytes": 0,
        "quota_bytes": None,
        "free_bytes": 1,
    }
    facets = {"kinds": [], "types": [], "checkpoints": [], "tags": []}
    after = str(begin + limit) if begin + limit < 10_000 else None
    route.fulfill(
        json={"items": items[: 10_000 - begin], "total": 10_000, "next_cursor": after, "usage": usage, "facets": facets}
    )


def open_many(page: StudioPage) -> float:
    """Open the library of 10,000; seconds until its first tile can be used."""
    began = time.perf_counter()
    page.page.goto(f"{page.url}/library", wait_until="commit")
    expect(tile(page, "m0").locator(".o-tile-name")).to_have_text("item 0", timeout=OPEN_MS)
    return time.perf_counter() - began


def test_of_ten_thousand_items_only_those_in_sight_are_drawn_and_the_last_is_reached(open_page: OpenPage):
    page = open_page()
    page.page.route("**/v1/library?*", many)
    open_many(page)
    tile(page, "m0").locator("[data-do=open]").focus()
    page.page.keyboard.press("End")
    expect(tile(page, "m9999").locator("[data-do=open]")).to_be_focused(timeout=30_000)
    expect(tile(page, "m9999").locator(".o-tile-name")).to_have_text("item 9999")
    assert page.page.evaluate("() => document.querySelectorAll('*').length") < MOST_NODES


def test_ten_thousand_items_cost_the_page_little_time(open_page: OpenPage):
    """Counted in the main thread's own time, which others on the machine do not lengthen.

    But the machine's host does: what it withholds is counted too. Therefore the least of a few.
    """
    taken: list[float] = []
    while len(taken) < MOST_OPENINGS and min(taken, default=BUSY_S) >= BUSY_S:
        page = open_page()
        page.page.route("**/v1/library?*", many)
        session = page.page.context.new_cdp_session(page.page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        open_many(page)
        metrics = {entry["name"]: entry["value"] for entry in session.send("Performance.getMetrics")["metrics"]}
        taken.append(metrics["TaskDuration"])
    assert min(taken) < BUSY_S, taken


@pytest.mark.slow
def test_ten_thousand_items_are_usable_at_once(open_page: OpenPage):
    page = open_page()
    page.page.route("**/v1/library?*", many)
    taken = [open_many(page) for _ in range(MOST_OPENINGS)]
    assert min(taken) < USABLE_S, taken


def test_a_video_goes_on_from_its_last_frame(open_page: OpenPage, studio: RunningServer):
    clip = make_clip(studio, "a clip that goes on")
    page = visit(open_page(), "library", f"?item={clip}")
    peek = page.page.locator("o-library-peek")
    peek.get_by_role("button", name="Send to").click()
    peek.get_by_role("button", name="Video from the last frame").click()
    page.page.wait_for_url(re.compile("/video"))
    page.place = "video"
    page.wait_usable()
    expect(page.page.locator(".o-media")).to_contain_text("256×256")

"""The library in order: ratings, tags as boards, and batches as one tile."""

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import make_picture, search, tile, tiles, visit
from running import RunningServer

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def numbats(studio: RunningServer) -> list[str]:
    """Two pictures that nothing else is called like."""
    return [make_picture(studio, f"numbat {word}") for word in ("one", "two")]


def test_an_item_is_rated_by_a_key_or_a_button_and_found_by_its_rating(open_page: OpenPage, numbats: list[str]):
    page = visit(open_page(), "library", "?q=numbat")
    tile(page, numbats[0]).locator("[data-do=open]").focus()
    page.page.keyboard.press("4")
    expect(tile(page, numbats[0])).to_contain_text("4/5")
    tile(page, numbats[1]).locator("[data-do=open]").click()
    peek = page.page.locator("o-library-peek")
    peek.get_by_role("button", name="Rate 2 of 5").click()
    expect(tile(page, numbats[1])).to_contain_text("2/5")
    page.page.get_by_label("Rating").first.select_option("3")
    expect(tiles(page)).to_have_count(1)
    expect(tile(page, numbats[0])).to_be_visible()
    page.page.get_by_label("Rating").first.select_option("")
    peek.get_by_role("button", name="Rate 2 of 5").click()  # the number that it has takes it away
    expect(tile(page, numbats[1])).not_to_contain_text("/5")


def test_a_rating_given_before_the_details_have_come_is_not_undone_by_them(open_page: OpenPage, numbats: list[str]):
    page = visit(open_page(), "library", "?q=numbat")
    late = []
    page.page.route(f"**/v1/library/{numbats[1]}", lambda route: late.append((route, route.fetch())))
    tile(page, numbats[1]).locator("[data-do=open]").click()
    rate = page.page.locator("o-library-peek").get_by_role("button", name="Rate 2 of 5")
    rate.click()
    expect(rate).to_have_attribute("aria-pressed", "true")
    while not late:  # the test's own limit is the limit
        page.page.wait_for_timeout(20)
    (route, response), *_ = late
    route.fulfill(response=response)
    page.page.get_by_label("Rating").first.select_option("3")
    expect(tile(page, numbats[1])).to_have_count(0)
    expect(rate).to_have_attribute("aria-pressed", "true")


def test_an_item_that_is_dropped_on_a_tag_has_it_and_undo_takes_it_away(
    open_page: OpenPage, studio: RunningServer, numbats: list[str]
):
    studio.post("/v1/library/change", json={"ids": [numbats[0]], "add_tags": ["striped"]})
    studio.post("/v1/library/change", json={"ids": [numbats[1]], "add_tags": ["spotted"]})
    page = visit(open_page(), "library", "?q=numbat")
    board = page.page.get_by_role("navigation", name="Tags").get_by_role("button", name="striped")
    expect(board).to_contain_text("1")
    expect(board.locator("img")).to_have_attribute("src", f"/v1/media/{numbats[0]}/thumbnail")
    tile(page, numbats[1]).drag_to(board)
    expect(board).to_contain_text("2")
    page.page.get_by_role("button", name="Undo").click()
    expect(board).to_contain_text("1")
    board.click()
    expect(tiles(page)).to_have_count(1)
    other = page.page.get_by_role("navigation", name="Tags").get_by_role("button", name="spotted")
    other.click()  # nothing has both
    expect(tiles(page)).to_have_count(0)
    page.page.reload()
    expect(other).to_have_attribute("aria-pressed", "true")
    for pressed in (board, other):
        pressed.click()
    expect(tiles(page)).to_have_count(2)


def test_a_batch_is_one_tile_that_opens(open_page: OpenPage, studio: RunningServer):
    batch = studio.post(
        "/v1/batches",
        json={
            "request": {
                "kind": "generate_image",
                "prompt": "a bilby",
                "resolution": "256",
                "aspect_ratio": "1:1",
                "sampling": {"num_inference_steps": 1},
            },
            "axes": {"sampling.seed": [1, 2, 3]},
        },
    ).json()
    made = [studio.wait_job(job["id"])["results"][0]["id"] for job in batch["jobs"]]
    page = visit(open_page(), "library")
    search(page, "bilby", 1)
    stack = tiles(page).first
    expect(stack).to_contain_text("3 results")
    stack.locator("[data-do=open]").focus()
    page.page.keyboard.press("Delete")  # only what is open is thrown away
    expect(stack).to_contain_text("3 results")
    stack.click()
    expect(tiles(page)).to_have_count(3)
    assert {one.get_attribute("data-id") for one in tiles(page).all()} == set(made)
    page.page.get_by_role("button", name="One batch").click()
    expect(tiles(page)).to_have_count(1)
    page.page.get_by_role("button", name="Stacks").click()
    expect(tiles(page)).to_have_count(3)

"""The page that refines, as a person uses it: begin, watch, reload, look at the first result, branch from it."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from browser.conftest import OpenPage
from browser.test_accessibility import serious_violations
from critiques import critique, rewritten
from refining_endpoint import RefiningEndpoint, refining_endpoint
from running import RunningServer, running

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LIMIT_MS = 90_000


@pytest.fixture
def endpoint() -> Iterator[RefiningEndpoint]:
    with refining_endpoint() as one:
        yield one


@pytest.fixture
def refining(endpoint: RefiningEndpoint, studio: RunningServer, tmp_path: Path) -> Iterator[RunningServer]:
    shutil.copytree(studio.data / "checkpoints", tmp_path / "data" / "checkpoints")
    with running(tmp_path / "data", **endpoint.settings()) as own:
        own.wait_ready()
        yield own


def test_a_refinement_grows_live_survives_a_reload_and_leads_on_from_its_first_result(
    refining: RunningServer, endpoint: RefiningEndpoint, open_page: OpenPage
):
    endpoint.answers["critic"] = [json.dumps(critique(score, "severe", "minor")) for score in (5.0, 7.5, 6.0, 8.0)]
    opened = open_page(refining, allowed=("404",))
    page = opened.page
    page.goto(f"{refining.url}/refine")
    refine = page.locator("o-refine")
    expect(page.get_by_text("Improve an image automatically")).to_be_visible(timeout=LIMIT_MS)

    page.get_by_label("Prompt", exact=True).fill("a red cube on a table")
    page.locator("input[name=steps]").fill("6")
    page.get_by_role("button", name="Refine", exact=True).click()
    expect(refine).to_have_attribute("data-state", "running", timeout=LIMIT_MS)
    expect(page.locator("[data-node='0'][data-stage='done']")).to_be_visible(timeout=LIMIT_MS)
    page.reload()

    expect(refine).to_have_attribute("data-state", "succeeded", timeout=LIMIT_MS)
    expect(page.locator("[data-node]")).to_have_count(3)
    expect(page.locator("[data-node='1']")).to_have_attribute("data-best", "true")
    expect(page.locator(".o-refine-won")).to_contain_text("7.5, ahead of result 2 with 6.0")
    expect(page.locator(".o-refine-issues li")).to_have_count(2)
    expect(page.locator(".o-mark-box")).to_have_count(1)
    expect(page.locator(".o-refine-changes ins").first).to_contain_text("with straight edges")

    page.locator("[data-node='0']").click()
    expect(page.locator(".o-refine-detail h2")).to_contain_text("Result 0")
    endpoint.answers["rewriter"] = [rewritten("A blue cube.")]
    page.get_by_label("What should change").fill("make it blue")
    page.get_by_role("button", name="Branch").click()
    branch = page.locator("[data-node='3']")
    expect(branch).to_have_attribute("data-best", "true", timeout=LIMIT_MS)
    expect(branch).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".o-refine-said")).to_contain_text("make it blue")
    expect(refine).to_have_attribute("data-state", "succeeded", timeout=LIMIT_MS)

    # The file of a result that was not looked at yet: its scores stay, its boxes would stand over nothing.
    lost = refining.get(f"/v1/refinements/{refine.get_attribute('data-refinement')}").json()["nodes"][2]["media"]["id"]
    for path in (refining.data / "media").glob(f"*/{lost}.*"):
        path.unlink()
    page.locator("[data-node='2']").click()
    expect(page.locator(".o-refine-gone")).to_contain_text("This result was deleted")
    expect(page.locator(".o-refine-node .o-viewer")).to_contain_text("missing from the disk")
    expect(page.locator(".o-mark-box")).to_have_count(0)
    expect(page.locator(".o-refine-issues li")).to_have_count(2)

    assert serious_violations(opened) == []
    with page.expect_download() as saved:
        page.get_by_role("link", name="Export JSON").click()
    tree = json.loads(Path(saved.value.path()).read_text())
    assert [node["origin"] for node in tree["nodes"]] == ["upsampled", "rewritten", "rewritten", "branched"]
    assert tree["best"]["node"] == 3
    page.get_by_role("button", name="Use again").click()
    page.wait_for_function("() => window.orrery?.form?.values?.['sampling.seed'] !== undefined", timeout=LIMIT_MS)
    _refines_it_again(page, refining)


def _refines_it_again(page: Page, server: RunningServer) -> None:
    """From the newest result in the library: the form has its words, size, steps and seed."""
    item = server.get("/v1/library?limit=1").json()["items"][0]
    request = server.get(f"/v1/library/{item['id']}").json()["request"]
    page.goto(f"{server.url}/library")
    page.locator(f".o-tile[data-id='{item['id']}'] .o-tile-open").click()
    page.get_by_role("button", name="Send to").click()
    page.get_by_role("link", name="Refine this").click()

    expect(page.get_by_label("Prompt", exact=True)).to_have_value("a red cube on a table", timeout=LIMIT_MS)
    expect(page.locator("select[name=resolution]")).to_have_value(request["resolution"])
    expect(page.locator("input[name=steps]")).to_have_value("6")
    expect(page.locator("input[name=seed]")).to_have_value(str(request["sampling"]["seed"]))


def test_what_is_begun_is_shown_though_its_answer_comes_after_the_news_of_it(
    refining: RunningServer, endpoint: RefiningEndpoint, open_page: OpenPage
):
    endpoint.answers["critic"] = [json.dumps(critique(9.5))]
    page = open_page(refining).page
    held: list[tuple[Route, APIResponse]] = []

    def hold_what_begins(route: Route) -> None:
        if route.request.method == "POST":
            held.append((route, route.fetch()))
        else:
            route.continue_()

    page.route("**/v1/refinements", hold_what_begins)
    page.goto(f"{refining.url}/refine")
    expect(page.get_by_text("Improve an image automatically")).to_be_visible(timeout=LIMIT_MS)
    page.get_by_label("Prompt", exact=True).fill("a red cube on a table")
    page.locator("input[name=steps]").fill("2")
    page.get_by_role("button", name="Refine", exact=True).click()
    expect(page.locator("[data-refinement]")).to_have_count(1, timeout=LIMIT_MS)
    while not held:  # the test's own limit is the limit
        page.wait_for_timeout(20)
    [(route, answer)] = held
    route.fulfill(response=answer)
    expect(page.locator("o-refine")).to_have_attribute("data-state", "succeeded", timeout=LIMIT_MS)


def test_a_critic_that_is_gone_is_told_in_words_and_the_loop_is_resumed_from_the_page(
    refining: RunningServer, endpoint: RefiningEndpoint, open_page: OpenPage
):
    endpoint.answers["critic"] = [(500, b"out of order")]
    page = open_page(refining).page
    page.goto(f"{refining.url}/refine")
    page.get_by_label("Prompt", exact=True).fill("a red cube on a table")
    page.locator("input[name=steps]").fill("2")
    page.get_by_role("button", name="Refine", exact=True).click()

    refine = page.locator("o-refine")
    expect(refine).to_have_attribute("data-state", "failed", timeout=LIMIT_MS)
    expect(page.get_by_role("alert").filter(has_text="answered 500")).to_be_visible()
    endpoint.answers["critic"] = [json.dumps(critique(9.5))]
    page.get_by_role("button", name="Resume").click()
    expect(refine).to_have_attribute("data-state", "succeeded", timeout=LIMIT_MS)
    expect(page.get_by_role("status").filter(has_text="score 9 reached")).to_be_visible()

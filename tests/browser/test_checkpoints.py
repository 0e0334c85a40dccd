"""The page of the checkpoints: what serves, what is here, what could be, and what can be done with each."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Route, WebSocketRoute, expect

from browser.conftest import OpenPage
from browser.keeping_page import visit
from running import RunningServer, running

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LITTLE = "Knows a table, and nothing else."
OWN = f'id = "speck"\ntitle = "Mine"\nsummary = "{LITTLE}"\nbuilt_here = true\nsimulated = true\n'
HINTS = '[capabilities]\nhints = ["edge", "depth"]\n'
"""A preset of one's own, for a copy of a checkpoint that knows a simulated world and two controls."""


def test_what_serves_stands_first_and_says_what_it_can_do(open_page: OpenPage):
    page = visit(open_page(), "checkpoints")
    first = page.page.locator(".o-checkpoint").first
    expect(first).to_have_attribute("data-checkpoint", "speck")
    expect(first).to_contain_text("default")
    expect(first).to_contain_text("random weights")
    expect(first).to_contain_text("transfer")


def test_states_and_progress_come_over_the_socket_and_orders_go_to_the_server(
    open_page: OpenPage, studio: RunningServer
):
    listed = studio.get("/v1/checkpoints").json()["checkpoints"]
    serving = {**next(entry for entry in listed if entry["id"] == "speck"), "active": True, "loaded": True}
    here = {**serving, "id": "here", "title": "Here", "active": False, "loaded": False, "installed": True}
    here |= {"state": "installed", "needed_gb": 2.0, "built_here": False}
    away = {**here, "id": "away", "title": "Away", "installed": False, "state": "absent", "repository": "nvidia/Away"}
    large = {**away, "id": "large", "title": "Large", "needed_gb": 130.0, "revision": "fp8", "variant_of": "away"}
    unknown = {**here, "id": "unknown", "title": "Unknown", "needed_gb": None}
    memory = {"place": "gpu", "total_gb": 80.0, "free_gb": 60.0, "spare_gb": 1.5}
    page = open_page()
    page.page.route(
        "**/v1/checkpoints",
        lambda route: route.fulfill(json={"checkpoints": [away, large, here, unknown, serving], "memory": memory}),
    )
    orders: list[tuple[str, str]] = []

    def take(route: Route) -> None:
        orders.append((route.request.method, route.request.url.partition("/v1/checkpoints/")[2]))
        route.fulfill(status=202, json={})

    page.page.route("**/v1/checkpoints/*/*", take)

    def relay(page_side: WebSocketRoute) -> None:
        def add(message: str | bytes) -> None:
            told: dict[str, Any] = json.loads(message)
            if told["type"] == "snapshot":
                errand = {"what": "pull", "state": "running", "done": 25, "total": 100, "said": "", "error": None}
                told["state"]["system"]["errands"] = {"away": errand}
            page_side.send(json.dumps(told))

        page_side.connect_to_server().on_message(add)

    page.page.route_web_socket("**/v1/events", relay)
    visit(page, "checkpoints")
    cards = page.page.locator(".o-checkpoint")
    expect(cards).to_have_count(5)
    expect(cards.filter(has_text="nvidia/Away@fp8 · variant of away")).to_have_attribute("data-checkpoint", "large")
    names = [card.get_attribute("data-checkpoint") for card in cards.all()]
    assert names == ["speck", "here", "unknown", "away", "large"]
    expect(page.page.locator("[data-checkpoint=here]")).to_contain_text("loading it unloads another")
    unclaimed = page.page.locator("[data-checkpoint=unknown]")
    expect(unclaimed).not_to_contain_text("too large")
    expect(unclaimed.get_by_role("button", name="Load", exact=True)).to_be_visible()
    expect(page.page.locator("[data-checkpoint=away]").get_by_role("progressbar")).to_have_attribute(
        "aria-valuenow", "25"
    )
    expect(page.page.locator("[data-checkpoint=large]")).to_contain_text("too large for this machine")
    expect(page.page.locator("[data-checkpoint=large]").get_by_role("button", name="Load", exact=True)).to_be_hidden()
    expect(page.page.locator(".o-device")).to_contain_text("20.0 GB of 80.0 GB of the GPU's memory used")
    with page.page.expect_response("**/v1/checkpoints/here/load"):
        page.page.locator("[data-checkpoint=here]").get_by_role("button", name="Load", exact=True).click()
    with page.page.expect_response("**/v1/checkpoints/away/pull"):
        page.page.locator("[data-checkpoint=away]").get_by_role("button", name="Stop download").click()
    assert orders == [("POST", "here/load"), ("DELETE", "away/pull")]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    data = tmp_path_factory.mktemp("own")
    (data / "presets").mkdir()
    (data / "presets" / "speck.toml").write_text(OWN + HINTS)
    with running(data) as server:
        server.wait_ready()
        yield server


def test_a_preset_of_ones_own_says_how_little_its_checkpoint_knows_and_what_it_does_not_follow(
    open_page: OpenPage, own: RunningServer
):
    page = open_page(own).visit("transfer")
    page.page.locator("[data-do=caveat]").click()
    expect(page.page.locator("o-notice")).to_contain_text(LITTLE)
    offered = page.field("@controls").locator(".o-chip[data-hint]:not([aria-disabled])")
    expect(offered).to_have_text(["Edges", "Depth"])
    page.page.goto(f"{own.url}/ask")
    expect(page.page.locator(".o-ask-notice")).to_have_text(LITTLE)
    control = {"hint": "wsm", "video": "u0123456789abcdef"}
    answer = own.post("/v1/jobs", json={"kind": "transfer_video", "prompt": "x", "controls": [control]})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["param"]) == (422, "not_allowed", "controls.0.hint")
    assert (error["message"], error["hint"]) == ("speck does not support wsm controls.", "It supports edge, depth.")

"""The checkpoint is selected where one works: in the header for the server, in the form for this page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from browser.conftest import OpenPage
from browser.studio_page import StudioPage
from running import RunningServer, running
from two_checkpoints import lay_out

LOAD_MS = 120_000

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    data = tmp_path_factory.mktemp("two")
    lay_out(data)
    with running(data) as server:
        server.wait_ready()
        yield server


def entry(page: StudioPage, checkpoint: str) -> Locator:
    """A line of the header's menu, which is opened for it."""
    pill = page.page.locator("[data-pill=checkpoint]")
    if pill.get_attribute("aria-expanded") == "false":
        pill.click()
    return page.page.locator(f".o-checkpoint-menu [data-checkpoint={checkpoint}]")


def runs_on(server: RunningServer, job: str) -> str:
    return server.get(f"/v1/jobs/{job}").json()["checkpoint"]


def test_the_header_loads_and_unloads_and_only_the_default_changes_what_others_get(
    open_page: OpenPage, two: RunningServer
):
    page = open_page(two).visit()
    entry(page, "after").get_by_role("button", name="Load", exact=True).click()
    expect(entry(page, "after")).to_contain_text("ready", timeout=LOAD_MS)
    expect(entry(page, "speck")).to_contain_text("default")
    assert two.get("/v1/choices/generate_image").json()["checkpoint"] == "speck"

    entry(page, "after").get_by_role("button", name="Unload").click()
    page.page.locator(".o-toast").get_by_role("button", name="Undo").click()
    # A click elsewhere closes the menu, at the next frame.
    expect(page.page.locator("[data-pill=checkpoint]")).to_have_attribute("aria-expanded", "false")
    expect(entry(page, "after")).to_contain_text("ready", timeout=LOAD_MS)

    entry(page, "after").get_by_role("button", name="Make default").click()
    expect(entry(page, "after")).to_contain_text("default")
    expect(page.page.locator("[data-pill=checkpoint] b")).to_have_text("after")
    assert two.get("/v1/choices/generate_image").json()["checkpoint"] == "after"
    entry(page, "speck").get_by_role("button", name="Make default").click()
    expect(page.page.locator("[data-pill=checkpoint] b")).to_have_text("speck")


def test_a_page_runs_its_jobs_on_the_checkpoint_that_is_selected_on_it(open_page: OpenPage, two: RunningServer):
    page = open_page(two).visit()
    selected = page.page.locator("[data-do=model]")
    expect(selected).to_contain_text("speck")
    entry(page, "after").get_by_role("button", name="Use on this page").click()
    expect(selected).to_contain_text("after")
    page.page.wait_for_function("() => orrery.form.get('checkpoint') === 'after'")
    assert runs_on(two, page.generate()) == "after"

    page.reload()
    expect(selected).to_contain_text("after")
    page.steps.fill("3")
    page.steps.blur()
    page.wait_value("sampling.num_inference_steps", 3)
    selected.click()
    page.page.get_by_role("button", name="Default checkpoint").click()
    expect(selected).to_contain_text("speck")
    page.page.wait_for_function("() => !orrery.form.get('checkpoint')")
    expect(page.steps).to_have_value("3")
    assert runs_on(two, page.generate()) == "speck"
    assert two.get("/v1/choices/generate_image").json()["checkpoint"] == "speck"

"""Every example of the checkpoint that ships, on the page that it is for."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from frontend.places import FORMS
from running import RunningServer, running
from studio.checkpoints import find_checkpoint
from studio.presets import Example, load_presets

PRESET = load_presets()["pocket"]
POCKET = find_checkpoint("pocket", {"pocket": PRESET}, Path("nowhere"))
STORED = re.compile("u[0-9a-f]+")
EXAMPLES = [
    (place.name, example)
    for place in FORMS
    for example in PRESET.examples[place.kind]
    if place.name != "sound" or example.values.get("sound")
]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not POCKET.installed, reason="presets/pocket has no weights in this clone"),
]


@pytest.fixture(scope="module")
def pocket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with running(tmp_path_factory.mktemp("pocket"), ORRERY_CHECKPOINT="pocket") as server:
        server.wait_ready()
        yield server


@pytest.mark.parametrize(("place", "example"), EXAMPLES, ids=lambda it: it if isinstance(it, str) else it.title)
def test_an_example_is_filled_in_and_made(open_page: OpenPage, pocket: RunningServer, place: str, example: Example):
    page = open_page(pocket).visit(place)
    expect(page.page.locator("o-notice")).to_contain_text("and nothing else")
    page.example(example.title)
    if "sample" in example.values:
        expect(page.page.locator(".o-media").first).to_have_attribute("data-media", STORED)
    page.submit()
    page.wait_state("succeeded")


@pytest.mark.parametrize("title", [example.title for example in PRESET.examples["reason"]])
def test_a_question_is_asked_of_the_sample_that_goes_with_it(open_page: OpenPage, pocket: RunningServer, title: str):
    page = open_page(pocket).page
    page.goto(f"{pocket.url}/ask")
    page.get_by_role("button", name=title).click()
    expect(page.locator(".o-turns > li")).to_have_count(2)
    expect(page.locator(".o-turns > li").first).to_contain_text("?")
    expect(page.locator("o-ask-talk")).not_to_have_attribute("data-busy", "true", timeout=60_000)

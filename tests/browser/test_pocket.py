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


def test_a_first_visit_is_shown_what_the_demo_model_does_well(open_page: OpenPage, pocket: RunningServer):
    page = open_page(pocket)
    page.forget_jobs()
    page.visit("image")
    for name, path in {"Predict a video": "/world", "Plan an arm": "/policy", "Drive the simulated": "/robot"}.items():
        expect(page.stage.get_by_role("link", name=name)).to_have_attribute("href", path)
    page.page.locator("[data-do=caveat]").click()
    expect(page.page.locator("o-notice")).to_contain_text("simulated tabletop only")


@pytest.mark.parametrize(("place", "example"), EXAMPLES, ids=lambda it: it if isinstance(it, str) else it.title)
def test_an_example_is_filled_in_and_made(open_page: OpenPage, pocket: RunningServer, place: str, example: Example):
    page = open_page(pocket).visit(place)
    expect(page.page.locator("o-notice")).to_contain_text("Demo model")
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
    expect(page.locator("o-ask-chat")).not_to_have_attribute("data-busy", "true", timeout=60_000)


def test_a_picture_is_refined_by_the_reasoner_of_the_same_checkpoint(open_page: OpenPage, pocket: RunningServer):
    page = open_page(pocket).page
    page.goto(f"{pocket.url}/refine")
    page.get_by_label("Prompt", exact=True).fill("Two red cubes and a blue ball on a wooden table.")
    page.get_by_role("button", name="Refine", exact=True).click()
    refine = page.locator("o-refine")
    expect(page.locator("[data-node='0']")).to_be_visible(timeout=60_000)
    page.reload()  # in the middle of it
    expect(refine).to_have_attribute("data-state", "succeeded", timeout=60_000)
    tree = pocket.get(f"/v1/refinements/{refine.get_attribute('data-refinement')}").json()
    assert all(0 <= node["critique"]["overall_score"] <= 10 for node in tree["nodes"])
    expect(page.locator(".o-refine-won")).to_be_visible()

    page.locator("[data-node='0']").click()
    page.get_by_label("What should change").fill("make the ball yellow")
    page.get_by_role("button", name="Branch").click()
    branch = page.locator(f"[data-node='{len(tree['nodes'])}'][data-stage='done']")
    expect(branch).to_be_visible(timeout=60_000)
    expect(refine).to_have_attribute("data-state", "succeeded", timeout=60_000)


def test_a_rollout_from_a_simulated_table_is_compared_with_the_arm(open_page: OpenPage, pocket: RunningServer):
    page = open_page(pocket).visit("policy")
    page.example("The red cube")
    rollout = page.page.get_by_role("region", name="Rollout")
    rollout.get_by_label("Chunks").fill("1")
    rollout.locator("[data-from=table]").click()
    rollout.get_by_label("Seed of the table").fill("7")
    rollout.get_by_label("Seed of the table").blur()
    rollout.locator("[data-do=rollout]").click()
    expect(rollout.locator(".o-rollout")).to_have_attribute("data-state", "succeeded", timeout=240_000)
    expect(rollout.locator("o-playhead .o-clip")).to_have_count(2)
    expect(rollout.locator(".o-rollout-errors circle")).to_have_count(16)
    expect(rollout.locator(".o-rollout-errors figcaption")).to_contain_text("as if nothing moved")


def test_a_fan_from_the_simulated_table_is_drawn_in_its_three_views(open_page: OpenPage, pocket: RunningServer):
    page = open_page(pocket).visit("policy")
    page.example("The red cube")
    fan = page.page.get_by_role("region", name="Fan")
    fan.get_by_label("Number of branches").fill("2")
    fan.get_by_label("Number of branches").blur()
    fan.locator("[data-do=fan]").click()
    expect(fan.locator(".o-fan")).to_have_attribute("data-state", "succeeded", timeout=240_000)
    expect(fan.locator(".o-fan-picture polyline")).to_have_count(6)

"""By keyboard alone, and by axe-core's rules."""

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.studio_page import IMAGE, StudioPage
from frontend import element_ids

pytestmark = pytest.mark.browser

Theme = Literal["light", "dark"]

SERIOUS = ("serious", "critical")

SETTLED = """() => Promise.all(
    document.getAnimations()
        .filter(({ playState, effect }) => playState === "running" && effect.getComputedTiming().endTime < Infinity)
        .map(({ finished }) => finished.catch(() => {})),
)"""
"""Until every change of style that ends has ended."""


def serious_violations(page: StudioPage) -> list[str]:
    """What axe-core minds, with the first element at fault."""
    page.page.evaluate(SETTLED)  # a colour on its way to another is neither
    found = Axe().run(page.page).response["violations"]
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in found if rule["impact"] in SERIOUS]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_minds_nothing_serious_with_a_result_and_the_fold_open(open_page: OpenPage, theme: Theme):
    page = open_page()
    page.page.emulate_media(color_scheme=theme)
    page.visit()
    page.generate("for axe")
    page.wait_picture()
    page.part(element_ids.fold(IMAGE)).get_by_role("button").first.click()
    expect(page.field("negative_prompt")).to_be_visible()
    assert serious_violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_minds_nothing_serious_while_a_field_is_wrong(open_page: OpenPage, theme: Theme):
    page = open_page(allowed=("status of 422",))
    page.page.emulate_media(color_scheme=theme)
    page.visit()
    page.prompt.fill("")
    page.button.click()
    expect(page.field("prompt")).to_contain_text("The prompt is empty")
    assert serious_violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_minds_nothing_serious_before_anything_is_made(open_page: OpenPage, theme: Theme):
    page = open_page()
    page.page.emulate_media(color_scheme=theme)
    page.forget_jobs()
    page.visit().wait_state("empty")
    expect(page.stage).to_contain_text("Write a prompt, then Generate.")
    assert serious_violations(page) == []


def test_a_picture_is_made_and_used_again_by_keyboard_alone(open_page: OpenPage):
    page = open_page().visit()
    keys = page.page.keyboard
    keys.press("Tab")
    expect(page.page.locator(".o-skip")).to_be_focused()
    keys.press("/")
    expect(page.prompt).to_be_focused()
    keys.type("typed blind")
    before = page.newest()
    keys.press("Control+Enter")
    expect(page.strip.locator("button").first).not_to_have_attribute("data-job", before)
    page.wait_picture()
    assert page.prompt.input_value() == "typed blind", "no line break was added"
    tab_to(page, "[data-do=use]")
    keys.press("Enter")
    expect(page.lock).to_have_attribute("aria-pressed", "true")


def tab_to(page: StudioPage, selector: str) -> None:
    for _ in range(60):
        page.page.keyboard.press("Tab")
        if page.page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} is not reached by Tab")


def test_choices_move_with_the_arrows(open_page: OpenPage):
    page = open_page().visit()
    page.choice("aspect_ratio", "1:1").focus()
    page.page.keyboard.press("ArrowRight")
    expect(page.choice("aspect_ratio", "3:4")).to_be_checked()
    expect(page.choice("aspect_ratio", "3:4")).to_be_focused()
    expect(page.field("resolution")).to_contain_text("256 × 320 px")


def test_a_refused_choice_says_why_on_focus_and_is_not_taken(open_page: OpenPage):
    page = open_page()
    page.page.route(
        "**/v1/choices/generate_image*",
        lambda route: route.fulfill(
            json={
                "checkpoint": "speck",
                "choices": {
                    "resolution": [{"value": "256", "refused": ""}, {"value": "480", "refused": "speck says no"}]
                },
            }
        ),
    )
    page.visit()
    refused = page.choice("resolution", "480p")
    expect(refused).to_have_attribute("aria-disabled", "true")
    page.choice("resolution", "256p").focus()
    page.page.keyboard.press("ArrowRight")
    expect(refused).to_be_focused()
    expect(page.field("resolution")).to_contain_text("speck says no")
    expect(page.choice("resolution", "256p")).to_be_checked()


def test_the_question_mark_lists_the_keys_and_escape_closes_the_list(open_page: OpenPage):
    page = open_page().visit()
    page.page.locator("body").press("?")
    dialog = page.part(element_ids.KEYS)
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("Generate, also while typing")
    page.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_nothing_moves_for_those_who_asked_for_less_motion(open_page: OpenPage):
    page = open_page()
    page.page.emulate_media(reduced_motion="reduce")
    page.visit()
    page.generate("standing still")
    page.wait_picture()
    moving = page.page.evaluate(
        """() => [...document.querySelectorAll("o-header, o-rail, o-stage, o-progress, o-strip, o-chips")]
            .flatMap((part) => [part, ...part.querySelectorAll("*")])
            .filter((node) => parseFloat(getComputedStyle(node).transitionDuration) > 0).length"""
    )
    assert moving == 0

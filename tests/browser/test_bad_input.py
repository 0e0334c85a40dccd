"""What the page says when something is wrong, and that a person's text is never run."""

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage

pytestmark = pytest.mark.browser

REFUSED = "status of 422"
"""Chromium's own console line for an answer that a validator or a route gave on purpose."""

SCRIPTS = (
    "${window.pwn=1}",
    "{{constructor.constructor('window.pwn=1')()}}",
    "<img src=x onerror=window.pwn=1>",
    "</script><script>window.pwn=1</script>",
    "`${window.pwn=1}`",
)


def test_an_empty_prompt_is_refused_below_the_field(open_page: OpenPage):
    page = open_page(allowed=(REFUSED,)).visit()
    page.prompt.fill("")
    page.button.click()
    expect(page.field("prompt")).to_contain_text("The prompt is empty; write at least one word")
    page.prompt.fill("a cube")
    expect(page.field("prompt")).not_to_contain_text("The prompt is empty")


def test_a_seed_out_of_bounds_is_refused_below_the_field(open_page: OpenPage):
    page = open_page(allowed=(REFUSED,)).visit()
    page.prompt.fill("a cube")
    page.seed.fill("-4")
    page.button.click()
    expect(page.field("sampling.seed")).to_contain_text("It is -4; expected at least 0.")


def test_a_refusal_is_said_at_the_part_that_holds_its_field_again_and_again(open_page: OpenPage):
    error = {"code": "not_allowed", "message": "speck keeps one frame.", "param": "condition_frames", "hint": "Take 1."}
    page = open_page(allowed=(REFUSED,)).visit("video")
    page.page.route("**/v1/jobs?*", lambda route: route.fulfill(status=422, json={"error": error}))
    page.prompt.fill("a cube")
    for _ in range(2):
        page.button.click()
        expect(page.field("@start").locator(".o-error-line")).to_have_text("speck keeps one frame. Take 1. ")


def test_a_form_that_is_not_answered_stays_and_says_so(open_page: OpenPage):
    page = open_page(allowed=("ERR_FAILED", "Failed to load resource")).visit()
    page.page.route("**/v1/jobs?*", lambda route: route.abort())
    page.prompt.fill("still here")
    page.button.click()
    expect(page.page.locator(".o-toast[data-tone=bad]")).to_contain_text("The server did not answer.")
    expect(page.prompt).to_have_value("still here")


def test_too_many_steps_become_the_most_there_are(open_page: OpenPage):
    page = open_page().visit()
    page.steps.fill("5000")
    page.steps.blur()
    expect(page.steps).to_have_value("200")


def test_a_prompt_longer_than_the_reasoner_reads_is_explained(open_page: OpenPage):
    page = open_page(allowed=(REFUSED,)).visit()
    page.prompt.fill("tokens " * 8000)
    page.button.click()
    page.wait_state("failed")
    expect(page.stage).to_contain_text("This job failed")
    expect(page.stage).to_contain_text("token")
    expect(page.card.get_by_role("button", name="Use again")).to_be_visible()


def test_a_file_without_a_recipe_is_refused_with_a_toast(open_page: OpenPage):
    page = open_page(allowed=("status of 4",)).visit()
    page.drop("notes.txt", b"just words", "text/plain")
    toast = page.page.locator(".o-toast[data-tone=bad]")
    expect(toast).to_be_visible()
    toast.get_by_role("button", name="Close").click()
    expect(toast).to_have_count(0)


def test_a_server_that_does_not_answer_is_said_and_the_form_stays(open_page: OpenPage):
    page = open_page(allowed=("ERR_FAILED", "Failed to load resource")).visit()
    page.page.route("**/v1/recipes/read", lambda route: route.abort())
    page.prompt.fill("still here")
    page.drop("picture.png", b"\x89PNG")
    expect(page.page.locator(".o-toast[data-tone=bad]")).to_contain_text("The server did not answer.")
    expect(page.prompt).to_have_value("still here")


def test_a_prompt_that_looks_like_code_is_only_text(open_page: OpenPage):
    page = open_page().visit()
    for script in SCRIPTS:
        job = page.generate(script)
        page.wait_state("succeeded", job)
        page.prompt.fill("")
        page.card.get_by_role("button", name="Use again").click()
        expect(page.prompt).to_have_value(script)
    page.generate("\n".join(SCRIPTS))
    page.reload()
    expect(page.prompt).to_have_value("\n".join(SCRIPTS))
    assert page.page.evaluate("() => window.pwn === undefined")

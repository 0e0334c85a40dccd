"""What goes from one place of the studio to another: a recipe whole, actions to a world, and Back out of a look."""

import json
import re

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import make_actions, make_picture, visit, wait_usable
from browser.test_keeping import add_to_snapshot
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_back_closes_the_look_and_does_not_leave_the_library(open_page: OpenPage, studio: RunningServer):
    name = make_picture(studio, "quoll at dusk")
    page = open_page()
    visit(page, "queue")
    visit(page, "library", "?q=quoll")
    page.page.set_viewport_size({"width": 390, "height": 844})
    peek = page.page.locator("o-library-peek")
    page.page.locator(f'.o-tile[data-id="{name}"] [data-do=open]').click()
    expect(peek).to_be_visible()
    expect(page.page).to_have_url(re.compile(f"item={name}"))
    page.page.go_back()
    expect(peek).to_be_hidden()
    expect(page.page).to_have_url(re.compile(r"/library\?q=quoll$"))
    page.page.go_forward()
    expect(peek).to_be_visible()
    peek.locator("[data-do=close]").click()
    expect(peek).to_be_hidden()
    page.page.go_back()
    wait_usable(page, "queue")


def test_the_badge_of_the_guardrail_says_what_its_state_means(open_page: OpenPage):
    page = open_page()
    add_to_snapshot(page, guardrail={"state": "on", "detail": "a blocklist <b>and</b> Qwen3Guard", "required": True})
    visit(page, "library")
    explains = page.page.locator("#o-guardrail")
    expect(explains).to_be_hidden()
    page.page.get_by_role("button", name="Guardrail: on").click()
    expect(explains).to_be_visible()
    expect(explains).to_contain_text("faces in them are blurred")
    expect(explains).to_contain_text("This server runs nothing that the guardrail has not checked.")
    expect(explains).to_contain_text("a blocklist <b>and</b> Qwen3Guard")
    page.page.keyboard.press("Escape")
    expect(explains).to_be_hidden()


def test_use_again_carries_what_no_form_draws(open_page: OpenPage, studio: RunningServer):
    sampling = {"seed": 5, "guidance_interval": [0.1, 0.9]}
    name = make_picture(studio, "a kept thing", sampling=sampling, use_duration_template=False)
    page = open_page().visit("image", f"?use={name}")
    kept = page.page.locator("o-kept")
    expect(kept).to_be_visible()
    expect(kept).to_contain_text("Guidance interval: 0.1–0.9")
    made = studio.get(f"/v1/library/{name}").json()["request"]
    again = studio.get(f"/v1/jobs/{page.submit()}").json()
    # The recipe names what it ran on; the form names none, which means the active one.
    assert again["checkpoint"] == made["checkpoint"] == "speck"
    assert again["request"] == {**made, "checkpoint": None}
    kept.get_by_role("button", name=re.compile("Guidance interval")).click()
    expect(kept).not_to_contain_text("Guidance interval")


def test_actions_that_were_found_become_those_of_a_world(open_page: OpenPage, studio: RunningServer):
    seen = make_picture(studio, "a table")
    made = make_actions(studio, seen)
    rows = json.loads(studio.get(made["url"]).content)["actions"]
    page = visit(open_page(), "library", f"?item={made['id']}")
    page.page.locator("o-library-peek [data-do=send]").click()
    page.page.locator("o-library-peek [data-to=world]").click()
    page.place = "world"
    page.wait_usable()
    expect(page.page.locator("o-actions")).to_have_attribute("data-rows", str(len(rows)))
    page.page.wait_for_function("() => window.orrery.form.get('start_image')")
    held = page.page.evaluate("() => ({ ...window.orrery.form.request() })")
    assert (held["start_image"], held["embodiment"], held["actions"]) == (seen, "pusht", rows)

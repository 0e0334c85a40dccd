"""Blind A/B in a browser: a test is made, pairs are added by hand, judged by keys with an undo, and scored."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import OpenPage
from browser.keeping_page import make_clip, visit
from browser.test_accessibility import serious_violations
from running import RunningServer

pytestmark = pytest.mark.browser


def press(page: Page, key: str, done: int) -> None:
    page.keyboard.press(key)
    expect(page.locator(".o-blind .o-hue-rating")).to_have_attribute("data-done", str(done))


def test_two_policies_are_judged_by_keys_with_an_undo_and_a_reload(
    open_page: OpenPage, studio: RunningServer, tmp_path: Path
):
    clips = [tmp_path / f"{name}.mp4" for name in ("base", "tuned")]
    for clip in clips:
        clip.write_bytes(studio.get(f"/v1/media/{make_clip(studio, clip.stem)}").content)
    page = visit(open_page(), "evaluate", "#blind")
    tab = page.page
    expect(tab.get_by_text("Find out which of two policies does better")).to_be_visible()
    assert serious_violations(page) == []
    form = tab.get_by_role("form", name="New blind test")
    form.get_by_label("Title").fill("Cups")
    form.get_by_label("One policy").fill("base")
    form.get_by_label("The other policy").fill("tuned")
    form.get_by_role("button", name="Create test").click()

    adding = tab.get_by_role("form", name="Add pairs")
    for number in range(2):
        adding.get_by_label("Name of the task").fill(f"cup {number}")
        adding.get_by_label("Instruction").fill("Lift the cup.")
        for name, clip in zip(("base", "tuned"), clips, strict=True):
            adding.get_by_label(f"Video of {name}").set_input_files(clip)
        adding.get_by_role("button", name="Add pair").click()
        expect(tab.locator("[data-test] small")).to_contain_text(f"{number + 1} pair")
        expect(adding.get_by_role("status")).to_have_text("The pair was added.")

    tab.locator(".o-blind [data-view=judge]").click()
    card = tab.locator(".o-blind [data-pair]")
    expect(card).to_contain_text("Lift the cup.")
    expect(card).not_to_contain_text("tuned")
    assert serious_violations(page) == []
    for key in "wwpppo":
        tab.keyboard.press(key)
    expect(card.get_by_label("Progress of the first")).to_have_value("0.2")
    expect(card.get_by_label("Progress of the second")).to_have_value("0.2")
    press(tab, "1", 1)
    press(tab, "0", 2)
    expect(tab.get_by_text("Nothing left to judge for you")).to_be_visible()
    press(tab, "Backspace", 1)
    tab.reload()
    expect(tab.get_by_role("status").filter(has_text="1 judged · 1 left")).to_be_visible()
    press(tab, "2", 2)

    tab.locator(".o-blind [data-view=scores]").click()
    scores = tab.get_by_role("region", name="This test")
    expect(scores.locator("tbody tr")).to_have_count(2)
    test = tab.url.split("blind=")[1].split("#")[0].split("&")[0]
    assert studio.get(f"/v1/blind-tests/{test}/scores").json()["num_verdicts"] == 2
    assert serious_violations(page) == []

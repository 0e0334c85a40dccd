"""HUE in a browser: a study of videos, its questions, ten answers by keyboard, and what they come to."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import OpenPage
from browser.keeping_page import make_clip, visit
from browser.test_accessibility import serious_violations
from running import RunningServer

pytestmark = pytest.mark.browser

CUBE, BALL = "A red cube for HUE.", "A blue ball for HUE."
SAID = "YYNYUYNYYY"


@pytest.fixture(scope="module")
def videos(studio: RunningServer) -> list[str]:
    return [make_clip(studio, prompt) for prompt in (CUBE, BALL)]


def press(page: Page, key: str, done: int) -> None:
    page.keyboard.press(key)
    expect(page.locator(".o-hue-rating")).to_have_attribute("data-done", str(done))


def test_ten_questions_are_rated_by_keyboard_with_an_undo_and_a_reload(
    open_page: OpenPage, studio: RunningServer, videos: list[str]
):
    page = visit(open_page(), "evaluate", f"?items={','.join(videos)}#hue")
    tab = page.page
    expect(tab.get_by_text("2 selected videos")).to_be_visible()
    tab.get_by_placeholder("Name of the study").fill("Cubes and balls")
    tab.get_by_role("button", name="Create study").click()
    for prompt in (CUBE, BALL):
        bank = tab.get_by_role("article", name=prompt)
        for number in range(5):
            bank.get_by_label("Your question").fill(f"Is fact {number} so?")
            bank.get_by_label("Dimension").select_option(label=("Physical laws", "Visual integrity")[number % 2])
            bank.get_by_role("button", name="Add question").click()
            expect(bank.locator("[data-question]")).to_have_count(number + 1)
            expect(bank.get_by_label("Your question")).to_have_value("")  # which the answer empties
        bank.get_by_label("Domain of the prompt").select_option("physics")
    assert serious_violations(page) == []

    tab.locator("[data-view=rate]").click()
    expect(tab.locator(".o-hue-question")).to_contain_text("Is fact 0 so?")
    assert serious_violations(page) == []
    for done, key in enumerate(SAID[:4], 1):
        press(tab, key, done)
    press(tab, "Backspace", 3)
    expect(tab.locator(".o-hue-question")).to_contain_text("Is fact 3 so?")
    tab.reload()
    expect(tab.get_by_role("status").filter(has_text="3 answered · 7 left")).to_be_visible()
    tab.keyboard.press("k")
    for done, key in enumerate(SAID[3:], 4):
        press(tab, key, done)
    expect(tab.get_by_text("Nothing left to rate for you")).to_be_visible()

    study = tab.url.split("study=")[1].split("#")[0].split("&")[0]
    given = studio.get(f"/v1/hue/{study}/ratings", params={"limit": 50}).json()
    assert given["total"] == 10
    for answer in given["answers"]:
        body = {"video": answer["video"]["id"], "question": answer["question"]["id"], "rater": "ben"}
        said = answer["ratings"][0]["said"]
        assert studio.post(f"/v1/hue/{study}/ratings", json={**body, "said": said}).status_code == 201
    tab.locator("[data-view=scores]").click()
    scores = tab.get_by_role("region", name="Ratings by people")
    expect(scores.locator("tbody tr")).to_contain_text("70.0 %")
    expect(scores.locator("tbody tr")).to_contain_text("10 answers")
    expect(tab.get_by_text("Two people agree on 100.0 %")).to_be_visible()
    wrong = tab.get_by_role("region", name="Answered questions")
    expect(wrong.locator("li[data-video]")).to_have_count(2)
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Table (CSV)").click()
    assert "physical_laws" in Path(download.value.path()).read_text()
    assert serious_violations(page) == []


def test_videos_of_the_library_lead_to_a_study(open_page: OpenPage, videos: list[str]):
    page = visit(open_page(), "library", "?type=video")
    tab = page.page
    tab.locator(".o-tile [tabindex='0']").first.focus()
    tab.keyboard.press(" ")
    tab.get_by_role("button", name="Rate (HUE)").click()
    expect(tab.get_by_text("1 selected video")).to_be_visible()
    expect(tab.get_by_role("tab", name="HUE")).to_have_attribute("aria-selected", "true")

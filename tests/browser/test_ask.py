"""Asking the reasoner: in words and by tasks, about what is in the library and what is dropped."""

import json
import re

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import make_clip, make_picture, visit, wait_usable
from browser.test_bad_input import SCRIPTS
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def picture(studio: RunningServer) -> str:
    return make_picture(studio, "a picture to ask about")


def spoken(*pieces: str, thought: str = "") -> str:
    """An answer as the chat streams it."""
    deltas = [*([{"reasoning_content": thought}] if thought else []), *({"content": piece} for piece in pieces)]
    events = [json.dumps({"choices": [{"delta": delta, "finish_reason": None}]}) for delta in deltas]
    return "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"])


def test_a_question_about_a_library_picture_is_answered_stopped_kept_and_deleted(open_page: OpenPage, picture: str):
    page = visit(open_page(), "ask", f"?from={picture}")
    expect(page.page.locator("o-ask-view")).to_have_attribute("data-media", picture)
    expect(page.page.locator(".o-ask-notice")).to_contain_text("random weights")
    page.page.keyboard.press("/")
    page.page.keyboard.type("What is on the table?")
    page.page.keyboard.press("Enter")
    answer = page.page.locator(".o-turn[data-role=assistant]")
    page.page.wait_for_function(
        "() => document.querySelector('.o-turn[data-role=assistant]')?.textContent.length > 40", timeout=60_000
    )
    stop = page.page.get_by_role("button", name="Stop", exact=True)
    if stop.is_visible():
        page.page.keyboard.press("Escape")
        page.page.keyboard.press("Escape")
    expect(page.page.get_by_role("button", name="Ask", exact=True)).to_be_visible(timeout=60_000)
    said = answer.inner_text()
    page.page.reload()
    wait_usable(page, "ask")
    expect(page.page.locator(".o-turn[data-role=user]")).to_contain_text("What is on the table?")
    assert answer.inner_text()[:20] == said[:20]
    page.page.get_by_role("button", name="Delete the conversation").click()
    expect(page.page.locator(".o-turn")).to_have_count(0)
    assert page.page.evaluate("() => localStorage['orrery.ask'] === undefined")


def test_times_in_an_answer_seek_the_clip_and_thinking_is_folded(open_page: OpenPage, studio: RunningServer):
    clip = make_clip(studio, "a clip to ask about")
    page = open_page()
    said = spoken("It closes at 0:00.5 ", SCRIPTS[2], " and at 99:00.", thought="Frame by frame.")
    page.page.route("**/v1/chat/completions", lambda route: route.fulfill(body=said, content_type="text/event-stream"))
    visit(page, "ask", f"?from={clip}")
    expect(page.page.locator("o-ask-view")).to_have_attribute("data-media", clip)
    page.page.get_by_label("Question").fill("When?")
    page.page.get_by_role("button", name="Ask", exact=True).click()
    answer = page.page.locator(".o-turn[data-role=assistant]")
    expect(answer).to_contain_text(SCRIPTS[2])
    expect(answer.get_by_text("Frame by frame.")).to_be_hidden()
    answer.get_by_text("What it thought").click()
    expect(answer.get_by_text("Frame by frame.")).to_be_visible()
    expect(answer.locator(".o-moment")).to_have_text(["0:00.5"])
    answer.locator(".o-moment").click()
    page.page.wait_for_function("() => Math.abs(document.querySelector('o-ask-view video').currentTime - 0.5) < 0.01")
    assert page.page.evaluate("() => window.pwn === undefined")


def test_boxes_and_points_of_a_task_are_drawn_on_the_frame(open_page: OpenPage, picture: str):
    page = open_page()
    results = [
        {"type": "box", "label": SCRIPTS[0], "box_2d": [100, 200, 600, 700], "pixels": None},
        {"type": "point", "label": "tip", "point_2d": [500, 500], "pixels": None},
    ]
    answer = {"text": "[]", "thought": "", "results": results, "skipped": [], "failure": None}
    page.page.route("**/v1/tasks/grounding", lambda route: route.fulfill(json=answer))
    visit(page, "ask", f"?from={picture}")
    page.page.locator("[data-task=grounding]").click()
    page.page.locator(".o-task-form input").fill("cups")
    page.page.keyboard.press("Enter")
    box = page.page.locator(".o-mark-box")
    expect(box).to_have_text(SCRIPTS[0])
    expect(page.page.locator(".o-mark-point")).to_have_text("tip")
    frame, drawn = page.page.locator(".o-viewer-frame").bounding_box(), box.bounding_box()
    assert frame is not None
    assert drawn is not None
    assert drawn["x"] - frame["x"] == pytest.approx(0.1 * frame["width"], abs=2)
    assert drawn["width"] == pytest.approx(0.5 * frame["width"], abs=2)
    page.page.get_by_role("button", name="Hide 2 on the frame").click()
    expect(box).to_have_count(0)
    assert page.page.evaluate("() => window.pwn === undefined")


def test_a_task_is_really_asked(open_page: OpenPage, picture: str):
    page = visit(open_page(), "ask", f"?from={picture}")
    page.page.locator("[data-task=caption]").click()
    expect(page.page.locator(".o-turn[data-role=user]")).to_have_count(1)
    stop = page.page.get_by_role("button", name="Stop", exact=True)
    expect(stop).to_be_visible()
    stop.click()
    expect(page.page.locator(".o-turn[data-role=assistant]")).to_contain_text("Stopped.")


def test_a_dropped_picture_becomes_what_is_asked_about(open_page: OpenPage, studio: RunningServer, picture: str):
    page = visit(open_page(), "ask")
    expect(page.page.locator("o-ask-view")).to_contain_text("Nothing is shown to the reasoner")
    page.drop("seen.png", studio.get(f"/v1/media/{picture}").content + b"\0")
    expect(page.page.locator("o-ask-view")).to_have_attribute("data-media", re.compile("^u"))
    expect(page.page.locator("o-ask-view img")).to_be_visible()


def test_a_picture_is_taken_from_the_library(open_page: OpenPage, picture: str):
    page = visit(open_page(), "ask")
    page.page.get_by_role("button", name="From the library").click()
    page.page.locator(f"dialog [data-media='{picture}']").click()
    expect(page.page.locator("o-ask-view")).to_have_attribute("data-media", picture)
    expect(page.page).to_have_url(re.compile(f"from={picture}"))


def test_a_refusal_is_said_where_the_answer_would_be(open_page: OpenPage):
    page = open_page(allowed=("status of 503",))
    busy = {"error": {"code": "busy", "message": "64 conversations are open.", "type": "Busy", "hint": "Try again."}}
    page.page.route("**/v1/chat/completions", lambda route: route.fulfill(status=503, json=busy))
    visit(page, "ask")
    page.page.get_by_label("Question").fill("Anybody there?")
    page.page.keyboard.press("Enter")
    expect(page.page.locator(".o-turn[data-role=assistant]")).to_contain_text("64 conversations are open. Try again.")

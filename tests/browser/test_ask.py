"""Asking the reasoner: in words and by tasks, about what is in the library and what is dropped."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Request, Route, expect

from browser.conftest import OpenPage
from browser.keeping_page import make_clip, make_picture, visit, wait_usable
from browser.test_bad_input import SCRIPTS
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def picture(studio: RunningServer) -> str:
    return make_picture(studio, "a picture to ask about", sampling={"seed": 7})


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
    # Random weights: one answer in forty is over before it is that long.
    page.page.wait_for_function(
        "() => { const turn = document.querySelector('.o-turn[data-role=assistant]');"
        " return turn && (turn.textContent.length > 40 || !document.querySelector('o-ask-chat').dataset.busy) }",
        timeout=60_000,
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
    page.page.get_by_role("button", name="Delete conversation").click()
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
    answer.get_by_text("Reasoning").click()
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
    # Both at once, with the picture there: what is measured one after the other may have moved in between.
    page.page.wait_for_function("() => document.querySelector('o-ask-view img').naturalWidth > 0")
    frame, drawn = page.page.evaluate(
        "() => ['.o-viewer-frame', '.o-mark-box'].map((part) => document.querySelector(part).getBoundingClientRect())"
    )
    assert drawn["x"] - frame["x"] == pytest.approx(0.1 * frame["width"], abs=2)
    assert drawn["width"] == pytest.approx(0.5 * frame["width"], abs=2)
    page.page.get_by_role("button", name="Hide 2 on the frame").click()
    expect(box).to_have_count(0)
    assert page.page.evaluate("() => window.pwn === undefined")


def test_length_temperature_and_seed_go_with_questions_and_stay(open_page: OpenPage, picture: str):
    page = open_page()
    asked: list[Any] = []
    task: list[Any] = []

    def answer(route: Route) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(body=spoken("a cube"), content_type="text/event-stream")

    def answer_task(route: Route) -> None:
        task.append(route.request.post_data_json)
        route.fulfill(json={"text": "a cube", "thought": "", "results": [], "skipped": [], "failure": None})

    page.page.route("**/v1/chat/completions", answer)
    page.page.route("**/v1/tasks/caption", answer_task)
    visit(page, "ask", f"?from={picture}")
    settings = page.page.get_by_role("dialog", name="Advanced")

    def ask(words: str, count: int) -> None:
        page.page.get_by_label("Question").fill(words)
        page.page.keyboard.press("Enter")
        expect(page.page.locator(".o-turn[data-role=assistant]")).to_have_count(count)
        expect(page.page.get_by_role("button", name="Ask", exact=True)).to_be_visible()

    ask("What?", 1)
    page.page.get_by_role("button", name="Advanced").click()
    drawn = settings.locator("[name=seed]").input_value()
    for name, said in (("max_tokens", "99999"), ("temperature", "0.3"), ("seed", "5")):
        settings.locator(f"[name={name}]").fill(said)
        settings.locator(f"[name={name}]").blur()
    expect(settings.locator("[name=max_tokens]")).to_have_value("65536")
    expect(settings.locator("[data-seed]")).to_have_attribute("aria-pressed", "true")
    settings.locator("[name=seed]").press("Escape")
    expect(settings).to_be_hidden()
    ask("And?", 2)
    page.page.locator("[data-task=caption]").click()
    expect(page.page.locator(".o-turn[data-role=assistant]")).to_have_count(3)
    expect(page.page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    page.page.reload()
    wait_usable(page, "ask")
    ask("Again?", 4)
    page.page.get_by_role("button", name="Advanced").click()
    settings.locator("[data-seed]").click()
    ask("Anew?", 5)

    assert asked[0]["seed"] == int(drawn)
    assert not {"max_tokens", "temperature"} & asked[0].keys()
    for body in asked[1:3]:
        assert (body["max_tokens"], body["temperature"], body["seed"]) == (65536, 0.3, 5)
    assert asked[3]["seed"] != 5
    assert (task[0]["seed"], task[0]["max_tokens"]) == (5, 65536)
    assert "temperature" not in task[0]


def test_an_earlier_question_comes_back_from_the_history(open_page: OpenPage, picture: str):
    page = open_page()
    said = spoken("a cube")
    page.page.route("**/v1/chat/completions", lambda route: route.fulfill(body=said, content_type="text/event-stream"))
    visit(page, "ask")
    history = page.page.get_by_role("button", name="History")
    history.click()
    expect(page.page.get_by_role("dialog", name="History")).to_contain_text("Your earlier questions appear here.")
    history.click()
    for count, words in enumerate(("What is it?", SCRIPTS[0], "What is it?"), 1):
        page.page.get_by_label("Question").fill(words)
        page.page.keyboard.press("Enter")
        expect(page.page.locator(".o-turn[data-role=assistant]")).to_have_count(count)
        expect(page.page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    visit(page, "ask", f"?from={picture}")
    history.click()
    rows = page.page.get_by_role("dialog", name="History").get_by_role("button")
    expect(rows).to_have_text(["What is it?", SCRIPTS[0]])
    rows.first.click()
    expect(page.page.get_by_label("Question")).to_be_focused()
    expect(page.page.get_by_label("Question")).to_have_value("What is it?")
    assert page.page.evaluate("() => window.pwn === undefined")


def test_a_task_is_really_asked(open_page: OpenPage, picture: str):
    page = open_page()
    # With a seed that is known to say something.
    page.page.add_init_script("localStorage['orrery.ask.sampling'] = JSON.stringify({ seed: 7, locked: true })")
    visit(page, "ask", f"?from={picture}")
    page.page.locator("[data-task=caption]").click()
    expect(page.page.locator(".o-turn[data-role=user]")).to_have_count(1)
    expect(page.page.locator(".o-turn[data-role=assistant]")).to_be_visible()
    expect(page.page.get_by_role("button", name="Ask", exact=True)).to_be_visible(timeout=60_000)
    said = page.page.locator(".o-turn[data-role=assistant] :is(.o-turn-text, .o-results):visible")
    expect(said).to_contain_text(re.compile(".{10}"))


def test_a_task_that_takes_long_is_stopped(open_page: OpenPage, picture: str):
    page = open_page()
    page.page.route("**/v1/tasks/caption", lambda _: None)  # nobody answers
    visit(page, "ask", f"?from={picture}")
    page.page.locator("[data-task=caption]").click()
    page.page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.page.locator(".o-turn[data-role=assistant]")).to_contain_text("Stopped.")


def test_a_dropped_picture_becomes_what_is_asked_about(open_page: OpenPage, studio: RunningServer, picture: str):
    page = visit(open_page(), "ask")
    expect(page.page.locator("o-ask-view")).to_contain_text("No image or video selected")
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


def test_an_answer_goes_on_without_its_page_and_is_read_on_the_next_one(open_page: OpenPage, picture: str):
    page = open_page()
    page.page.route("**/v1/chat/completions", lambda _: None)  # nobody answers
    visit(page, "ask", f"?from={picture}")
    page.page.get_by_label("Question").fill("What is it?")
    with page.page.expect_request("**/v1/chat/completions") as asked:
        page.page.keyboard.press("Enter")
    expect(page.page.locator(".o-turn[data-role=assistant]")).to_be_visible()
    visit(page, "library")
    page.page.unroute("**/v1/chat/completions")
    again: list[Request] = []
    said = spoken("a cube")

    def answer(route: Route) -> None:
        again.append(route.request)
        route.fulfill(body=said, content_type="text/event-stream")

    page.page.route("**/v1/chat/completions", answer)
    visit(page, "ask")
    expect(page.page.locator("o-ask-view")).to_have_attribute("data-media", picture)
    expect(page.page.locator(".o-turn[data-role=assistant]")).to_contain_text("a cube")
    # The same call with the same key, which the server answers once.
    assert [(one.headers["idempotency-key"], one.post_data) for one in again] == [
        (asked.value.headers["idempotency-key"], asked.value.post_data)
    ]
    expect(page.page.locator(".o-turn[data-role=user]")).to_have_text(re.compile("What is it\\?"))
    visit(page, "ask")
    expect(page.page.locator(".o-turn[data-role=assistant]")).to_contain_text("a cube")
    assert len(again) == 1


def test_stop_stops_the_answer_at_the_server_too(open_page: OpenPage, picture: str):
    page = open_page()
    page.page.route("**/v1/chat/completions", lambda _: None)
    page.page.route("**/v1/chat/completions/*", lambda route: route.fulfill(status=204))
    visit(page, "ask", f"?from={picture}")
    page.page.get_by_label("Question").fill("What is it?")
    page.page.keyboard.press("Enter")
    with page.page.expect_request("**/v1/chat/completions/*") as stopped:
        page.page.get_by_role("button", name="Stop").click()
    assert stopped.value.method == "DELETE"
    answer = page.page.locator(".o-turn[data-role=assistant]")
    expect(answer).to_contain_text("Stopped")
    said = spoken("a cube")
    page.page.unroute("**/v1/chat/completions")
    page.page.route("**/v1/chat/completions", lambda route: route.fulfill(body=said, content_type="text/event-stream"))
    answer.get_by_role("button", name="Ask again").click()
    expect(answer).to_have_count(1)
    expect(answer).to_contain_text("a cube")


def test_the_reasoner_s_adapter_goes_with_questions_tasks_and_captions_and_stays(open_page: OpenPage, picture: str):
    page = open_page()
    asked: list[Any] = []

    def answer(route: Route) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(body=spoken("a cube"), content_type="text/event-stream")

    def answer_task(route: Route) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(json={"text": "a cube", "thought": "", "results": [], "skipped": [], "failure": None})

    def listed(name: str, task: str) -> dict[str, Any]:
        return {"name": name, "size_bytes": 1, "lineage": {"recipe": {"task": task}}}

    adapters = {"adapters": [listed("drawn@100", "generator"), listed("spoken@100", "reasoner")]}
    page.page.route("**/v1/adapters", lambda route: route.fulfill(json=adapters))
    page.page.route("**/v1/chat/completions", answer)
    page.page.route("**/v1/tasks/caption", answer_task)
    page.page.route("**/v1/upsample*", lambda route: route.fulfill(body="", content_type="text/event-stream"))
    visit(page, "ask", f"?from={picture}&reasoner_adapter=spoken@100")
    chosen = page.page.get_by_label("Adapter of the reasoner")
    expect(chosen).to_have_value("spoken@100")
    expect(chosen.locator("option")).to_have_text(["No reasoner adapter", "spoken@100"])
    page.page.get_by_label("Question").fill("What?")
    page.page.keyboard.press("Enter")
    expect(page.page.locator(".o-turn[data-role=assistant]")).to_contain_text("a cube")
    page.page.locator("[data-task=caption]").click()
    expect(page.page.locator(".o-turn[data-role=assistant]")).to_have_count(2)
    assert asked[0]["lora"] == asked[1]["adapter"] == {"name": "spoken@100"}
    page.visit("image")
    page.prompt.fill("a cup")
    page.wait_value("prompt", "a cup")
    with page.page.expect_request(re.compile(r"/v1/upsample\?")) as sent:
        page.page.locator("[data-do=upsample]").click()
    assert "adapter=spoken%40100" in sent.value.url
    page.page.get_by_label("Adapter of the reasoner").select_option("")
    assert page.page.evaluate("() => localStorage['orrery.reasoner_adapter'] === undefined")

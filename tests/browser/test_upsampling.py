"""The prompt written out below it: taken, undone, and refused where no caption belongs."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from browser.conftest import OpenPage
from browser.test_around_the_form import sample_id

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def streamed(answer: dict[str, Any]) -> dict[str, Any]:
    """A reply that is written in two pieces."""
    events = [{"text": "{"}, {"text": answer["prompt"][1:]}, {"answer": answer}]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    return {"body": body, "content_type": "text/event-stream"}


def test_a_prompt_is_written_out_beside_the_persons_words_taken_and_undone(open_page: OpenPage):
    page = open_page()
    answer = {
        "prompt": '{"description": "a red cube"}',
        "caption": {"description": "a red cube"},
        "repaired": [],
        "scene_imagination": "",
        "thought": "",
        "attempts": 1,
        "diff": {
            "words": [
                {
                    "text": "cube",
                    "start": 0,
                    "end": 4,
                    "small": False,
                    "places": [{"path": "description", "start": 6, "end": 10}],
                },
                {"text": "sings", "start": 5, "end": 10, "small": False, "places": []},
            ],
            "lost": [{"text": "sings", "start": 5, "end": 10, "small": False, "places": []}],
            "share_kept": 0.5,
            "kept_by": {"description": ["cube"]},
        },
    }
    page.page.route("**/v1/upsample*", lambda route: route.fulfill(**streamed(answer)))
    page.visit("video")
    page.prompt.fill("cube sings")
    page.wait_value("prompt", "cube sings")
    page.page.locator("[data-do=upsample]").click()
    panel = page.page.locator(".o-upsampled")
    expect(panel).to_contain_text("50 % of your words kept, 1 missing.")
    expect(panel.locator("del")).to_have_text("sings")
    expect(panel.locator(".o-diff-caption mark")).to_have_text("cube")
    page.page.get_by_role("button", name="Use caption").click()
    expect(page.prompt).to_have_value(answer["prompt"])
    page.page.locator("[data-do=undo-upsample]").click()
    expect(page.prompt).to_have_value("cube sings")


def test_a_structured_caption_is_edited_as_fields(open_page: OpenPage):
    caption = {"subjects": [{"description": "a red cube", "pose": "", "number_of_subjects": 1}], "fps": 24.0}
    page = open_page().visit("video")
    page.prompt.fill("a cube")
    page.wait_value("prompt", "a cube")
    page.page.evaluate(
        "prompt => document.dispatchEvent(new CustomEvent('o-use', {detail: {prompt}}))", json.dumps(caption)
    )
    editor = page.page.locator(".o-caption")
    editor.get_by_role("button", name="Edit as fields").click()
    expect(page.prompt).to_be_hidden()
    expect(editor.locator("label")).to_have_count(3)
    editor.get_by_role("button", name="Show all 4 fields").click()
    editor.get_by_label("subjects · 1 · pose").fill("tilted, 中")
    expect(page.prompt).to_have_value(json.dumps(caption).replace('"pose": ""', '"pose": "tilted, \\u4e2d"'))
    page.reload()
    expect(editor.get_by_label("subjects · 1 · pose")).to_have_value("tilted, 中")
    editor.get_by_role("button", name="Edit as JSON").click()
    page.prompt.fill("a cube")
    expect(editor).to_be_hidden()


def test_a_transfer_is_upsampled_for_the_clips_that_it_follows(open_page: OpenPage):
    asked: list[Any] = []
    words = [
        {"start": 0, "end": 4, "text": "clay", "small": False, "places": [{"path": "context", "start": 2, "end": 6}]}
    ]
    answer = {
        "prompt": '{"context":"a clay hand"}',
        "caption": {"context": "a clay hand"},
        "diff": {"words": words, "share_kept": 1.0, "lost": []},
    }

    def write(route: Route) -> None:
        asked.append(route.request.post_data_json)
        route.fulfill(**streamed(answer))

    page = open_page().visit("transfer")
    page.prompt.fill("clay")
    page.wait_value("prompt", "clay")
    page.page.locator("[data-do=upsample]").click()
    expect(page.page.locator(".o-upsampled")).to_contain_text("Select a video and its controls first")
    page.page.route("**/v1/upsample*", write)
    page.page.locator("o-examples button").last.click()
    expect(page.page.locator(".o-media").first).to_have_attribute("data-media", "u" + sample_id("transfer"))
    page.prompt.fill("clay")
    page.wait_value("prompt", "clay")
    page.page.locator("[data-do=upsample]").click()
    page.page.get_by_role("button", name="Use caption").click()
    expect(page.prompt).to_have_value(answer["prompt"])
    page.page.locator("[data-do=undo-upsample]").click()
    expect(page.prompt).to_have_value("clay")
    assert asked[0]["kind"] == "transfer_video"
    assert asked[0]["source_video"] == "u" + sample_id("transfer")


@pytest.mark.parametrize("place", ["world", "inverse", "policy"])
def test_a_prompt_that_is_a_task_is_not_upsampled_and_the_button_says_why(open_page: OpenPage, place: str):
    page = open_page().visit(place)
    button = page.page.locator("[data-do=upsample]")
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(button).to_have_attribute("title", re.compile("Not available here: your prompt is the task"))
    button.press("Enter")
    expect(page.page.locator(".o-upsampled")).to_contain_text("Not available here: your prompt is the task")
    button.press("Enter")
    expect(page.page.locator(".o-upsampled")).to_be_hidden()

"""Annotations in Evaluate: edited beside their video, found by in the library, and made into questions."""

import json
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import visit
from browser.test_accessibility import serious_violations
from browser.test_timeline import answered
from running import RunningServer
from studio.evaluation import load_schema

pytestmark = pytest.mark.browser


def says(body: dict[str, Any]) -> str:
    """Annotates, and answers every question with A."""
    if "JSON object" in json.dumps(body):
        return json.dumps({"weather": "Heavy rain", "rule_violation": False, "safety_analysis": "It rains."})
    return "<answer>A</answer>"


def annotated(studio: RunningServer) -> Any:
    reference = {"weather": "Overcast", "rule_violation": False}
    schema = load_schema("av").model_dump(mode="json")
    return answered(studio, "fields", says, annotation=schema, reference=reference)


def test_an_annotation_is_corrected_and_the_library_finds_its_video(open_page: OpenPage, studio: RunningServer):
    with annotated(studio) as run:
        opened = visit(open_page(), "evaluate", f"?run={run}")
        page = opened.page
        editor = page.get_by_role("region", name="Annotation of stack_demo0")
        expect(editor.get_by_label("Weather")).to_have_value("Heavy rain")
        expect(editor.locator("[data-field=weather]")).to_contain_text("Reference: Overcast")
        save = editor.get_by_role("button", name="Save correction")
        expect(save).to_be_enabled()  # confirms an annotation that is right
        editor.get_by_label("Weather").select_option("Dense fog")
        editor.get_by_role("switch", name="Rule violation").click()
        editor.get_by_label("Safety analysis").fill("It is hard to see.")
        editor.get_by_label("Driving difficulty").select_option("4")
        editor.get_by_role("button", name="Undo").click()
        expect(editor.get_by_label("Driving difficulty")).to_have_value("")
        editor.get_by_label("Safety analysis").press("Control+z")
        expect(editor.get_by_label("Safety analysis")).to_have_value("It rains.")
        editor.get_by_label("Safety analysis").fill("It is hard to see.")
        save.click()
        expect(editor.get_by_text("Corrected by voter-")).to_be_visible()
        assert serious_violations(opened) == []
        page.reload()
        expect(editor.get_by_label("Weather")).to_have_value("Dense fog")
        expect(editor.get_by_label("Safety analysis")).to_have_value("It is hard to see.")
        found = studio.get("/v1/library", params={"tag": ["Weather: Dense fog", "Rule violation: true"]}).json()
        assert len(found["items"]) == 1
        editor.get_by_role("button", name="Remove correction").click()
        expect(editor.get_by_label("Weather")).to_have_value("Heavy rain")
        assert studio.get("/v1/library", params={"tag": "Weather: Dense fog"}).json()["items"] == []


def test_questions_are_drawn_removed_and_saved_as_a_benchmark(open_page: OpenPage, studio: RunningServer):
    with annotated(studio) as run:
        opened = visit(open_page(), "evaluate", f"?run={run}")
        page = opened.page
        builder = page.get_by_role("region", name="Multiple-choice questions")
        builder.get_by_role("heading").click()
        for name in ("annotation", "video"):
            builder.get_by_label(f"Reasoner for the {name}").select_option("sage")
        builder.get_by_label("Questions per video").fill("2")
        for name in ("Key Objects", "Actions & Motion", "Ego Vehicle Behavior"):
            builder.get_by_label(name).uncheck()
        builder.get_by_role("button", name="Draw questions").click()
        drafts = builder.locator("[data-draft]")
        expect(drafts).to_have_count(4)
        expect(builder.get_by_role("button", name="Save 4 questions")).to_be_visible(timeout=30_000)
        expect(drafts.first).to_contain_text("both agree")
        drafts.first.get_by_role("button", name="Remove question").click()
        expect(drafts.first).to_contain_text("removed")
        letters = drafts.nth(1).get_by_role("radio")
        letters.first.focus()
        page.keyboard.press("ArrowDown")
        expect(drafts.nth(1)).to_contain_text("selected by a person")
        expect(letters.nth(1)).to_be_focused()
        assert serious_violations(opened) == []
        page.reload()
        expect(builder.get_by_label("Questions per video")).to_have_value("2")
        expect(builder.get_by_label("Key Objects")).not_to_be_checked()
        builder.get_by_label("Name of the benchmark").fill("rain-questions")
        builder.get_by_role("button", name="Save 3 questions").click()
        expect(page.get_by_text("rain-questions: 3 questions added")).to_be_visible()
        saved = studio.get("/v1/benchmarks/rain-questions").json()["benchmark"]
        assert (saved["form"], [one["reference"] for one in saved["items"]]) == ("choice", ["B", "A", "A"])
        assert not {one["category"] for one in saved["items"]} & {"Key Objects", "Actions & Motion"}

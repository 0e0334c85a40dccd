"""Dropping a picture on the page gives its settings back."""

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from running import RunningServer

pytestmark = pytest.mark.browser


def test_a_dropped_picture_restores_its_settings(open_page: OpenPage, studio: RunningServer):
    job = studio.submit(
        prompt="dropped {{value}} ${1}",
        aspect_ratio="3:4",
        negative_prompt="blur",
        count=2,
        sampling={"seed": 41, "num_inference_steps": 6, "guidance_scale": 2.5, "schedule": "checkpoint"},
    )
    second = studio.wait_job(job["id"])["results"][1]
    page = open_page().visit()
    page.drop("second.png", studio.get(second["url"]).content)
    expect(page.page.locator(".o-toast")).to_contain_text("Settings restored from second.png")
    expect(page.prompt).to_have_value("dropped {{value}} ${1}")
    expect(page.seed).to_have_value("42")
    expect(page.lock).to_have_attribute("aria-pressed", "true")
    expect(page.choice("aspect_ratio", "3:4")).to_be_checked()
    page.page.wait_for_function("() => window.orrery.form.values['sampling.schedule'] === 'checkpoint'")
    values = page.values()
    assert values["negative_prompt"] == "blur"
    assert (values["count"], values["sampling.guidance_scale"], values["sampling.num_inference_steps"]) == (1, 2.5, 6)


def test_dragging_a_file_over_the_page_says_what_it_is_for(open_page: OpenPage):
    page = open_page().visit()
    page.page.evaluate(
        """() => {
            const files = new DataTransfer();
            files.items.add(new File(["x"], "x.png"));
            document.body.dispatchEvent(new DragEvent("dragenter", { dataTransfer: files, bubbles: true }));
        }"""
    )
    expect(page.page.locator("o-drop")).to_be_visible()
    expect(page.page.locator("o-drop")).to_have_text("Drop to restore its settings")

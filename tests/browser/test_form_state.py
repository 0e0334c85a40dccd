"""What the form says is what runs: past a change of checkpoint, a caption that is let go, a paused queue."""

import json
import re

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import visit
from browser.studio_page import JOB_MS, StudioPage
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CAPTION = json.dumps({"comprehensive_t2i_caption": "A red cube.", "subjects": [], "background_setting": "a table"})
SWITCHES = {"use_resolution_template": False, "use_duration_template": False}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def use(page: StudioPage, **values: object) -> None:
    """What every button does that fills the form."""
    page.page.evaluate("detail => document.dispatchEvent(new CustomEvent('o-use', { detail }))", values)


def test_a_locked_seed_and_what_was_set_outlive_unload_and_load(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit()
    page.seed.fill("11")
    page.seed.blur()
    page.steps.fill("12")
    page.steps.blur()
    page.wait_value("sampling.num_inference_steps", 12)
    page.wait_value("seed_lock", True)
    studio.post("/v1/checkpoints/speck/unload").raise_for_status()
    try:
        page.page.wait_for_timeout(500)
        for _ in range(2):
            page.reload()
            expect(page.seed).to_have_value("11")
            expect(page.steps).to_have_value("12")
            expect(page.lock).to_have_attribute("aria-pressed", "true")
            studio.post("/v1/checkpoints/speck/load").raise_for_status()
            studio.wait_ready()
    finally:
        studio.post("/v1/checkpoints/speck/load")
        studio.wait_ready()


def test_plain_words_that_take_a_captions_place_get_their_sentences_back(open_page: OpenPage):
    page = open_page().visit()

    def write() -> None:
        page.page.get_by_role("button", name="Edit as JSON").click()
        page.prompt.fill("a ball")

    for replace in (lambda: use(page, prompt="a ball"), write):
        use(page, prompt=CAPTION, **SWITCHES)
        page.wait_value("prompt", CAPTION)
        page.wait_value("use_resolution_template", False)
        replace()
        page.wait_value("prompt", "a ball")
        page.wait_value("use_resolution_template", True)
        page.page.wait_for_function("() => orrery.form.get('use_duration_template') !== false")


def test_a_caption_and_plain_words_that_say_their_switches_keep_them(open_page: OpenPage):
    page = open_page().visit()
    use(page, prompt=CAPTION, **SWITCHES)
    page.wait_value("use_resolution_template", False)
    use(page, prompt="a ball", **SWITCHES)
    page.wait_value("prompt", "a ball")
    page.wait_value("use_resolution_template", False)


@pytest.mark.parametrize("place", ["ask", "compare", "queue", "video"])
def test_a_tab_is_named_after_its_page(open_page: OpenPage, place: str):
    page = open_page()
    if place == "video":
        page.visit(place)
    else:
        visit(page, place)
    page.page.wait_for_load_state("networkidle")
    expect(page.page).to_have_title(re.compile(f"Orrery · {place}", re.IGNORECASE))


def test_the_menu_of_ways_on_stays_on_a_phones_screen(open_page: OpenPage):
    page = open_page(**PHONE).visit()
    page.generate()
    page.wait_picture()
    page.page.locator("[data-do=send]").click()
    box = page.page.locator(".o-popover").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["viewport"]["width"]


def test_a_paused_queue_is_said_where_generate_is_pressed(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit()
    studio.post("/v1/queue/pause").raise_for_status()
    try:
        expect(page.page.locator("o-estimate")).to_contain_text("the queue is paused")
        job = page.generate()
        expect(page.stage).to_have_attribute("data-job", job)
        expect(page.stage).to_contain_text("The queue is paused")
    finally:
        studio.post("/v1/queue/resume").raise_for_status()
    page.wait_state("succeeded", job)


def test_the_stage_shows_what_was_just_asked_for_and_not_what_others_run(open_page: OpenPage, studio: RunningServer):
    slow = {
        "kind": "generate_image",
        "prompt": "another's",
        "resolution": "720",
        "sampling": {"num_inference_steps": 200},
    }
    other = studio.post("/v1/jobs", json=slow).json()["id"]
    page = open_page().visit()
    page.wait_state("running", other)
    job = page.generate()
    expect(page.stage).to_have_attribute("data-job", job)
    studio.delete(f"/v1/jobs/{other}").raise_for_status()
    page.wait_state("succeeded", job)


def test_a_batch_of_which_something_waits_stands_under_waiting_alone(open_page: OpenPage, studio: RunningServer):
    slow = {"kind": "generate_image", "prompt": "slow", "resolution": "720", "sampling": {"num_inference_steps": 200}}
    quick = {"kind": "generate_image", "prompt": "quick", "resolution": "256", "sampling": {"num_inference_steps": 1}}
    studio.post("/v1/queue/pause").raise_for_status()
    try:
        batch = studio.post("/v1/batches", json={"requests": [slow, quick]}).json()
        first, _ = [job["id"] for job in batch["jobs"]]
        page = visit(open_page(), "queue")
        studio.post("/v1/queue/resume").raise_for_status()
        page.page.wait_for_function(
            "id => fetch(`/v1/jobs/${id}`).then((reply) => reply.json()).then((job) => job.progress.step > 0)",
            arg=first,
            timeout=JOB_MS,
        )
        studio.post("/v1/queue/pause").raise_for_status()
        studio.post(f"/v1/jobs/{first}/stop").raise_for_status()  # the second one has not begun
        studio.wait_job(first)
        row = page.page.locator(f"[data-batch='{batch['id']}']")
        expect(page.page.locator(f"[data-entry='{batch['id']}']")).to_contain_text("1 of 2")
        expect(row).to_have_count(0)
    finally:
        studio.post("/v1/queue/resume").raise_for_status()
    expect(row).to_have_count(1)

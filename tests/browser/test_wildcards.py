"""A prompt with wildcards is a batch: one job for each of its prompts, and one stack in the strip."""

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_each_prompt_is_a_job_with_the_same_seed_and_the_batch_is_one_stack(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit()
    page.steps.fill("2")
    page.steps.blur()
    page.prompt.fill("a {red|blue} cube on the {left | right}")
    expect(page.page.locator("o-estimate")).to_contain_text("4 prompts")
    page.button.click()
    stack = page.strip.locator("[data-stack='4']")
    expect(stack).to_have_attribute("aria-expanded", "false")
    jobs = studio.get("/v1/jobs?limit=4").json()["jobs"]
    assert [job["request"]["prompt"] for job in reversed(jobs)] == [
        f"a {colour} cube on the {side}" for colour in ("red", "blue") for side in ("left", "right")
    ]
    assert len({job["request"]["sampling"]["seed"] for job in jobs}) == 1
    stack.click()
    ids = [job["id"] for job in jobs]
    expect(page.strip.locator(", ".join(f"[data-job='{job}']" for job in ids))).to_have_count(4)
    for job in ids:
        studio.wait_job(job)
    page.strip.locator(f"[data-job='{ids[1]}']").click()
    page.wait_state("succeeded", ids[1])
    page.strip.locator("[data-stack='4']").click()
    expect(page.strip.locator("[aria-expanded=true]")).to_have_count(0)


def test_too_many_prompts_are_refused_below_the_field(open_page: OpenPage):
    page = open_page().visit()
    page.prompt.fill("{a|b|c|d|e} " * 3)
    page.button.click()
    expect(page.field("prompt")).to_contain_text("stand for 125 prompts; at most 100")


def test_the_braces_of_a_caption_are_no_wildcards(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit()
    prompt = '{"subjects": [{"description": "red | blue"}]}'
    job = page.generate(prompt)
    assert studio.job(job)["request"]["prompt"] == prompt
    page.wait_state("succeeded", job)


def test_a_video_of_this_page_stays_in_its_strip_past_a_large_batch_of_images(
    fresh_studio: RunningServer, open_page: OpenPage
):
    clip = {"kind": "generate_video", "prompt": "the clip", "num_frames": 9, "sampling": {"num_inference_steps": 1}}
    clip |= {"resolution": "256", "aspect_ratio": "1:1"}
    job = fresh_studio.wait_job(fresh_studio.post("/v1/jobs", json=clip).json()["id"])["id"]
    fresh_studio.post("/v1/queue/pause").raise_for_status()
    image = {"kind": "generate_image", "prompt": "a cell", "sampling": {"num_inference_steps": 1}}
    axes = {"sampling.seed": list(range(120))}
    fresh_studio.post("/v1/batches", json={"request": image, "axes": axes}).raise_for_status()
    page = open_page(fresh_studio, locale="en-GB").visit("video")
    expect(page.strip.locator("button")).to_have_count(2)
    page.strip.locator(f"[data-job='{job}']").click()
    page.wait_state("succeeded", job)

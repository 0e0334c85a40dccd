"""The queue: what waits is seen, put into another order, paused, cancelled and run again, from every device."""

import json
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, WebSocketRoute, expect

from browser.conftest import OpenPage
from browser.keeping_page import tile, tiles, visit, wait_usable
from browser.studio_page import StudioPage
from browser.test_accessibility import serious_violations
from browser.test_bad_input import SCRIPTS
from running import RunningServer, wait_for
from sent_files import picture_bytes

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def paused(studio: RunningServer) -> Iterator[RunningServer]:
    """A queue that starts nothing; emptied and resumed at the end."""
    studio.post("/v1/queue/pause").raise_for_status()
    yield studio
    studio.delete("/v1/queue").raise_for_status()
    studio.post("/v1/queue/resume").raise_for_status()


def submit(studio: RunningServer, *prompts: str) -> list[str]:
    """Hand in small pictures; their jobs."""
    small: dict[str, Any] = {"resolution": "256", "aspect_ratio": "1:1", "sampling": {"num_inference_steps": 1}}
    return [studio.submit(prompt=prompt, **small)["id"] for prompt in prompts]


def entry(page: StudioPage, job: str) -> Locator:
    return page.page.locator(f"[data-entry='{job}']")


def ended(page: StudioPage, job: str) -> Locator:
    return page.page.locator(f"o-queue ul [data-job='{job}']")


def expect_order(page: StudioPage, jobs: list[str]) -> None:
    """The waiting list is exactly these."""
    page.page.wait_for_function(
        "jobs => [...document.querySelectorAll('[data-entry]')].map((row) => row.dataset.entry).join() === jobs.join()",
        arg=jobs,
    )


def test_what_waits_is_reordered_by_keyboard_and_every_device_sees_it(open_page: OpenPage, paused: RunningServer):
    first, second, third = submit(paused, "one", "two", "three")
    here = visit(open_page(), "queue")
    there = visit(open_page(viewport={"width": 900, "height": 700}), "queue")
    expect(here.page.locator("o-queue")).to_have_attribute("data-paused", "true")
    expect_order(here, [first, second, third])
    grip = entry(here, third).locator(".o-grip")
    grip.focus()
    here.page.keyboard.press("ArrowUp")
    expect_order(here, [first, third, second])
    expect(grip).to_be_focused()
    expect_order(there, [first, third, second])
    here.page.keyboard.press("Home")
    expect_order(there, [third, first, second])
    here.page.keyboard.press("End")
    expect_order(there, [first, second, third])


def test_what_waits_is_reordered_by_dragging(open_page: OpenPage, paused: RunningServer):
    first, second, third = submit(paused, "one", "two", "three")
    page = visit(open_page(), "queue")
    expect_order(page, [first, second, third])
    grip, target = entry(page, first).locator(".o-grip"), entry(page, third)
    begin, end = grip.bounding_box(), target.bounding_box()
    assert begin is not None
    assert end is not None
    page.page.mouse.move(begin["x"] + 8, begin["y"] + 8)
    page.page.mouse.down()
    page.page.mouse.move(begin["x"] + 8, end["y"] + end["height"] - 2, steps=6)
    page.page.mouse.up()
    expect_order(page, [second, third, first])  # at once; the server's word follows

    def are_in_order() -> bool:
        positions = [paused.job(job)["position"] for job in (second, third, first)]
        return positions == sorted(positions)

    wait_for(are_in_order, 20)


def test_priority_cancel_and_pause_do_what_they_say(open_page: OpenPage, paused: RunningServer):
    first, second = submit(paused, "slow one", "fast one")
    page = visit(open_page(), "queue")
    expect_order(page, [first, second])
    page.page.get_by_label("Priority of fast one").select_option("high")
    expect_order(page, [second, first])
    entry(page, first).get_by_role("button", name="Cancel").click()
    expect_order(page, [second])
    expect(ended(page, first)).to_contain_text("cancelled")
    page.page.get_by_role("button", name="Resume").click()
    expect(ended(page, second)).to_have_attribute("data-state", "succeeded", timeout=60_000)
    expect(ended(page, second)).to_contain_text("no guardrail")
    ended(page, first).get_by_role("button", name="Run again").click()
    expect(ended(page, first)).to_have_attribute("data-state", "succeeded", timeout=60_000)
    page.page.get_by_role("button", name="Pause the queue").click()
    expect(page.page.locator("o-queue")).to_contain_text("Paused: running jobs continue")
    ended(page, second).get_by_role("button", name="Run with a new seed").click()
    expect(page.page.locator("[data-entry]")).to_have_count(1)
    again = page.page.locator("[data-entry]").get_attribute("data-entry") or ""
    asked, before = paused.job(again)["request"], paused.job(second)["request"]
    assert asked["sampling"].pop("seed") != before["sampling"].pop("seed")
    assert (asked["prompt"], asked["sampling"]) == (before["prompt"], before["sampling"])


def test_a_batch_is_one_parent_with_its_progress(open_page: OpenPage, paused: RunningServer):
    request = {"kind": "generate_image", "prompt": "many", "resolution": "256", "aspect_ratio": "1:1"}
    request |= {"sampling": {"num_inference_steps": 1}}
    batch = paused.post("/v1/batches", json={"request": request, "axes": {"sampling.seed": [1, 2, 3]}}).json()
    (single,) = submit(paused, "alone")
    page = visit(open_page(), "queue")
    expect_order(page, [batch["id"], single])
    expect(entry(page, batch["id"])).to_contain_text("0 of 3 done · 3 queued")
    entry(page, batch["id"]).get_by_text("Jobs").click()
    expect(entry(page, batch["id"]).locator("li")).to_have_count(3)
    entry(page, batch["id"]).locator(".o-grip").focus()
    page.page.keyboard.press("ArrowDown")
    expect_order(page, [single, batch["id"]])
    entry(page, batch["id"]).get_by_role("button", name="Cancel").click()
    expect_order(page, [single])
    page.page.get_by_role("button", name="Clear queue").click()
    page.page.get_by_role("alertdialog").get_by_role("button", name="Keep").click()
    expect_order(page, [single])
    page.page.get_by_role("button", name="Clear queue").click()
    page.page.get_by_role("alertdialog").get_by_role("button", name="Yes, cancel").click()
    expect_order(page, [])
    expect(page.page.locator(".o-toast")).to_contain_text("1 job cancelled")


def test_a_batch_that_has_ended_is_one_row_with_all_that_it_made(open_page: OpenPage, paused: RunningServer):
    first_frame = paused.post("/v1/media", files={"file": ("edge.png", picture_bytes(256, 256))}).json()["id"]
    small = {"resolution": "256", "aspect_ratio": "1:1"}
    cached = {"num_inference_steps": 8, "step_cache": 0.5}
    picture = {"kind": "generate_image", "prompt": "a wombat", **small, "sampling": cached}
    clip = {"kind": "generate_video", "prompt": "it walks", "start_image": first_frame, "num_frames": 5, "fps": 12}
    clip |= {"sound": False, "sampling": {"num_inference_steps": 1}, **small}
    answer = paused.post("/v1/batches", json={"requests": [picture, picture | {"prompt": "a second"}, clip]})
    assert answer.status_code == 202, answer.text
    batch = answer.json()
    (file,) = paused.data.glob(f"media/*/{first_frame}.png")
    kept = file.rename(file.with_suffix(".away"))  # without it, the clip fails
    page = visit(open_page(), "queue")
    page.page.get_by_role("button", name="Resume").click()
    row = page.page.locator(f"[data-batch='{batch['id']}']")
    expect(row).to_contain_text("2 of 3 done · 1 failed · took", timeout=60_000)
    row.get_by_text("Jobs").click()
    for job, state in zip(batch["jobs"], ("succeeded", "succeeded", "failed"), strict=True):
        expect(row.locator(f"[data-job='{job['id']}']")).to_have_attribute("data-state", state)
    assert serious_violations(page) == []
    in_the_dark = visit(open_page(color_scheme="dark"), "queue")
    in_the_dark.page.locator(f"[data-batch='{batch['id']}']").get_by_text("Jobs").click()
    expect(ended(in_the_dark, batch["jobs"][2]["id"])).to_be_visible()
    assert serious_violations(in_the_dark) == []
    kept.rename(file)
    row.get_by_role("button", name="Retry failed").click()
    expect(row).to_contain_text("3 of 3 done · took", timeout=60_000)
    expect(row.get_by_role("button", name="Retry failed")).to_be_hidden()
    with page.page.expect_download() as download:
        row.get_by_role("button", name="Download all as a zip").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert sum(name.endswith((".png", ".mp4")) for name in archive.namelist()) == 3

    row.get_by_role("link", name="Show in library").click()
    wait_usable(page, "library")
    expect(tiles(page)).to_have_count(3)
    made = f"{batch['jobs'][0]['id']}-0"
    steps = paused.get(f"/v1/library/{made}").json()
    tile(page, made).locator("[data-do=open]").click()
    expect(page.page.locator("o-library-peek")).to_contain_text(f"{steps['num_kept_steps']} of 8 steps kept")
    page.page.locator("o-library-peek [data-do=close]").click()
    others = paused.get("/v1/library", params={"stacked": True}).json()["total"]
    page.page.get_by_role("button", name="One batch: show all items").click()
    expect(page.page.locator("o-library-grid")).to_have_attribute("data-count", str(others))
    expect(page.page.locator("[data-field=batch]")).to_be_hidden()


def test_what_a_page_is_not_told_of_a_batch_it_asks_for(open_page: OpenPage, studio: RunningServer):
    request = {"kind": "generate_image", "prompt": "told in part", "resolution": "256", "aspect_ratio": "1:1"}
    request |= {"sampling": {"num_inference_steps": 1}}
    batch = studio.post("/v1/batches", json={"request": request, "axes": {"sampling.seed": [1, 2, 3]}}).json()
    jobs = [job["id"] for job in batch["jobs"]]
    for job in jobs:
        studio.wait_job(job)
    page = open_page()
    tell_all_but(page, jobs[1:])
    with page.page.expect_request(f"**/v1/batches/{batch['id']}"):
        visit(page, "queue")
    row = page.page.locator(f"[data-batch='{batch['id']}']")
    expect(row).to_contain_text("3 of 3 done")
    row.get_by_text("Jobs").click()
    told = row.locator("[data-job]")
    expect(told).to_have_count(3)
    assert [each.get_attribute("data-job") for each in told.all()] == jobs


def tell_all_but(page: StudioPage, jobs: list[str]) -> None:
    """Leave jobs out of what the page is told of by itself, as of a queue that is longer than a snapshot."""

    def relay(side: WebSocketRoute) -> None:
        def leave_out(message: str | bytes) -> None:
            told = json.loads(message)
            if told["type"] == "snapshot":
                for job in jobs:
                    del told["state"]["jobs"][job]
            side.send(json.dumps(told))

        side.connect_to_server().on_message(leave_out)

    page.page.route_web_socket("**/v1/events", relay)


def test_a_job_that_ends_while_nobody_looks_is_told(open_page: OpenPage, paused: RunningServer):
    page = open_page()
    page.page.add_init_script(
        """window.told = [];
        window.Notification = class { constructor(title, options) { window.told.push([title, options.body]); }
            static permission = "granted"; static requestPermission() { return Promise.resolve("granted"); } };
        Object.defineProperty(document, "hidden", { get: () => Boolean(window.away) });"""
    )
    visit(page, "queue")
    page.page.get_by_role("button", name="Notify me when a job ends").click()
    expect(page.page.get_by_role("button", name="Notifying you when a job ends")).to_be_visible()
    (job,) = submit(paused, "told of")
    expect_order(page, [job])
    page.page.evaluate("() => { window.away = true }")
    paused.post("/v1/queue/resume").raise_for_status()
    page.page.wait_for_function("() => window.told.length === 1", timeout=60_000)
    assert page.page.evaluate("() => window.told") == [["A job is done", "told of"]]


def test_a_job_that_runs_shows_its_progress_and_is_stopped_and_kept(open_page: OpenPage, studio: RunningServer):
    page = visit(open_page(), "queue")
    job = studio.submit(prompt="stop me", resolution="720", sampling={"num_inference_steps": 200})["id"]
    row = page.page.locator(f".o-row-running[data-job='{job}']")
    expect(row).to_contain_text(re.compile(r"Denoising · \d+ / 200"), timeout=60_000)
    page.page.wait_for_function("() => document.querySelector('.o-row-running canvas')?.width > 8")  # its preview
    late = visit(open_page(beside=True), "queue")
    late.page.wait_for_function("() => document.querySelector('.o-row-running canvas')?.width > 8")
    row.get_by_role("button", name="Stop and keep").click()
    expect(ended(page, job)).to_have_attribute("data-state", "succeeded", timeout=60_000)
    ended(page, job).get_by_role("link").click()
    expect(page.page.locator("o-library-peek")).to_contain_text("stop me")


def test_prompts_that_look_like_code_are_only_text(open_page: OpenPage, paused: RunningServer):
    jobs = submit(paused, *SCRIPTS)
    page = visit(open_page(), "queue")
    expect_order(page, jobs)
    for job, script in zip(jobs, SCRIPTS, strict=True):
        expect(entry(page, job).locator(".o-row-name")).to_have_text(script)
    assert page.page.evaluate("() => window.pwn === undefined")

"""What stands around a form: presets, history, upsampling, links, ways on and ways out."""

import io

import httpx
import pytest
from PIL import Image
from playwright.sync_api import APIResponse, Route, expect

from browser.conftest import OpenPage
from browser.studio_page import JOB_MS, StudioPage
from browser.test_accessibility import serious_violations
from frontend.static_files import FOLDER
from running import RunningServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PLACES = (
    "video",
    "transfer",
    "world",
    *(pytest.param(place, marks=pytest.mark.slow) for place in ("sound", "inverse", "policy")),
)


def uploaded(studio: RunningServer) -> str:
    buffer = io.BytesIO()
    Image.new("RGB", (320, 240), "navy").save(buffer, "PNG")
    return httpx.post(f"{studio.url}/v1/media", files={"file": ("a", buffer.getvalue())}, timeout=30).json()["id"]


def made(studio: RunningServer, **request: object) -> str:
    """The id of a job that has ended."""
    asked = {"kind": "generate_video", "prompt": "a cube", "num_frames": 5, "sampling": {"num_inference_steps": 2}}
    answer = httpx.post(f"{studio.url}/v1/jobs", json={**asked, **request}, timeout=30).raise_for_status().json()
    return studio.wait_job(answer["id"])["id"]


def test_a_preset_is_saved_loaded_on_another_device_and_deleted(open_page: OpenPage):
    page = open_page().visit("video")
    page.prompt.fill("a slow one")
    page.steps.fill("3")
    page.steps.blur()
    page.wait_value("prompt", "a slow one")
    page.wait_value("sampling.num_inference_steps", 3)
    page.page.locator("[data-do=presets]").click()
    page.page.get_by_label("Name", exact=True).fill("Slow & wide <b>")
    page.page.keyboard.press("Enter")
    expect(page.page.locator(".o-preset")).to_contain_text("Slow & wide <b>")
    other = open_page(color_scheme="dark").visit("video")
    other.page.locator("[data-do=presets]").click()
    other.page.get_by_role("button", name="Slow & wide <b>", exact=True).click()
    expect(other.prompt).to_have_value("a slow one")
    expect(other.steps).to_have_value("3")
    page.page.get_by_role("button", name="Delete Slow & wide <b>").click()
    expect(page.page.locator(".o-preset")).to_have_count(0)
    with page.page.expect_response(lambda reply: reply.request.method == "POST" and "/v1/presets" in reply.url):
        page.page.get_by_role("button", name="Undo").click()
    page.page.locator("[data-do=presets]").click()
    expect(page.page.locator(".o-preset")).to_contain_text("Slow & wide <b>")
    page.page.get_by_role("button", name="Delete Slow & wide <b>").click()
    expect(page.page.locator(".o-preset")).to_have_count(0)


def test_a_list_of_presets_that_was_asked_for_earlier_does_not_overwrite_a_later_one(open_page: OpenPage):
    page = open_page().visit("video")
    held: list[tuple[Route, APIResponse]] = []

    def hold_the_first(route: Route) -> None:
        if route.request.method == "GET" and not held:
            held.append((route, route.fetch()))
        else:
            route.continue_()

    page.page.route("**/v1/presets*", hold_the_first)
    page.page.locator("[data-do=presets]").click()
    while not held:  # the test's own limit is the limit
        page.page.wait_for_timeout(20)
    page.page.get_by_label("Name", exact=True).fill("the newest")
    page.page.keyboard.press("Enter")
    expect(page.page.locator(".o-preset")).to_have_count(1)
    [(route, answer)] = held
    with page.page.expect_request_finished(lambda request: request == route.request):
        route.fulfill(response=answer)
    page.page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(page.page.locator(".o-preset")).to_have_count(1)
    page.page.get_by_role("button", name="Delete the newest").click()
    expect(page.page.locator(".o-preset")).to_have_count(0)


def test_what_a_preset_does_not_say_goes_back_to_the_checkpoints_own(open_page: OpenPage, studio: RunningServer):
    saved = {
        "kind": "generate_video",
        "name": "Locked & tall",
        "values": {"aspect_ratio": "9:16", "sampling": {"seed": 7}},
    }
    preset = httpx.post(f"{studio.url}/v1/presets", json=saved, timeout=30).raise_for_status().json()["id"]
    page = open_page().visit("video")
    page.prompt.fill("my own words")
    page.steps.fill("3")
    page.steps.blur()
    page.page.locator("[data-do=presets]").click()
    page.page.get_by_role("button", name="Locked & tall", exact=True).click()
    expect(page.choice("aspect_ratio", "9:16")).to_have_attribute("aria-checked", "true")
    expect(page.steps).to_have_value("10")
    expect(page.prompt).to_have_value("my own words")
    expect(page.seed).to_have_value("7")
    expect(page.lock).to_have_attribute("aria-pressed", "true")
    httpx.delete(f"{studio.url}/v1/presets/{preset}", timeout=30).raise_for_status()


def test_an_earlier_prompt_comes_back_from_the_history(open_page: OpenPage, studio: RunningServer):
    made(studio, prompt="once upon a table")
    page = open_page().visit("sound")
    page.page.locator("[data-do=history]").click()
    page.page.get_by_role("button", name="once upon a table").click()
    expect(page.prompt).to_have_value("once upon a table")


def test_a_link_starts_the_form_from_an_artefact(open_page: OpenPage, studio: RunningServer):
    media = uploaded(studio)
    page = open_page().visit("video", f"?from={media}")
    expect(page.page.locator(".o-media")).to_have_attribute("data-media", media)
    expect(page.page).to_have_url(f"{studio.url}/video")


def test_a_link_brings_settings_back_on_the_page_that_makes_such_things(open_page: OpenPage, studio: RunningServer):
    job = made(studio, prompt="restore me", sampling={"num_inference_steps": 2, "seed": 77})
    page = open_page()
    page.place = "video"  # the page of pictures leads there by itself, as soon as it has read the link
    page.page.goto(f"{page.url}/?use={job}-0")
    expect(page.page).to_have_url(f"{studio.url}/video")
    expect(page.prompt).to_have_value("restore me")
    expect(page.seed).to_have_value("77")
    expect(page.lock).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
def test_a_link_puts_a_job_on_the_stage(open_page: OpenPage, studio: RunningServer):
    first, _ = made(studio, prompt="linked"), made(studio)
    page = open_page().visit("video", f"?job={first}")
    page.wait_state("succeeded", first)


def test_an_mp4_dropped_back_restores_its_settings(open_page: OpenPage, studio: RunningServer):
    job = made(studio, prompt="from a file", num_frames=9)
    content = studio.get(f"/v1/media/{job}-0").content
    page = open_page().visit("video")
    page.drop("clip.mp4", content, "video/mp4")
    expect(page.prompt).to_have_value("from a file")
    page.wait_value("num_frames", 9)


def test_a_frame_on_the_stage_becomes_what_the_world_starts_from(open_page: OpenPage, studio: RunningServer):
    job = made(studio)
    page = open_page().visit("video", f"?job={job}")
    page.wait_clip()
    page.page.wait_for_function(
        "async () => { const page = await import(document.querySelector('script[type=module][src]').src);"
        " const { checkpoint } = page.data_checkpoint; if (!checkpoint.details) return false;"
        " checkpoint.details.capabilities.sound = false; return true; }"
    )
    page.card.locator("[data-do=send]").click()
    silent = page.page.get_by_role("button", name="Generate again with sound")
    expect(silent).to_have_attribute("aria-disabled", "true")
    expect(silent).to_contain_text("makes no sound.")
    page.page.get_by_role("button", name="Predict what actions do from the frame shown").click()
    page.page.wait_for_url("**/world")
    page.place = "world"
    page.wait_usable()
    expect(page.page.locator(".o-media")).to_contain_text("256×256")


def test_what_the_checkpoint_refuses_is_said_before_and_put_right_by_a_button(open_page: OpenPage):
    page = open_page()
    refused = {"value": True, "refused": "speck makes no sound"}
    page.page.route(
        "**/v1/choices/generate_video*",
        lambda route: route.fulfill(
            json={
                "checkpoint": "speck",
                "choices": {"sound": [{"value": False, "refused": ""}, refused]},
                "limits": {"num_frames": {"256": {"low": 5, "high": 33, "reason": "speck takes 5 to 33"}}},
            }
        ),
    )
    page.visit("sound")
    switch = page.field("sound").get_by_role("switch")
    expect(page.field("sound")).to_contain_text("speck makes no sound")
    switch.click()
    expect(switch).not_to_be_checked()
    expect(switch).to_have_attribute("aria-disabled", "true")
    expect(page.field("sound")).to_contain_text("speck makes no sound")
    switch.blur()
    page.prompt.hover()
    expect(page.field("sound")).not_to_contain_text("speck makes no sound")
    frames = page.field("num_frames").locator("input[type=number]")
    frames.fill("49")
    frames.blur()
    expect(page.field("num_frames")).to_contain_text("speck takes 5 to 33")
    page.page.get_by_role("button", name="Use 33").click()
    expect(frames).to_have_value("33")
    expect(page.field("num_frames")).not_to_contain_text("speck takes 5 to 33")


def test_a_transfer_offers_the_hints_that_the_checkpoint_takes(open_page: OpenPage):
    page = open_page()
    refused = {"blur": "speck does not follow blur", "wsm": "speck does not follow wsm"}
    hints = [{"value": hint, "refused": refused.get(hint, "")} for hint in ("edge", "blur", "depth", "seg", "wsm")]
    answer = {"checkpoint": "speck", "choices": {"controls.hint": hints}, "limits": {}}
    page.page.route("**/v1/choices/transfer_video*", lambda route: route.fulfill(json=answer))
    page.visit("transfer")
    chips = page.field("@controls")
    depth, world_map = (chips.locator(f".o-chip[data-hint={hint}]") for hint in ("depth", "wsm"))
    expect(world_map).to_have_attribute("aria-disabled", "true")
    expect(page.page.get_by_role("button", name="Outlines", exact=True)).to_be_visible()
    expect(page.page.get_by_role("button", name="Outlines and blur")).to_have_count(0)
    world_map.click(force=True)
    expect(chips.locator(".o-why")).to_have_text("speck does not follow wsm")
    depth.click()
    expect(depth).to_have_attribute("aria-pressed", "true")
    expect(world_map).to_have_attribute("aria-pressed", "false")
    page.page.evaluate(
        "document.dispatchEvent(new CustomEvent('o-use', { detail: { controls: [{ hint: 'blur', weight: 1 }] } }))"
    )
    blur = chips.locator(".o-chip[data-hint=blur]")
    expect(blur).to_have_attribute("aria-pressed", "true")
    expect(chips.locator(".o-why")).to_have_text("speck does not follow blur")
    blur.click()
    expect(blur).to_have_attribute("aria-disabled", "true")


def test_a_job_that_did_not_fit_offers_what_would(open_page: OpenPage):
    page = open_page()
    page.visit("video")
    job = {
        "id": "0123456789ab", "kind": "generate_video", "state": "failed", "checkpoint": "speck", "position": 1,
        "progress": {"phase": "ended", "step": 0, "steps": 10}, "results": [], "created_at": "2099-01-01T00:00:00Z",
        "finished_at": "2099-01-01T00:00:01Z",
        "request": {"kind": "generate_video", "prompt": "too large", "resolution": "720", "aspect_ratio": "16:9",
                    "num_frames": 33, "count": 1, "sampling": {"seed": 1, "num_inference_steps": 10}},
        "error": {"code": "out_of_memory", "message": "It does not fit.", "hint": "", "type": "OutOfMemory"},
    }  # fmt: skip
    page.page.evaluate(
        "async (job) => { const page = await import(document.querySelector('script[type=module][src]').src);"
        " const { live } = page.data_live; live.state.jobs[job.id] = job; live.changed(); }",
        job,
    )
    page.strip.locator("[data-job='0123456789ab']").click()
    page.choice("resolution", "720p").click()
    page.page.get_by_role("button", name="Try 480p").click()
    expect(page.choice("resolution", "480p")).to_be_checked()
    page.page.evaluate(
        "() => { document.querySelector('o-errors').show({ code: 'quota_exceeded', message: 'Full.', hint: '' }) }"
    )
    page.page.locator(".o-toast").get_by_role("link", name="Storage").click()
    expect(page.page.get_by_role("dialog", name="Storage")).to_be_visible()


@pytest.mark.slow
def test_several_seeds_are_queued_as_jobs_of_their_own(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit("video")
    page.prompt.fill("seeds apart")
    page.steps.fill("1")
    page.steps.blur()
    page.page.get_by_role("button", name="Priority and multiple seeds").click()
    page.page.get_by_label("Number of seeds").fill("2")
    page.page.get_by_role("button", name="Add to queue").click()
    expect(page.page.locator(".o-toast")).to_contain_text("2 jobs queued")
    jobs = [job for job in studio.get("/v1/jobs").json()["jobs"] if job["request"]["prompt"] == "seeds apart"]
    seeds = sorted(job["request"]["sampling"]["seed"] for job in jobs)
    assert seeds[1] - seeds[0] == 1
    for job in jobs:
        studio.wait_job(job["id"])


def test_the_request_is_copied_as_a_program_and_as_a_command(open_page: OpenPage):
    page = open_page(permissions=["clipboard-read", "clipboard-write"]).visit("video")
    page.prompt.fill("it's a cube")
    page.page.get_by_role("button", name="Copy as Python").click()
    expect(page.page.locator(".o-toast")).to_contain_text("Copied")
    program = page.page.evaluate("() => navigator.clipboard.readText()")
    compile(program, "copied", "exec")
    assert '"sound": False' in program
    page.page.evaluate("() => Object.assign(orrery.form.values, { '@kept': { adapter: { name: 'ink', scale: 0.8 } } })")
    expect(page.page.locator(".o-toast")).to_have_count(0)  # it has gone by itself
    page.page.get_by_role("button", name="Copy as an orrery command").click()
    expect(page.page.locator(".o-toast")).to_contain_text("Copied")
    command = page.page.evaluate("() => navigator.clipboard.readText()")
    assert "--kind generate_video" in command
    assert "--adapter='ink:0.8'" in command


@pytest.mark.parametrize("place", PLACES)
def test_axe_minds_nothing_serious_on_a_phone_in_the_dark(open_page: OpenPage, place: str):
    page = open_page(viewport={"width": 390, "height": 844}, color_scheme="dark").visit(place)
    assert serious_violations(page) == []
    assert page.page.evaluate("() => document.documentElement.scrollWidth") == 390


@pytest.mark.slow
@pytest.mark.parametrize("place", ["transfer", "policy"])
def test_axe_minds_nothing_serious_with_the_form_filled(open_page: OpenPage, place: str):
    page = open_page().visit(place)
    page.page.locator("o-examples button").last.click()
    expect(page.page.locator(".o-media").first).to_have_attribute("data-media", "u" + sample_id(place))
    assert serious_violations(page) == []


def sample_id(place: str) -> str:
    import hashlib

    name = "sample.mp4" if place == "transfer" else "sample.png"
    return hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()[:16]


def test_a_clip_is_cancelled_and_another_stopped_and_kept(open_page: OpenPage, studio: RunningServer):
    page = open_page().visit("video")
    job = slow(page)
    page.wait_step(1)
    page.card.get_by_role("button", name="Cancel").click()
    page.wait_state("cancelled", job)
    job = slow(page)
    page.wait_step(1)
    page.card.get_by_role("button", name="Stop and keep").click()
    page.wait_clip()
    assert 0 < studio.job(job)["stopped_at_step"] < 200


def slow(page: StudioPage) -> str:
    page.steps.fill("200")
    page.steps.blur()
    page.page.wait_for_function("() => delete document.querySelector('o-stage').dataset.frames", timeout=JOB_MS)
    return page.generate("slowly")

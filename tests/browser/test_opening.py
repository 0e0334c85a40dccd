"""What a making page shows when it is opened, and how much of it can be read on a phone."""

from typing import Any

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import make_picture, visit
from browser.test_player import PHONE
from running import RunningServer
from sent_files import picture_bytes

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def made(studio: RunningServer, **fields: Any) -> str:
    """A job that has ended: a short clip, unless fields say otherwise."""
    clip = {
        "kind": "generate_video",
        "prompt": "a clip",
        "resolution": "256",
        "aspect_ratio": "1:1",
        "num_frames": 9,
        "fps": 12,
        "sound": False,
        "sampling": {"num_inference_steps": 1},
    }
    answer = studio.post("/v1/jobs", json={**clip, **fields} if "kind" not in fields else fields)
    assert answer.status_code == 202, answer.text
    return studio.wait_job(answer.json()["id"])["id"]


def test_a_page_opens_on_the_last_job_of_its_kind_and_stays_with_what_ends_meanwhile(
    open_page: OpenPage, studio: RunningServer
):
    heard, silent = made(studio, sound=True), made(studio)
    make_picture(studio, "the last of all")
    for place, job in (("sound", heard), ("video", silent)):
        open_page().visit(place).wait_state("succeeded", job)
    page = open_page().visit("sound")
    page.wait_state("succeeded", heard)
    later = make_picture(studio, "made while it is open")
    page.wait_state("succeeded", later.rpartition("-")[0])


def test_what_runs_when_a_page_is_opened_stays_when_it_ends(open_page: OpenPage, studio: RunningServer):
    make_picture(studio, "an older one")
    # Long enough to be running still when a page was opened on a busy machine.
    slow = {"kind": "generate_video", "prompt": "a clip", "resolution": "720", "aspect_ratio": "1:1", "num_frames": 9}
    answer = studio.post("/v1/jobs", json={**slow, "fps": 12, "sampling": {"num_inference_steps": 200}})
    job = answer.json()["id"]
    page = open_page().visit("image")
    page.wait_state("running", job)
    studio.post(f"/v1/jobs/{job}/stop")
    page.wait_state("succeeded", job)


def test_the_strip_of_a_phone_shows_the_job_on_the_stage(open_page: OpenPage, studio: RunningServer):
    first = make_picture(studio, "the first of many").rpartition("-")[0]
    for index in range(6):
        make_picture(studio, f"later {index}")
    page = open_page(**PHONE).visit("image", f"?job={first}")
    page.wait_state("succeeded", first)
    page.page.wait_for_function(
        """job => {
            const item = document.querySelector(`o-strip [data-job='${job}']`).getBoundingClientRect();
            return item.left >= 0 && item.right <= innerWidth;
        }""",
        arg=first,
    )
    assert page.page.evaluate("() => scrollY") == 0


def test_the_names_in_a_chart_can_be_read_on_a_phone(open_page: OpenPage, studio: RunningServer):
    seen = studio.post("/v1/media", files={"file": ("x", picture_bytes())}).json()["id"]
    job = made(
        studio,
        kind="run_policy",
        prompt="lift the cube",
        start_image=seen,
        embodiment="droid_joint_position",
        state=[0.0] * 8,
        decode_video=False,
        sampling={"num_inference_steps": 1},
    )
    page = open_page(**PHONE).visit("policy", f"?job={job}")
    page.wait_state("succeeded", job)
    name = page.stage.locator("text", has_text="gripper")
    expect(name).to_be_visible()
    box, stage = name.bounding_box(), page.stage.bounding_box()
    assert box is not None
    assert stage is not None
    assert box["height"] >= 10
    assert box["x"] + box["width"] <= stage["x"] + stage["width"]


def test_nothing_is_drawn_over_the_header_of_a_phone_nor_past_its_edges(open_page: OpenPage, studio: RunningServer):
    job = made(studio, sound=True)
    page = open_page(**PHONE).visit("sound", f"?job={job}")
    page.wait_clip()
    width = PHONE["viewport"]["width"]
    for part in ("o-strip", "o-stage .o-player", "o-stage .o-wave", "o-progress"):
        box = page.page.locator(part).first.bounding_box()
        assert box
        assert box["x"] >= 4, part
        assert box["x"] + box["width"] <= width - 4, part
    label = page.field("prompt").locator("[data-testid=block-info]")
    # To where the name of the field would stand in the middle of the header.
    label.evaluate("label => scrollBy(0, label.getBoundingClientRect().top - 20)")
    box = label.bounding_box()
    assert box
    middle = [box["x"] + 4, box["y"] + box["height"] / 2]
    assert 0 < middle[1] < 52
    seen = page.page.evaluate("([x, y]) => Boolean(document.elementFromPoint(x, y).closest('o-header'))", middle)
    assert seen


def test_both_of_a_pair_are_seen_whole_on_a_phone(open_page: OpenPage, studio: RunningServer):
    one, other = (make_picture(studio, f"half of a pair {index}") for index in range(2))
    page = visit(open_page(**PHONE), "compare", f"?items={one},{other}").page
    cells = page.locator(".o-clip")
    expect(cells).to_have_count(2)
    for cell in cells.all():
        box = cell.bounding_box()
        assert box
        assert box["x"] >= 4
        assert box["x"] + box["width"] <= PHONE["viewport"]["width"] - 4

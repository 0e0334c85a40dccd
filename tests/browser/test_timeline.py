"""The timeline of Evaluate: a person moves boundaries by pointer and keys, undoes, saves, and takes them elsewhere."""

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.conftest import OpenPage
from browser.keeping_page import visit
from browser.test_accessibility import serious_violations
from running import RunningServer, wait_for
from scripted_endpoint import Answer, scripted_endpoint
from sent_files import clip_bytes
from studio.evaluation.layouts import read

pytestmark = pytest.mark.browser

FPS, FRAMES = 12, 48
SAID = "<answer>\nEvent 1: <0.50> <1.00> a\nEvent 2: <1.00> <2.00> b\n</answer>"
EVENTS = ("grasping the cube", "releasing the cube")


@contextmanager
def answered(
    studio: RunningServer, form: str, said: Answer, annotation: dict[str, Any] | None = None, **item: Any
) -> Iterator[str]:
    """A run that somebody outside has answered; its id."""
    video = studio.post("/v1/media", files={"file": ("stack.mp4", clip_bytes(FRAMES, 160, 96, FPS))}).json()["id"]
    with scripted_endpoint() as sage:
        (studio.data / "reasoners.toml").write_text(f'[sage]\nurl = "{sage.address}"\n')
        sage.answers = [said]
        items = [{"id": f"stack_demo{number}", "media": [video], **item} for number in range(2)]
        benchmark = {"name": f"stack-{form}", "title": f"Stack {form}", "form": form, "items": items}
        benchmark |= {"annotation": annotation} if annotation else {}
        added = studio.post("/v1/benchmarks", json=benchmark)
        assert added.status_code == 201, added.text
        run = studio.post("/v1/runs", json={"benchmark": added.json()["id"], "reasoner": "sage"}).json()["id"]
        wait_for(lambda: studio.get(f"/v1/runs/{run}").json()["state"] == "succeeded", 60)
        try:
            yield run
        finally:
            (studio.data / "reasoners.toml").unlink()


def item(page: Page, number: int = 0) -> Locator:
    return page.locator(f"[data-item=stack_demo{number}]")


def boundary(page: Page, name: str) -> Locator:
    return item(page).get_by_role("slider", name=name)


def frame_of(page: Page, name: str) -> int:
    return int(boundary(page, name).get_attribute("aria-valuenow") or -1)


def drag(page: Page, name: str, frames: int) -> None:
    """Take a boundary by its middle and carry it on."""
    boundary(page, name).scroll_into_view_if_needed()
    place = boundary(page, name).bounding_box()
    lane = item(page).locator("[data-of=person]").bounding_box()
    assert place is not None
    assert lane is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + frames * lane["width"] / (FRAMES - 1), y, steps=4)
    page.mouse.up()


def test_a_person_drags_boundaries_types_undoes_saves_and_exports(
    open_page: OpenPage, studio: RunningServer, tmp_path: Path
):
    end = "End of 1 grasping the cube"
    with answered(studio, "events", SAID, events=EVENTS, reference=[1.25, 2.0]) as run:
        opened = visit(open_page(), "evaluate", f"?run={run}")
        page = opened.page
        boundary(page, end).scroll_into_view_if_needed()
        assert frame_of(page, end) == 12
        save = item(page).get_by_role("button", name="Save correction")
        expect(save).to_be_disabled()

        boundary(page, end).focus()
        page.keyboard.press("ArrowRight")
        expect(item(page).locator(".o-player")).to_have_attribute("data-frame", "13")
        page.keyboard.press("Control+z")

        drag(page, end, 4)
        expect(boundary(page, end)).to_have_attribute("aria-valuenow", "16")
        player = item(page).locator(".o-player")
        expect(player).to_have_attribute("data-frame", "16")
        expect(boundary(page, end)).to_be_focused()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Shift+ArrowLeft")
        expect(boundary(page, end)).to_have_attribute("aria-valuenow", "6")  # as far as its start
        expect(player).to_have_attribute("data-frame", "6")
        page.keyboard.press("Control+z")
        expect(boundary(page, end)).to_have_attribute("aria-valuenow", "15")
        expect(item(page).locator("[data-span='0']")).to_contain_text("+0.00 / −0.25 s")

        before = studio.get(f"/v1/runs/{run}/answers").json()["items"][0]["answers"]
        save.click()
        expect(item(page).get_by_text("Corrected by voter-")).to_be_visible()
        expect(save).to_be_disabled()
        assert studio.get(f"/v1/runs/{run}/answers").json()["items"][0]["answers"] == before
        assert serious_violations(opened) == []

        page.reload()
        expect(boundary(page, end)).to_have_attribute("aria-valuenow", "15")
        expect(item(page).get_by_text("Corrected by voter-")).to_be_visible()
        (kept,) = studio.get(f"/v1/runs/{run}/corrections").json()["corrections"]
        assert (kept["item"], kept["reference"]) == ("stack_demo0", [[0.5, 1.25], [1.0, 2.0]])

        for layout in ("MimicGen subtasks", "Conversations to train on"):
            page.get_by_role("button", name="Boundaries").click()
            with page.expect_download() as download:
                page.get_by_role("link", name=layout).first.click()
            content = Path(download.value.path()).read_bytes()
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                archive.extractall(tmp_path / layout)
        demo = json.loads((tmp_path / "MimicGen subtasks" / "stack_demo0.json").read_text())
        assert demo["subtask_indices"] == [[0, 17], [17, 26], [26, 48]]
        trained = read(tmp_path / "Conversations to train on")
        assert [(one.events, one.reference) for one in trained.items] == [(EVENTS, kept["reference"])]

        item(page).get_by_role("button", name="Remove correction").click()
        expect(boundary(page, end)).to_have_attribute("aria-valuenow", "12")


def test_intervals_are_added_and_removed_on_a_phone(open_page: OpenPage, studio: RunningServer):
    said = '[{"start": 0.5, "end": 1.0}]'
    asked = {"question": "When is it open?", "reference": [{"start": 0.5, "end": 1.5}]}
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "color_scheme": "dark"}
    with answered(studio, "intervals", said, **asked) as run:
        opened = visit(open_page(**phone), "evaluate", f"?run={run}")
        page = opened.page
        item(page).get_by_role("button", name="Add interval").click()
        expect(item(page).get_by_role("slider")).to_have_count(4)
        boundary(page, "Start of 2").focus()
        page.keyboard.press("Delete")
        expect(item(page).get_by_role("slider")).to_have_count(2)
        page.keyboard.press("Control+z")
        item(page).get_by_role("button", name="Save correction").click()
        expect(item(page).get_by_text("Corrected by voter-")).to_be_visible()
        (kept,) = studio.get(f"/v1/runs/{run}/corrections").json()["corrections"]
        assert [one["end"] for one in kept["reference"]] == [1.0, 1.0]
        invented = item(page, 1)
        invented.get_by_role("slider").first.focus()
        page.keyboard.press("Delete")
        expect(invented.get_by_role("slider")).to_have_count(0)
        invented.get_by_role("button", name="Save correction").click()
        expect(invented.get_by_text("Corrected by voter-")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert serious_violations(opened) == []

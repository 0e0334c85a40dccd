"""Tune: a folder is dropped, checked and trained on, outlives a reload, and one of its saves is compared and served."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import OpenPage
from browser.keeping_page import visit
from browser.test_accessibility import serious_violations
from running import RunningServer, running
from sent_files import clip_bytes
from studio.checkpoints import find_checkpoint
from studio.presets import load_presets
from tuning_server import tuning_server

POCKET = find_checkpoint("pocket", load_presets(), Path("nowhere"))
LONG_MS = 900_000

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def tuner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with tuning_server(tmp_path_factory.mktemp("tuner"), 0.2) as server:
        server.wait_ready()
        yield server


@pytest.fixture
def pocket(tmp_path: Path) -> Iterator[RunningServer]:
    with running(tmp_path / "data", ORRERY_CHECKPOINT="pocket") as server:
        server.wait_ready()
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three videos, of which two have a caption."""
    videos = tmp_path / "blocks"
    videos.mkdir()
    for name in ("red", "blue", "grey"):
        (videos / f"{name}.mp4").write_bytes(clip_bytes(17, 256, 256, 10))
        if name != "grey":
            (videos / f"{name}.txt").write_text(f"A {name} block moves.")
    return videos


def choose(page: Page, folder: Path, name: str, steps: int, save_every: int) -> None:
    page.locator("input[webkitdirectory]").set_input_files(folder)
    expect(page.locator("select[name=data]")).to_have_value("blocks")
    page.locator("input[name=name]").fill(name)
    page.locator("select[name=preset]").select_option("pocket_clips")
    page.locator("input[name='optimisation.steps']").fill(str(steps))
    page.locator("input[name='optimisation.save_every']").fill(str(save_every))


def journey(page: Page, name: str, num_saves: int) -> None:
    """From a check to a save that is served."""
    page.get_by_role("button", name="Check", exact=True).click()
    report = page.get_by_role("region", name="Data check")
    expect(report.locator(".o-tune-samples > li").first).to_be_visible(timeout=LONG_MS)
    page.locator("[data-do=start-checked]").click()
    standing = page.get_by_role("region", name=name, exact=True)
    expect(standing).to_contain_text("steps", timeout=LONG_MS)
    page.reload()
    expect(standing).to_have_attribute("data-state", "succeeded", timeout=LONG_MS)
    expect(page.get_by_role("img", name="Loss from step")).to_be_visible()
    saves = page.get_by_role("region", name="Saves").get_by_role("listitem")
    expect(saves).to_have_count(num_saves)
    saves.first.get_by_role("button", name="Serve this save").click()
    page.get_by_label("Name to serve it under").fill(f"{name}-best")
    page.get_by_role("button", name="Serve", exact=True).click()
    expect(saves.first).to_contain_text(f"kept as {name}-best")
    saves.first.get_by_role("link", name="Compare").click()
    for column in ("ground truth", "before", "after"):
        expect(page.get_by_text(column, exact=True).first).to_be_visible()


def test_a_folder_is_checked_trained_on_and_served(open_page: OpenPage, tuner: RunningServer, folder: Path):
    page = visit(open_page(tuner), "tune")
    expect(page.page.get_by_text("Train a checkpoint on your own data")).to_be_visible()
    choose(page.page, folder, "blocks", 30, 15)
    expect(
        page.page.get_by_role("form", name="New tuning").get_by_text("1 of 3 videos have no caption:")
    ).to_be_visible()
    assert serious_violations(page) == []
    journey(page.page, "blocks", 2)
    names = {one["name"] for one in tuner.get("/v1/adapters").json()["adapters"]}
    assert {"blocks@15", "blocks@30", "blocks-best"} <= names


def test_images_are_trained_on_where_they_have_a_share(open_page: OpenPage, tuner: RunningServer, folder: Path):
    page = visit(open_page(tuner), "tune").page
    choose(page, folder, "pictures", 20, 10)
    page.locator("o-tune form details summary").click()
    expect(page.locator("input[name='modes.t2v']")).to_have_attribute("placeholder", "1")
    page.locator("input[name='modes.t2i']").fill("0.5")
    with page.expect_response("**/v1/tunings/check") as answered:
        page.locator("[data-do=check]").click()
    assert answered.value.json()["recipe"]["modes"] == {"t2v": 1, "i2v": 1, "v2v": 1, "t2i": 0.5}


def test_a_folder_is_told_of_whatever_the_list_of_data_sets_says(
    open_page: OpenPage, tuner: RunningServer, folder: Path
):
    page = visit(open_page(tuner), "tune").page
    page.route("**/v1/datasets", lambda route: route.fulfill(json={"datasets": []}))  # as one asked for before
    page.locator("input[webkitdirectory]").set_input_files(folder)
    expect(page.get_by_text("blocks: 5 files, videos with captions")).to_be_visible()


def test_a_tuning_is_stopped_resumed_and_deleted(open_page: OpenPage, tuner: RunningServer, folder: Path):
    page = visit(open_page(tuner, color_scheme="dark", allowed=("status of 409",)), "tune")
    choose(page.page, folder, "long", 500, 400)
    page.page.get_by_role("button", name="Start", exact=True).click()
    standing = page.page.get_by_role("region", name="long", exact=True)
    expect(page.page.get_by_role("img", name="Loss from step")).to_be_visible(timeout=LONG_MS)
    assert serious_violations(page) == []
    page.page.locator("[data-do=stop]").click()
    expect(standing).to_have_attribute("data-state", "stopped", timeout=LONG_MS)
    page.page.locator("[data-do=resume]").click()
    expect(standing).to_have_attribute("data-state", "running", timeout=LONG_MS)
    page.page.locator("[data-do=stop]").click()
    expect(standing).to_have_attribute("data-state", "stopped", timeout=LONG_MS)
    error = {"code": "conflict", "message": "A save of it is the default checkpoint.", "param": None, "hint": ""}
    refused = lambda route: route.fulfill(status=409, json={"error": error})  # noqa: E731
    page.page.route("**/v1/tunings/*", refused, times=1)
    remove(page.page)
    expect(page.page.get_by_text("A save of it is the default checkpoint.")).to_be_visible()
    expect(standing).to_have_count(1)
    remove(page.page)
    expect(standing).to_have_count(0)


def remove(page: Page) -> None:
    page.locator("[data-do=remove]").click()
    page.get_by_role("button", name="Delete tuning").last.click()


def test_a_narrow_page_does_not_scroll_sideways(open_page: OpenPage, tuner: RunningServer):
    page = visit(open_page(tuner, viewport={"width": 390, "height": 844}), "tune")
    assert page.page.evaluate("() => document.documentElement.scrollWidth") == 390


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not POCKET.installed, reason="presets/pocket has no weights in this clone")
def test_the_pocket_is_trained_and_its_saves_are_served(pocket: RunningServer, open_page: OpenPage, folder: Path):
    page = visit(open_page(pocket), "tune")
    choose(page.page, folder, "pocket-blocks", 20, 10)
    journey(page.page, "pocket-blocks", 2)

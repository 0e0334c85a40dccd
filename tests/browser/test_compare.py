"""Comparing: two checkpoints on three prompts, one playhead, and a wall of clips."""

import zipfile
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.keeping_page import visit
from browser.studio_page import StudioPage
from browser.test_accessibility import serious_violations
from running import RunningServer, running
from sent_files import clip_bytes
from two_checkpoints import lay_out

PROMPTS = ["the arm lifts a cube", "the drawer closes", "a hand waves"]
COMPARED = ("speck", "after", "pocket")
"""Random weights from two seeds, and the checkpoint that ships."""
CELLS = len(PROMPTS) * len(COMPARED)
MADE_MS = 240_000
SHOWN_MS, PACE_MS = 3000, 1000 / 30
FPS = 12
SPELLS = 10
"""Of two seconds: in the steadiest the clips keep together, in others their decoders wait for a core."""

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(600)]

# The distance between clips that play, frame after frame of the page, for two seconds after the first half.
WATCH = """async () => {
    const { playhead } = document.querySelector("o-playhead"), found = [];
    const wait = () => new Promise((next) => requestAnimationFrame(next));
    for (const end = performance.now() + 500; performance.now() < end; ) await wait();
    // Two seconds of frames, however long a busy machine takes for them.
    for (const end = performance.now() + 20000; performance.now() < end && found.length < 120; ) {
        await wait();
        const run = playhead.clips.every(({ video }) => !video.paused && !video.seeking);
        if (playhead.playing && run) found.push(playhead.drift);
    }
    return found;
}"""
# Every checkpoint is ticked and the fields of these labels are filled in, before anything is drawn.
AT_ONCE = """(labels) => {
    for (const box of document.querySelectorAll(".o-compare-checkpoints input:not(:checked)")) box.click();
    for (const field of labels.map((label) => document.querySelector(`[aria-label='${label}']`))) {
        field.value = "3";
        field.dispatchEvent(new Event("input", { bubbles: true }));
    }
}"""
# Write down the moment that each clip presents, by what the browser says of it.
PRESENTED = """() => {
    for (const { node, video } of document.querySelector("o-playhead").playhead.clips) {
        const note = (_, { mediaTime }) => {
            node.dataset.presented = mediaTime;
            video.requestVideoFrameCallback(note);
        };
        video.requestVideoFrameCallback(note);
    }
}"""
STEP = "async () => { const { playhead } = document.querySelector('o-playhead'); await playhead.step(1); }"
# The pocket has ten frames a second, the others twelve: each shows the frame of its own in which the moment lies, and
# its last one from there on.
ALL_PRESENT_IT = """() => {
    const { playhead } = document.querySelector("o-playhead");
    return playhead.clips.every(({ node, video, fps }) => {
        const time = Math.min(playhead.time, video.duration - 0.001);
        return Math.round(Number(node.dataset.presented) * fps) === Math.floor(time * fps);
    });
}"""
# Sprites while a pointer is dragged: milliseconds from one drawn frame to the next, and what the cells show.
SCRUB = """async () => {
    const head = document.querySelector("o-playhead"), seek = head.querySelector(".o-seek input"), taken = [];
    await Promise.all(head.clips.map((clip) => clip.sheet?.ready));
    for (let step = 0; step < 90; step += 1) {
        const began = performance.now();
        seek.value = step % Number(seek.max);
        seek.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((next) => requestAnimationFrame(next));
        taken.push(performance.now() - began);
    }
    const { clips } = head;
    return [taken, clips.map(({ node }) => node.dataset.showing), clips.filter(({ video }) => video.src).length];
}"""


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    data: Path = tmp_path_factory.mktemp("two")
    lay_out(data)
    with running(data) as server:
        server.wait_ready()
        yield server


def test_checkpoints_are_compared_on_three_prompts_under_one_playhead(two: RunningServer, open_page: OpenPage):
    page = visit(open_page(two), "compare")
    expect(page.page.get_by_text("Compare side by side")).to_be_visible()
    page.page.get_by_label("Prompts").fill("\n".join(PROMPTS))
    expect(page.page.get_by_label(COMPARED[0])).to_be_checked()
    for name in COMPARED[1:]:
        page.page.get_by_label(name).check()
    page.page.get_by_label("Values for Steps").fill("1")
    page.page.get_by_label("Values for Seed").fill("7")
    expect(page.page.get_by_text(f"{len(PROMPTS)} × {len(COMPARED)}: {CELLS} cells")).to_be_visible()
    page.page.locator("[data-do=compare]").click()
    page.page.wait_for_url("**/compare?id=*")
    made = two.get(f"/v1/comparisons/{page.page.url.split('id=')[1]}").json()
    # The steps were written less than a frame before the seed.
    assert {cell["job"]["request"]["sampling"]["num_inference_steps"] for cell in made["cells"]} == {1}
    grid = page.page.locator("o-compare")
    page.page.wait_for_function("() => Number(document.querySelector('o-compare')?.dataset.done) >= 1", timeout=MADE_MS)
    page.page.reload()  # in the middle of it
    expect(grid).to_have_attribute("data-done", str(CELLS), timeout=MADE_MS)
    expect(page.page.locator(".o-clip[data-media]")).to_have_count(CELLS)
    expect(page.page.locator(".o-clip-notes", has_text="GB")).to_have_count(CELLS)

    titles = page.page.locator(".o-clips-row").all_text_contents()
    page.page.get_by_label("Order of the rows").select_option("seconds")
    assert sorted(page.page.locator(".o-clips-row").all_text_contents()) == sorted(titles)
    page.page.get_by_role("button", name="Overview").click()
    expect(grid).to_have_attribute("data-dense", "")
    frame = page.page.locator(".o-clip-frame").first.bounding_box()
    assert frame is not None
    assert frame["width"] < 120
    page.page.get_by_role("button", name="Overview").click()
    page.page.get_by_label("Order of the rows").select_option("")
    expect(page.page.locator(".o-clips-row")).to_have_text(titles)

    page.page.keyboard.press("k")
    watch_until(page, lambda drifts: sorted(drifts)[int(0.95 * len(drifts))] < 1 / FPS)
    page.page.evaluate(PRESENTED)
    page.page.keyboard.press("k")
    for _ in range(3):
        page.page.evaluate(STEP)
        page.page.wait_for_function(ALL_PRESENT_IT)

    # Against the first column: the two models differ, and what is looped is what was marked.
    page.page.get_by_role("button", name="Difference").click()
    expect(page.page.locator(".o-clip-over:visible")).to_have_count(CELLS - len(PROMPTS))
    page.page.keyboard.press("[")
    expect(page.page.locator("[data-do=loop]")).to_have_text("Loop end")
    page.page.get_by_role("button", name="Zoom in").click()
    expect(page.page.locator("[data-do=zoom]")).to_have_text("1.5×")
    jobs = two.get("/v1/jobs?limit=50").json()["jobs"]
    made = [job["checkpoint"] for job in sorted(jobs, key=lambda job: job["position"])]
    assert sorted(name for name, _ in groupby(made)) == sorted(COMPARED)  # each was loaded once
    # A profile that holds no clips of before. A file may go in the middle of being sent.
    gone = ("404", "ERR_CONTENT_LENGTH_MISMATCH")
    _two_are_lost_and_made_again(two, page, open_page(two, allowed=gone, locale="en-GB"))


def watch_until(page: StudioPage, holds: Callable[[list[float]], bool] = bool) -> None:
    """Watch clips that play for one spell after the other, until in one of them they run and their drift is as said."""
    spells: list[list[float]] = []
    while len(spells) < SPELLS:
        spells.append(page.page.evaluate(WATCH))
        if len(spells[-1]) > 20 and holds(spells[-1]):
            return
    raise AssertionError(spells)


def _lose(server: RunningServer, name: str) -> None:
    for path in (server.data / "media").glob(f"*/{name}.*"):
        path.unlink()


def _two_are_lost_and_made_again(server: RunningServer, page: StudioPage, fresh: StudioPage) -> None:
    """One's file is gone before the page is opened, the other's while it is: the rest plays on, and both come back."""
    names = [node.get_attribute("data-media") or "" for node in page.page.locator(".o-clip[data-media]").all()]
    _lose(server, names[0])
    fresh.page.goto(page.page.url)
    page, grid, again = fresh, fresh.page.locator("o-compare"), fresh.page.locator("[data-do=retry]")
    expect(page.page.locator(".o-clip[data-media]")).to_have_count(CELLS - 1)
    expect(page.page.locator("[data-hole]")).to_contain_text("file missing; “Generate missing”")
    _lose(server, names[len(COMPARED) + 1])
    page.page.keyboard.press("k")
    expect(page.page.locator("[data-hole]")).to_have_count(2)
    watch_until(page)
    page.page.get_by_role("button", name="Difference").click()
    # Not the first row's, where what they differ from is gone, and not that of the other one that is gone.
    expect(page.page.locator(".o-clip-over:visible")).to_have_count((len(PROMPTS) - 1) * (len(COMPARED) - 1) - 1)
    expect(page.page.get_by_text("Where the reference column's file is missing")).to_be_visible()
    assert (
        page.page.evaluate(
            "() => [...document.images].filter((image) => image.checkVisibility() && image.complete"
            " && !image.naturalWidth && !image.dataset.gone).length"
        )
        == 0
    )
    again.click()
    expect(page.page.locator(".o-clip[data-media]")).to_have_count(CELLS, timeout=MADE_MS)
    expect(grid).to_have_attribute("data-done", str(CELLS))
    expect(again).to_be_hidden()


def test_values_may_be_ranges_and_prompts_come_from_files(two: RunningServer, open_page: OpenPage, tmp_path: Path):
    page = visit(open_page(two), "compare")
    prompts = page.page.locator("#compare-prompts")
    lists = {
        "a.txt": ("a cube\n\na ball\n", ["a cube", "a ball"]),
        "b.csv": ('id,prompt\n1,"a cone, red"\n', ["a cone, red"]),
        "c.jsonl": ('{"prompt": "a cup"}\n"a bowl"\n', ["a cup", "a bowl"]),
    }
    told: list[str] = []
    for name, (text, found) in lists.items():
        (tmp_path / name).write_text(text)
        page.page.locator("o-compare-form input[type=file]").set_input_files(tmp_path / name)
        told += found
        expect(prompts).to_have_value("\n".join(told))
    (tmp_path / "bad.jsonl").write_text('{"words": "a cup"}')
    page.page.locator("o-compare-form input[type=file]").set_input_files(tmp_path / "bad.jsonl")
    expect(page.page.locator(".o-toast[data-tone=bad]")).to_contain_text("Line 1")

    seeds = page.page.get_by_label("Values for Seed")
    seeds.fill("1..4")
    expect(page.page.get_by_text("5 × 4: 20 cells")).to_be_visible()
    seeds.fill("1..x")
    expect(page.page.get_by_role("alert").filter(has_text="1..x is not a number")).to_be_visible()
    expect(page.page.locator("[data-do=compare]")).to_be_disabled()


def test_of_what_is_changed_within_one_frame_nothing_is_forgotten(two: RunningServer, open_page: OpenPage):
    page = visit(open_page(two), "compare")
    boxes = page.page.locator(".o-compare-checkpoints input")
    expect(page.page.get_by_label(COMPARED[0])).to_be_checked()
    page.page.evaluate(AT_ONCE, ["Values for Steps", "Values for Seed"])
    expect(page.page.get_by_label("Values for Seed")).to_have_value("3")
    expect(page.page.get_by_label("Values for Steps")).to_have_value("3")
    for box in boxes.all():
        expect(box).to_be_checked()


def test_what_was_compared_is_taken_along_and_needs_no_server(two: RunningServer, open_page: OpenPage, tmp_path: Path):
    [found] = two.get("/v1/comparisons").json()["comparisons"]
    archive = tmp_path / "page.zip"
    archive.write_bytes(two.get(f"/v1/comparisons/{found['id']}/export?form=zip").content)
    zipfile.ZipFile(archive).extractall(tmp_path / "page")
    page = open_page(two)
    page.complaints.clear()
    page.url = "file://"
    page.page.goto((tmp_path / "page" / "index.html").as_uri())
    expect(page.page.locator(".o-clip[data-media]").first).to_be_visible()
    page.page.evaluate(STEP)
    page.page.wait_for_function(
        "() => document.querySelector('o-playhead').clips.every((clip) => clip.node.dataset.showing === 'video')"
    )
    page.page.keyboard.press("l")
    expect(page.page.get_by_role("timer")).to_contain_text("frame 3 / 20")


def test_a_wall_of_36_clips_is_there_at_once_and_follows_the_pointer(two: RunningServer, open_page: OpenPage):
    sent = [two.post("/v1/media", files={"file": (f"{n}.mp4", clip_bytes(24 + n))}) for n in range(36)]
    ids = ",".join(answer.json()["id"] for answer in sent)
    page = open_page(two)
    shown_ms: list[float] = []  # the quickest: in the others, pages wait for a core
    while len(shown_ms) < SPELLS and min(shown_ms, default=SHOWN_MS) >= SHOWN_MS:
        page.page.goto(f"{two.url}/compare?items={ids}&columns=6")
        page.page.wait_for_function(
            "() => { const first = document.querySelector('.o-clip-still');"
            " return first?.complete && first.naturalWidth > 0 }"
        )
        shown_ms.append(page.page.evaluate("() => performance.now()"))
    expect(page.page.locator("o-compare")).to_have_attribute("data-items", "36", timeout=30_000)
    paces_ms: list[float] = []
    while len(paces_ms) < SPELLS and min(paces_ms, default=PACE_MS) >= PACE_MS:
        taken, showing, num_loaded = page.page.evaluate(SCRUB)
        assert set(showing) == {"sprite"}
        assert num_loaded == 0
        paces_ms.append(sorted(taken)[len(taken) // 2])
    assert min(paces_ms) < PACE_MS, paces_ms
    assert min(shown_ms) < SHOWN_MS, shown_ms
    expect(page.page.get_by_text("Aligned by time")).to_be_visible()
    assert serious_violations(page) == []


def test_an_overview_of_one_column_is_a_wall_and_cancelled_cells_are_not_done(two: RunningServer, open_page: OpenPage):
    page = visit(open_page(two), "compare")
    two.post("/v1/queue/pause").raise_for_status()
    try:
        page.page.get_by_label("Prompts").fill("\n".join(PROMPTS))
        page.page.get_by_label("Values for Steps").fill("1")
        page.page.locator("[data-do=compare]").click()
        page.page.wait_for_url("**/compare?id=*")
        rows = page.page.locator(".o-clips-row")
        expect(rows).to_have_text(PROMPTS)
        page.page.get_by_role("button", name="Overview").click()
        expect(rows).to_have_count(0)
        expect(page.page.locator(".o-tag")).to_have_text(PROMPTS)
        frames = [frame.bounding_box() for frame in page.page.locator(".o-clip-frame").all()]
        assert len({frame["y"] for frame in frames if frame}) == 1
        assert len({frame["x"] for frame in frames if frame}) == len(PROMPTS)
        page.page.get_by_role("button", name="Cancel the rest").click()
        expect(page.page.get_by_text("0 of 3 done, 3 cancelled or failed")).to_be_visible()
    finally:
        two.post("/v1/queue/resume").raise_for_status()
    two.delete(f"/v1/comparisons/{page.page.url.rpartition('=')[2]}").raise_for_status()

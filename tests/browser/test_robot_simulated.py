"""The robot page with the arm that a server brings along: MuJoCo, the scripted policy, everything real."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.robot_page import RobotPage
from browser.test_accessibility import serious_violations
from running import RunningServer, running

pytestmark = [pytest.mark.browser, pytest.mark.slow]

START_MS = 60_000
SELF_TEST_MS = 120_000
RUN_MS = 60_000

SILENT = "no heartbeat for half a second"
MOST_STARTS = 5
"""A machine that keeps the page from beating stops the arm, as it must; then it is started anew."""

# What the robot's card says, and how many rows are to come: a run may be over before somebody has looked again.
WATCH = """() => {
    const card = document.querySelector(".o-standing"), seen = { words: "", most: 0 }, { robot } = window.orrery;
    new MutationObserver(() => (seen.words += card.textContent)).observe(
        card, { childList: true, characterData: true, subtree: true });
    robot.addEventListener("coming", ({ detail }) => (seen.most = Math.max(seen.most, detail.rows.length)));
    window.seen = seen;
}"""
MOVED = "frames > before + 30 && seen.words.includes('MOVING')"
REPLAYED = "seen.words.includes('The recorded rows are driving') && seen.most > 20 && said.includes('READY')"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    """Asked for before the page, so that it goes after it."""
    with running(tmp_path, ORRERY_ROBOT="simulated") as server:
        yield server


def test_the_simulated_arm_is_tested_started_watched_and_stopped(server: RunningServer, open_page: OpenPage):
    page = RobotPage(open_page(server)).visit()
    expect(page.standing).to_contain_text("NOT TESTED", timeout=START_MS)
    page.take_control().button("self_test").click()
    expect(page.standing).to_contain_text("READY", timeout=SELF_TEST_MS)
    page.prompt.fill("pick up the red cube")
    page.button("record").click()
    start(page, MOVED)
    page.page.locator("body").press("Space")
    expect(page.standing).to_contain_text("Stopped by a person.")
    page.panel.get_by_role("tab", name="Recordings").click()
    expect(page.panel).to_contain_text("pick up the red cube")
    page.panel.get_by_role("button", name="Succeeded").first.click()  # the newest
    expect(page.panel).to_contain_text("1 of 1 succeeded")
    watch_again(page)
    page.button("recover").click()
    expect(page.standing).to_contain_text("READY", timeout=RUN_MS)
    page.panel.get_by_role("button", name="Replay").first.click()
    start(page, REPLAYED)  # it ends by itself, after the two seconds that were recorded
    page.page.locator("#robot-seed").fill("12")
    page.button("reset_scene").click()
    expect(page.page.locator("o-robot-scene")).to_contain_text("current seed: 12", timeout=RUN_MS)


def start(page: RobotPage, reached: str) -> None:
    """Start a run, and wait until it has come so far."""
    for _ in range(MOST_STARTS):
        before = int(page.view.get_attribute("data-frames") or 0)
        page.page.evaluate(WATCH)
        page.button("start").click()
        page.page.wait_for_function(
            f"""([before, silent]) => {{
                const {{ seen }} = window, said = document.querySelector(".o-standing").textContent;
                const frames = Number(document.querySelector("o-robot-view").dataset.frames);
                return said.includes(silent) || ({reached});
            }}""",
            arg=[before, SILENT],
            timeout=RUN_MS,
        )
        if SILENT not in page.standing.inner_text():
            return
        page.button("recover").click()
        expect(page.standing).to_contain_text("READY", timeout=RUN_MS)
    raise AssertionError(f"the page fell silent {MOST_STARTS} times")


def watch_again(page: RobotPage) -> None:
    """The clip plays beside its plot, and the stop stays in sight."""
    page.panel.get_by_role("button", name="Watch").first.click()
    seen = page.page.locator(".o-episode")
    expect(seen).to_be_visible(timeout=RUN_MS)
    page.page.wait_for_function(
        "() => [...document.querySelectorAll('.o-episode video')].every((clip) => clip.currentTime > 0.3)",
        timeout=RUN_MS,
    )
    expect(page.stop).to_be_in_viewport(ratio=1)
    expect(seen.get_by_role("button", name="Pause")).to_be_visible()
    position = seen.locator("input[type=range]")
    expect(position).to_be_visible()
    expect(position).to_have_attribute("aria-label", "Position in the recording")
    position.evaluate("slider => { slider.value = 500; slider.dispatchEvent(new Event('input')); }")
    page.page.wait_for_function("() => document.querySelector('.o-episode video').paused", timeout=RUN_MS)
    assert serious_violations(page.opened) == []
    seen.get_by_role("button", name="Close").click()
    expect(seen).to_be_hidden()


def test_the_policy_that_drives_the_arm_is_selected_on_the_page(server: RunningServer, open_page: OpenPage):
    page = RobotPage(open_page(server, allowed=("status of 409",))).visit()
    source = page.page.locator("[data-do=policy]")
    expect(source).to_contain_text("Scripted", timeout=START_MS)  # speck is no policy
    source.click()
    page.page.locator("[data-source=checkpoint]").click()
    expect(page.page.locator(".o-toast")).to_contain_text("not a policy for this arm")
    page.page.get_by_label("Address of a policy server").fill("ws://127.0.0.1:9/")
    page.page.get_by_role("button", name="Connect").click()
    expect(source).to_contain_text("ws://127.0.0.1:9/", timeout=START_MS)
    expect(source).to_contain_text("unreachable", timeout=START_MS)

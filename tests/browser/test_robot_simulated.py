"""The robot page with the arm that a server brings along: MuJoCo, the scripted policy, everything real."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.robot_page import RobotPage
from running import running

pytestmark = [pytest.mark.browser, pytest.mark.slow]

START_MS = 60_000
SELF_TEST_MS = 120_000
RUN_MS = 20_000


def test_the_simulated_arm_is_tested_started_watched_and_stopped(open_page: OpenPage, tmp_path: Path):
    with running(tmp_path, ORRERY_ROBOT="simulated") as server:
        page = RobotPage(open_page(server)).visit()
        expect(page.standing).to_contain_text("NOT TESTED", timeout=START_MS)
        page.take_control().button("self_test").click()
        expect(page.standing).to_contain_text("READY", timeout=SELF_TEST_MS)
        page.prompt.fill("pick up the red cube")
        page.button("record").click()
        page.button("start").click()
        expect(page.standing).to_contain_text("MOVING", timeout=RUN_MS)
        page.page.wait_for_function(
            "before => Number(document.querySelector('o-robot-view').dataset.frames) > before + 30",
            arg=int(page.view.get_attribute("data-frames") or 0),
            timeout=RUN_MS,
        )
        page.page.locator("body").press("Space")
        expect(page.standing).to_contain_text("Stopped by a person.")
        page.panel.get_by_role("tab", name="Recordings").click()
        expect(page.panel).to_contain_text("pick up the red cube")
        page.page.close()

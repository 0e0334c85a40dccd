"""Fans, rollouts and round trips on World, and a fan beside an arm, from which a person proposes a chunk."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from browser.conftest import OpenPage
from browser.driven_bridge import RUN, driven_bridge
from browser.robot_page import RobotPage
from browser.studio_page import JOB_MS, StudioPage
from browser.test_accessibility import serious_violations
from running import RunningServer

pytestmark = pytest.mark.browser


def planning(open_page: OpenPage) -> StudioPage:
    """The policy's form with a picture, a state and an instruction."""
    page = open_page().visit("policy")
    page.example("Lift the cube")
    expect(page.page.locator(".o-media").first).to_contain_text("256×256")
    return page


def tool(page: StudioPage, name: str) -> Locator:
    return page.page.get_by_role("region", name=name)


def test_a_fan_by_seeds_and_by_instructions_is_foreseen_and_ranked(open_page: OpenPage):
    page = planning(open_page)
    fan = tool(page, "Fan")
    fan.get_by_label("Number of branches").fill("2")
    fan.get_by_label("Number of branches").blur()
    fan.locator("[data-do=fan]").click()
    expect(fan.locator(".o-fan")).to_have_attribute("data-state", "succeeded", timeout=JOB_MS)
    expect(fan.locator("tbody tr")).to_have_count(2)
    expect(fan.locator("o-playhead .o-clip")).to_have_count(2)
    expect(fan.locator("[role=status]")).to_contain_text(re.compile("ranked", re.IGNORECASE))
    assert [found for found in serious_violations(page) if "o-item-label" not in found] == []

    fan.locator("[data-way=instructions]").click()
    expect(fan.locator("[data-do=fan]")).to_be_disabled()
    fan.get_by_label("Instructions, one per line").fill("lift the cube\n\npush the cube\nwait")
    fan.locator("[data-do=fan]").click()
    expect(fan.locator("tbody tr")).to_have_count(3, timeout=JOB_MS)
    expect(fan.locator(".o-fan")).to_have_attribute("data-state", "succeeded", timeout=JOB_MS)
    expect(fan.locator("tbody")).to_contain_text("push the cube")

    page.reload()
    expect(fan.locator(".o-fan")).to_have_attribute("data-state", "succeeded")
    expect(fan.locator("tbody")).to_contain_text("push the cube")


def test_a_rollout_is_imagined_chunk_after_chunk(open_page: OpenPage):
    page = planning(open_page)
    rollout = tool(page, "Rollout")
    rollout.get_by_label("Chunks").fill("2")
    rollout.get_by_label("Rows of each").fill("4")
    rollout.get_by_label("Rows of each").blur()
    rollout.locator("[data-do=rollout]").click()
    expect(rollout.locator(".o-rollout")).to_have_attribute("data-state", "succeeded", timeout=JOB_MS)
    expect(rollout.locator("[role=status]")).to_have_text("2 chunks, 8 actions.")
    expect(rollout.locator("o-playhead .o-clip")).to_have_count(1)


def test_a_predicted_video_is_taken_on_a_round_trip(open_page: OpenPage):
    page = open_page(locale="en-GB").visit("world")
    page.example("Push to the right")
    expect(page.page.locator(".o-media").first).to_contain_text("256×256")
    page.steps.fill("2")
    page.steps.blur()
    page.submit()
    page.wait_clip()
    page.page.locator("[data-do=round-trip]").click()
    expect(page.field("@round_trip")).to_contain_text("mean squared error", timeout=JOB_MS)
    table = page.page.get_by_role("table", name="Error of each value at each step")
    expect(table.locator("tbody tr")).to_have_count(17)  # sixteen steps, and the root of their mean squares


def test_a_branch_is_proposed_to_an_arm_that_waits_for_approval(open_page: OpenPage, studio: RunningServer):
    rows = [[0.0, -0.6, 0.0, -2.5, 0.0, 1.9, 0.0, 0.0]] * 32
    branch = {"prompt": "lift", "job": None, "actions": rows, "video": None, "score": 2, "reason": "It moves."}
    path = [[320.0, 200.0], [330.0, 190.0]]
    branches = [
        {**branch, "seed": 0, "paths": [path, [], path]},
        {**branch, "seed": 1, "paths": [path, path, path], "score": 5, "actions": [[0.1, *rows[0][1:]]] * 32},
    ]
    asked: list[dict[str, Any]] = []

    def begin(route: Any) -> None:
        asked.append(route.request.post_data_json)
        request = {**asked[0], "instructions": []}
        fan = {"id": "f", "request": request, "state": "succeeded", "branches": branches, "ranking": [1, 0]}
        route.fulfill(json={**fan, "unranked": None, "error": None})

    with driven_bridge(studio, "fan arm") as arm:
        page = RobotPage(open_page())
        page.page.route("**/v1/fans", begin)
        page.visit("fan arm")
        page.take_control()
        page.watch(arm, 4)
        arm.stand("holding", hold="approval", run={**RUN, "mode": "approve"})
        arm.swing(1)
        page.wait_tick(arm)
        fan = page.page.locator("o-robot-fan")
        fan.locator("summary").click()
        fan.locator("[data-do=fan]").click()
        expect(fan.locator("tbody tr").first).to_contain_text("5")
        expect(fan.locator("svg polyline")).to_have_count(5)
        assert asked[0]["cameras"] == "simulated"
        assert asked[0]["state"][:7] == arm.told["joints"]
        assert asked[0]["prompt"] == RUN["prompt"]
        assert asked[0]["start_image"].startswith("u")
        expect(page.page.get_by_role("button", name="Propose branch 2 to the arm")).to_be_enabled()
        page.page.get_by_role("button", name="Propose branch 2 to the arm").click()
        order = arm.wait_order("propose")
        assert order["epoch"] == 1
        assert order["rows"][0][0] == 0.1

        arm.stand("running", run={**RUN, "mode": "live"})  # where nothing is approved, nothing is proposed
        expect(page.page.get_by_role("button", name="Propose branch 2 to the arm")).to_be_disabled()
        arm.stand("holding", hold="approval", run={**RUN, "mode": "approve"}, epoch=2)  # planned before the stop
        expect(page.page.get_by_role("button", name="Propose branch 2 to the arm")).to_be_disabled()

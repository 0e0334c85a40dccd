"""The robot page as a person uses it."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from browser.driven_bridge import DrivenBridge
from browser.studio_page import OPEN_MS, StudioPage
from frontend.places import ROBOT

TICKS_AT_ONCE = 4
"""Half of what may wait for a page before a server leaves some out."""


class RobotPage:
    """What is on an open page.

    Args:
        opened: not yet visited.
    """

    def __init__(self, opened: StudioPage) -> None:
        self.opened = opened
        self.page = opened.page

    def visit(self, name: str = "") -> RobotPage:
        """Open it, at a robot, and wait until its parts are drawn."""
        self.page.goto(f"{self.opened.url}{ROBOT.path}{f'?name={name}' if name else ''}")
        expect(self.page.locator("o-robot-panel [role=tab]").first).to_be_visible(timeout=OPEN_MS)
        expect(self.page.locator("o-header")).to_have_attribute("data-state", "open", timeout=OPEN_MS)
        return self

    @property
    def stop(self) -> Locator:
        return self.page.locator("o-robot-stop button")

    @property
    def standing(self) -> Locator:
        return self.page.locator(".o-standing")

    @property
    def control(self) -> Locator:
        return self.page.locator("o-robot-control")

    @property
    def prompt(self) -> Locator:
        return self.page.get_by_role("textbox", name="Instruction")

    @property
    def view(self) -> Locator:
        return self.page.locator("o-robot-view")

    @property
    def panel(self) -> Locator:
        return self.page.locator("o-robot-panel")

    def button(self, name: str) -> Locator:
        """A button by the order that it gives."""
        return self.page.locator(f".o-page [data-do={name}]")

    def tile(self, name: str) -> Locator:
        return self.page.locator(f"o-robot-figures [data-tile={name}]")

    def watch(self, arm: DrivenBridge, num_ticks: int = 24) -> None:
        """Let the arm swing no faster than this page reads, then wait for a picture."""
        for _ in range(num_ticks // TICKS_AT_ONCE):
            arm.swing(TICKS_AT_ONCE, clamped=(3,))
            self.wait_tick(arm)
        arm.until(lambda: any("canvas" in message.get("want", ()) for message in arm.heard))
        arm.show("canvas")
        expect(self.view).to_have_attribute("data-frames", re.compile(r"\d+"))

    def wait_tick(self, arm: DrivenBridge) -> None:
        """Wait until the page has the arm's last tick."""
        self.page.wait_for_function("tick => window.orrery.robot.now.tick?.tick === tick", arg=arm.tick)

    def take_control(self) -> RobotPage:
        self.button("control").click()
        expect(self.control).to_have_attribute("data-control", "mine")
        return self

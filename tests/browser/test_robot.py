"""The robot page against a real server, with a bridge whose arm a test moves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.conftest import OpenPage
from browser.driven_bridge import RUN, DrivenBridge, driven_bridge
from browser.robot_page import RobotPage
from browser.test_accessibility import Theme, serious_violations
from browser.test_shell import PHONE
from running import RunningServer, wait_for

pytestmark = pytest.mark.browser

MARKUP = "<img src=x onerror='window.ran = true'>"

PAINT_MS = 8.0
"""Of all tracks at once; about 1 ms is usual. At 15 Hz more than this would be felt."""

MAX_LAYOUT_SHIFT = 0.02
MOST_OPENINGS = 5
Shift = tuple[float, list[str | None]]

Visit = Callable[..., RobotPage]

names = (f"arm {number}" for number in count(1))


@pytest.fixture
def arm(studio: RunningServer) -> Iterator[DrivenBridge]:
    with driven_bridge(studio, next(names)) as end:
        yield end


@pytest.fixture
def visit(open_page: OpenPage, arm: DrivenBridge) -> Visit:
    """Opens the arm's page."""
    return lambda **options: RobotPage(open_page(**options)).visit(arm.name)


def test_without_a_robot_the_page_says_how_to_start_one(open_page: OpenPage):
    page = RobotPage(open_page())
    told = {"robots": [], "problem": ""}
    page.page.route("**/v1/robots", lambda route: route.fulfill(json=told))
    page.visit()
    expect(page.standing).to_contain_text("NO ROBOT")
    expect(page.view).to_contain_text(f"orrery robot --arm simulated --server {page.opened.url}")
    expect(page.button("start")).to_be_disabled()
    expect(page.stop).to_be_visible()
    assert serious_violations(page.opened) == []
    told["problem"] = "mujoco cannot be imported."
    expect(page.view).to_contain_text("mujoco cannot be imported.")


def test_the_stop_stands_in_the_served_html_of_this_page_alone(studio: RunningServer):
    assert "<o-robot-stop" in studio.get("/robot", headers={"accept": "text/html"}).text
    assert "<o-robot-stop" not in studio.get("/", headers={"accept": "text/html"}).text


def test_after_a_recorded_run_the_page_asks_how_it_went_and_the_next_trial_begins(visit: Visit, arm: DrivenBridge):
    page = visit()
    found: dict[str, Any] = {"episodes": [], "num_judged": 0, "num_successes": 0, "success_interval": [0, 1]}
    page.page.route("**/v1/robots/*/episodes", lambda route: route.fulfill(json=found))
    page.take_control()
    arm.summarise()
    arm.stand("ready")
    page.button("record").click()
    page.page.get_by_label("Trials").fill("2")
    page.page.get_by_label("Trials").blur()
    page.button("start").click()
    recorded = {**RUN, "record": True}
    assert arm.wait_order("start")["run"]["record"] is True
    with page.page.expect_response("**/episodes"):
        arm.stand("running", run=recorded)
    found["episodes"].append({"index": 0, "task": "", "num_frames": 30, "ended": "finished", "success": None})
    arm.stand("ready")
    asked = page.page.locator(".o-outcome")
    expect(asked).to_contain_text("Trial 1 of 2 · seed 7")
    expect(asked).to_contain_text("Did episode 0 succeed?")
    asked.get_by_role("button", name="Success").click()
    assert arm.wait_order("mark")["success"] is True
    assert arm.wait_order("reset_scene")["seed"] == 8
    arm.wait_order("home")
    arm.summarise(scene_seed=8, busy="home")
    arm.summarise(scene_seed=8)
    expect(asked).to_contain_text("Trial 2 of 2 · seed 8")
    arm.wait_order("start", 1)


def test_the_cameras_can_take_the_whole_page(visit: Visit, arm: DrivenBridge):
    page = visit()
    page.watch(arm)
    before = page.view.bounding_box()
    assert before
    page.button("big").click()
    wait_for(lambda: (after := page.view.bounding_box()) and after["width"] > 1.5 * before["width"], 20)
    expect(page.stop).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_minds_nothing_serious_while_it_moves_and_at_fault(visit: Visit, arm: DrivenBridge, theme: Theme):
    page = visit(color_scheme=theme).take_control()
    arm.stand("running")
    arm.summarise()
    page.watch(arm)
    arm.say(
        type="check", name="wrist upright", outcome="ask", words="The wrist view has the fingers at its lower edge."
    )
    expect(page.standing).to_contain_text("MOVING")
    assert serious_violations(page.opened) == []
    arm.stand("fault", stop="too_far", words="The target is more than 0.6 rad from the arm's position.")
    expect(page.standing).to_contain_text("0.6 rad")
    expect(page.button("recover")).to_be_enabled()
    assert serious_violations(page.opened) == []


def test_space_stops_a_self_test_from_its_own_button(visit: Visit, arm: DrivenBridge):
    page = visit().take_control()
    arm.summarise()
    expect(page.tile("latency")).to_contain_text("0.41 s")
    page.button("self_test").focus()
    page.page.keyboard.press("Space")
    arm.wait_order("self_test")
    expect(page.standing).to_contain_text("TESTING")
    page.page.keyboard.press("Space")
    arm.wait_order("stop")
    assert len(arm.ordered("self_test")) == 1


def test_a_stop_goes_out_at_once_from_a_page_that_only_watches(visit: Visit, arm: DrivenBridge):
    page = visit()
    arm.stand("running")
    expect(page.standing).to_contain_text("MOVING")
    expect(page.control).to_have_attribute("data-control", "free")
    page.stop.dispatch_event("pointerdown", {"button": 0})
    arm.wait_order("stop")
    page.stop.focus()
    page.page.keyboard.press("Enter")
    arm.wait_order("stop", 1)


def test_space_stops_and_presses_no_button_that_has_the_focus(visit: Visit, arm: DrivenBridge):
    page = visit().take_control()
    arm.stand("running")
    expect(page.button("hold")).to_be_enabled()
    page.button("hold").focus()
    page.page.keyboard.press("Space")
    arm.wait_order("stop")
    page.page.locator("body").press("h")
    arm.wait_order("hold")
    assert len(arm.ordered("hold")) == 1


def test_while_typing_space_is_a_space_and_escape_stops(visit: Visit, arm: DrivenBridge):
    page = visit().take_control()
    arm.stand("running")
    expect(page.button("finish")).to_be_visible()
    page.prompt.click()
    page.page.keyboard.type("pick up h r")
    expect(page.prompt).to_have_value("pick up h r")
    assert not [order for order in arm.heard if order.get("command") in ("stop", "hold", "resume")]
    page.page.keyboard.press("Escape")
    arm.wait_order("stop")


def test_a_stop_that_cannot_go_out_says_so(visit: Visit, arm: DrivenBridge, open_page: OpenPage):
    page = RobotPage(open_page())
    page.page.route_web_socket("**/live", lambda socket: socket.close())
    page.visit(arm.name)
    expect(page.standing).to_contain_text("NO SERVER")
    page.stop.click()
    expect(page.page.get_by_role("alert").filter(has_text="The stop was not sent")).to_be_visible()


def test_one_page_is_in_control_and_the_others_watch(visit: Visit, arm: DrivenBridge, open_page: OpenPage):
    first = visit().take_control()
    second = RobotPage(open_page(beside=True)).visit(arm.name)
    arm.stand("ready", run=None)
    expect(second.control).to_contain_text("Someone else is in control")
    expect(second.control).to_contain_text("2 watching")
    expect(second.button("control")).to_be_disabled()
    expect(second.button("start")).to_be_disabled()
    expect(first.button("start")).to_be_enabled()
    first.button("control").click()
    expect(second.button("control")).to_be_enabled()
    second.take_control()
    expect(first.control).to_have_attribute("data-control", "held")


def test_the_heart_beats_five_times_a_second_in_control_and_in_sight_and_else_never(
    open_page: OpenPage, arm: DrivenBridge
):
    page = RobotPage(open_page())
    page.page.clock.install()
    page.visit(arm.name).take_control()
    arm.wait_order("heartbeat")
    before = len(arm.ordered("heartbeat"))
    page.page.clock.run_for(2000)
    arm.until(lambda: len(arm.ordered("heartbeat")) >= before + 10)
    hide(page, True)
    assert_silent(page, arm)
    before = len(arm.ordered("heartbeat"))
    hide(page, False)
    arm.wait_order("heartbeat", before)
    page.button("control").click()
    expect(page.control).to_have_attribute("data-control", "free")
    assert_silent(page, arm)


def hide(page: RobotPage, hidden: bool) -> None:
    page.page.evaluate(
        """hidden => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def assert_silent(page: RobotPage, arm: DrivenBridge) -> None:
    """Orders arrive in their order: none beats between two stops that are two seconds of the page apart."""
    for seconds in (0, 2):
        before = len(arm.ordered("stop"))
        page.page.clock.run_for(1000 * seconds)
        page.page.evaluate("() => window.orrery.robot.stop()")
        arm.wait_order("stop", before)
    first, second = [at for at, message in enumerate(arm.heard) if message.get("command") == "stop"][-2:]
    assert [message for message in arm.heard[first:second] if message.get("command") == "heartbeat"] == []


def test_a_policy_that_is_too_slow_is_said_before_the_start_with_what_would_work(visit: Visit, arm: DrivenBridge):
    page = visit().take_control()
    arm.stand("ready", run=None)
    arm.summarise(latency_p95_s=1.9, largest_gapless_horizon=3)
    warning = page.page.locator(".o-too-slow")
    expect(warning).to_contain_text("takes 1.9 s to answer and 16 rows last 1.1 s")
    page.page.get_by_role("button", name="Use a horizon of 3").click()
    expect(page.page.get_by_role("slider", name="Horizon")).to_have_value("3")
    expect(warning).to_have_count(0)
    arm.summarise(latency_p95_s=6.2, largest_gapless_horizon=0)
    expect(warning).to_contain_text("after five seconds without an answer the arm stops")
    page.page.get_by_role("button", name="Approve each chunk").click()
    expect(page.page.get_by_role("radio", name="Approve")).to_be_checked()
    expect(warning).to_have_count(0)


def test_a_run_that_starved_says_why_and_goes_on_chunk_by_chunk(visit: Visit, arm: DrivenBridge):
    page = visit().take_control()
    words = "No fresh actions for five seconds: the policy needs 6.1 s per answer."
    arm.stand("stopped", stop="stale", words=words)
    expect(page.page.locator(".o-standing")).to_contain_text(words)
    page.page.get_by_role("button", name="Approve each chunk").click()
    arm.wait_order("recover")
    arm.stand("ready", run=None)
    expect(page.page.get_by_role("radio", name="Approve")).to_be_checked()


def test_a_start_carries_the_instruction_the_mode_and_the_horizon(visit: Visit, arm: DrivenBridge):
    page = visit().take_control()
    # Asked when a recorded run begins: without an answer it would fail with the arm, which leaves before the page does.
    page.page.route("**/episodes", lambda route: route.fulfill(json={"episodes": []}))
    arm.stand("ready", run=None)
    page.prompt.fill("pick up the red cube")
    page.page.get_by_role("radio", name="Live").focus()
    page.page.keyboard.press("ArrowRight")
    expect(page.page.get_by_role("radio", name="Slow")).to_be_checked()
    page.button("record").click()
    page.page.get_by_role("slider", name="Horizon").fill("8")
    expect(page.page.locator("o-robot-pace")).to_contain_text("8 rows · 0.53 s")
    expect(page.button("start")).to_be_enabled()
    page.page.keyboard.press("Control+Enter")
    order = arm.wait_order("start")
    assert order["run"] == {**RUN, "mode": "rehearsal", "horizon": 8, "record": True}
    arm.stand("running", run=order["run"])
    expect(page.button("start")).to_be_hidden()
    page.prompt.fill("put it down")
    page.prompt.press("Enter")
    assert arm.wait_order("instruct")["prompt"] == "put it down"


def test_a_refused_order_says_why(visit: Visit, arm: DrivenBridge):
    page = visit().take_control()
    arm.stand("ready", run=None)
    page.button("home").click()
    order = arm.until(lambda: arm.ordered("home"))[0]
    error = {"code": "conflict", "message": f"The robot is busy {MARKUP}", "type": "", "param": None, "hint": "Wait."}
    arm.say(type="answer", id=order["id"], error=error, value=None)
    expect(page.page.get_by_role("alert").filter(has_text=MARKUP)).to_be_visible()


def test_approving_and_stepping_have_their_buttons_and_keys(visit: Visit, arm: DrivenBridge):
    page = visit().take_control()
    arm.stand("holding", hold="approval", run={**RUN, "mode": "approve"})
    expect(page.standing).to_contain_text("A chunk is waiting for approval")
    page.button("reject").click()
    arm.wait_order("reject")
    page.page.locator("body").press("a")
    arm.wait_order("approve")
    arm.stand("holding", hold="step", run={**RUN, "mode": "step"})
    expect(page.button("step")).to_be_enabled()
    page.page.locator("body").press("n")
    arm.wait_order("step")


def test_the_self_test_tells_its_findings_and_a_person_confirms(visit: Visit, arm: DrivenBridge):
    page = visit().take_control()
    page.button("self_test").click()
    arm.wait_order("self_test")
    for name, outcome in (("arm", "passed"), ("exterior sides", "ask"), ("policy", "failed")):
        arm.say(type="check", name=name, outcome=outcome, words=f"{name} it is")
    expect(page.panel).to_contain_text("policy it is")
    page.panel.get_by_role("button", name="Confirm").click()
    assert arm.wait_order("confirm")["check"] == "exterior sides"
    arm.say(type="check", name="exterior sides", outcome="passed", words="exterior sides it is")
    expect(page.panel.get_by_role("button", name="Confirm")).to_have_count(0)


def test_recordings_are_listed_marked_and_replayed(visit: Visit, arm: DrivenBridge):
    page = visit(allowed=("/episodes",)).take_control()  # what is asked last is not answered any more
    arm.stand("ready", run=None)
    episode = {"index": 3, "task": f"a cube {MARKUP}", "num_frames": 150, "ended": "finished", "success": None}
    page.panel.get_by_role("tab", name="Recordings").click()
    found = {"episodes": [episode], "num_judged": 0, "num_successes": 0, "success_interval": [0, 1]}
    arm.wait_order("episodes", value=found)
    expect(page.panel).to_contain_text(MARKUP)
    page.panel.get_by_role("button", name="Succeeded").click()
    marking = arm.wait_order("mark")
    assert (marking["episode"], marking["success"]) == (3, True)
    page.panel.get_by_role("button", name="Replay").click()
    page.button("start").click()
    assert arm.wait_order("start")["run"]["episode"] == 3


def test_who_only_watches_sees_the_recordings_and_how_often_it_worked(visit: Visit, arm: DrivenBridge):
    page = visit(allowed=("/episodes",))  # what is asked last is not answered any more
    arm.stand("ready", run=None)
    page.panel.get_by_role("tab", name="Recordings").click()
    episode = {"index": 0, "task": "a cube", "num_frames": 150, "ended": "ready", "success": True}
    found = {"episodes": [episode], "num_judged": 1, "num_successes": 1, "success_interval": [0.21, 1]}
    arm.wait_order("episodes", value=found)
    expect(page.panel).to_contain_text("1 of 1 succeeded · 95 % interval 21 to 100 %")
    expect(page.panel.get_by_role("button", name="Watch")).to_be_enabled()
    expect(page.panel.get_by_role("button", name="Succeeded")).to_be_disabled()
    expect(page.panel.get_by_role("link", name="Export all")).to_have_attribute("href", re.compile("recordings.tar$"))


def test_another_table_is_asked_for_by_its_seed(visit: Visit, arm: DrivenBridge):
    page = visit().take_control()
    arm.stand("ready", run=None)
    arm.summarise()
    scene = page.page.locator("o-robot-scene")
    expect(scene).to_contain_text("current seed: 7")
    scene.get_by_role("spinbutton").fill("12")
    page.button("reset_scene").click()
    assert arm.wait_order("reset_scene")["seed"] == 12
    arm.summarise(scene_seed=None)
    expect(scene.locator(".o-scene")).to_be_hidden()


def test_the_coming_rows_are_those_that_are_left_of_what_the_robot_said(visit: Visit, arm: DrivenBridge):
    page = visit()
    arm.stand("running", run={**RUN, "mode": "replay", "episode": 0})
    arm.swing(1, num_coming=30)
    left = """async () => { const page = await import(document.querySelector("script[src$='robot.js']").src);
        const { comingRows } = page.robot_history; const { tick, coming, chunk, session } = window.orrery.robot.now;
        return coming && comingRows(tick, coming, chunk, session).length }"""
    page.page.wait_for_function("tick => window.orrery.robot.now.coming?.tick === tick", arg=arm.tick)
    assert page.page.evaluate(left) == 30
    arm.say(**(arm.told | {"tick": arm.tick + 1, "num_coming": 26}))
    page.page.wait_for_function("() => window.orrery.robot.now.tick.num_coming === 26")
    assert page.page.evaluate(left) == 26


def test_the_numbers_and_the_picture_are_shown_and_nothing_jumps(visit: Visit, arm: DrivenBridge):
    page = visit()
    shifts = [show_all(page, arm)]
    # In what order things come is the machine's; what the page itself lets jump does so every time.
    while len(shifts) < MOST_OPENINGS and min(map(total, shifts)) >= MAX_LAYOUT_SHIFT:
        page.visit(arm.name)
        shifts.append(show_all(page, arm))
    assert min(map(total, shifts)) < MAX_LAYOUT_SHIFT, shifts
    paint_ms = page.page.evaluate(  # the quickest: the others wait for a core
        """async () => { const { robot_joints } = await import(document.querySelector("script[src$='robot.js']").src);
            const canvas = document.querySelector("o-robot-joints canvas");
            return Math.min(...Array.from({ length: 20 }, () => {
                const began = performance.now();
                for (let turn = 0; turn < 5; turn++) robot_joints.draw(canvas, false);
                return (performance.now() - began) / 5 })) }"""
    )
    assert paint_ms < PAINT_MS


def show_all(page: RobotPage, arm: DrivenBridge) -> list[Shift]:
    """Let it come in; how far it moved what was there, and what that was."""
    page.page.evaluate(
        """() => { window.shifts = []; new PerformanceObserver((list) => {
            const name = ({ node }) => (node?.parentElement ?? node)?.outerHTML.slice(0, 99);
            for (const { value, sources } of list.getEntries()) window.shifts.push([value, sources.map(name)]);
        }).observe({ type: "layout-shift", buffered: true }) }"""
    )
    arm.stand("running")
    arm.summarise()
    page.watch(arm)
    expect(page.tile("latency")).to_contain_text("0.41 s")
    expect(page.tile("lateness")).to_contain_text("3.1 ms")
    expect(page.tile("jump")).to_contain_text("0.021 rad")
    expect(page.tile("clamped")).to_contain_text("limit 0 · lead 3 · step 0 · accel 5")
    expect(page.tile("left")).to_contain_text("24")
    expect(page.view).to_contain_text("policy ready")
    expect(page.prompt).to_have_value("pick up the red cube")
    arm.stand("holding", hold="policy")
    expect(page.standing).to_contain_text("Waiting for the policy's rows.")
    return page.page.evaluate("() => window.shifts")


def total(shifts: list[Shift]) -> float:
    return sum(value for value, _ in shifts)


def test_the_predicted_video_is_asked_for_where_a_chunk_has_one(visit: Visit, arm: DrivenBridge):
    page = visit()
    arm.stand("running")
    arm.chunk(has_video=True)
    page.watch(arm, 4)
    button = page.view.get_by_role("button", name="Predicted")
    button.click()
    arm.until(lambda: {"want": ["canvas", "predicted"]} in arm.heard)
    arm.show("predicted/1-5/0")
    expect(page.page.locator(".o-predicted")).to_be_visible()
    button.click()
    expect(page.page.locator(".o-predicted")).to_be_hidden()


def test_a_divergence_is_shown_and_only_a_person_resumes(visit: Visit, arm: DrivenBridge):
    page = visit()
    page.take_control()
    run = {**RUN, "divergence_limit": 0.5, "divergence_ticks": 5}
    arm.foreseen = {"label": "1-5", "tick": 0, "frame": 3, "psnr_db": [31.0, 22.5, 30.0], "motion": [0.1, 0.92, 0.2]}
    arm.stand("running", run=run)
    page.watch(arm, 4)
    expect(page.page.locator(".o-divergence")).to_contain_text("0.92 · 22.5 dB")
    expect(page.page.locator('.o-divergence [data-view="exterior_1"][data-beyond]')).to_be_visible()
    arm.stand("holding", hold="divergence", run=run, words="Exterior view 1 differs from what the policy foresaw.")
    expect(page.standing).to_contain_text("Exterior view 1 differs")
    expect(page.button("resume")).to_be_enabled()
    expect(page.button("hold")).to_be_disabled()


def test_what_a_robot_says_never_becomes_markup(visit: Visit, arm: DrivenBridge):
    page = visit()
    arm.say(type="event", at_s=1.0, code="fault", words=MARKUP)
    arm.stand("stopped", words=MARKUP, run={**RUN, "prompt": MARKUP})
    expect(page.standing).to_contain_text(MARKUP)
    expect(page.panel.get_by_role("log")).to_contain_text(MARKUP)
    assert page.page.evaluate("() => window.ran") is None


def test_a_robot_that_leaves_is_said_and_comes_back(open_page: OpenPage, studio: RunningServer):
    name = next(names)
    with driven_bridge(studio, name) as arm:
        page = RobotPage(open_page()).visit(name)
        arm.stand("running")
        expect(page.standing).to_contain_text("MOVING")
    expect(page.standing).to_contain_text("ROBOT OFFLINE")
    with driven_bridge(studio, name) as arm:
        arm.stand("ready", run=None)
        expect(page.standing).to_contain_text("READY")


def test_on_a_phone_nothing_scrolls_sideways_and_the_stop_stays_in_sight(visit: Visit, arm: DrivenBridge):
    page = visit(**PHONE)
    arm.stand("running")
    arm.summarise()
    page.watch(arm)
    expect(page.tile("latency")).to_contain_text("0.41 s")
    assert page.page.evaluate("() => document.documentElement.scrollWidth") == 390
    assert_the_joints_can_be_read(page)
    page.page.evaluate("() => window.scrollTo(0, document.body.scrollHeight)")
    expect(page.stop).to_be_in_viewport(ratio=1)
    page.stop.tap()
    arm.wait_order("stop")


def assert_the_joints_can_be_read(page: RobotPage) -> None:
    """Every line of the chart has its name above it, and no track is lower than its three numbers."""
    chart = page.page.locator("o-robot-joints")
    for words in ("state", "command", "upcoming", "limit", "clamped"):
        expect(chart.locator("[data-key]", has_text=words)).to_be_visible()
    inner = chart.bounding_box()
    plot = chart.locator("canvas").bounding_box()
    assert inner is not None
    assert plot is not None
    assert inner["x"] <= plot["x"]
    assert plot["x"] + plot["width"] <= inner["x"] + inner["width"]
    assert plot["y"] + plot["height"] <= inner["y"] + inner["height"]
    assert plot["height"] / 8 >= 48
    heads = chart.locator(".o-joints-head")
    assert heads.evaluate("head => [...head.children].every((key) => key.scrollWidth <= key.clientWidth + 1)")


def test_a_limit_is_said_to_see_nothing_while_predicted_frames_come_too_late(visit: Visit, arm: DrivenBridge):
    page = visit()
    arm.stand("running", run={**RUN, "divergence_limit": 0.5, "divergence_ticks": 5})
    blind = page.page.locator(".o-divergence").get_by_role("status")
    page.watch(arm, 24)
    expect(blind).to_be_hidden()
    page.watch(arm, 60)
    expect(blind).to_contain_text("Nothing is compared")
    arm.foreseen = {"label": "1-5", "tick": 0, "frame": 3, "psnr_db": [31.0, 22.5, 30.0], "motion": [0.1, 0.2, 0.2]}
    page.watch(arm, 4)
    expect(blind).to_be_hidden()

"""A robot and its pages without a socket between them."""

import asyncio
import json
from typing import Any

import pytest

from backend.robots.hub import MAX_ROBOTS, RobotHub
from backend.robots.own_robot import child_environment
from backend.robots.page import MAX_WAITING, Outbox, Page
from backend.robots.robot import MAX_OPEN, MAX_TICKS_WAITING, Robot
from robot_wire import HELLO
from studio.errors import Busy
from studio.wire import pack_frame


def arrive(hub: RobotHub, name: str = "left") -> tuple[Robot, Outbox]:
    return hub.arrive({**HELLO, "name": name})


def waiting(outbox: Outbox) -> list[Any]:
    found = [asyncio.run(outbox.get()) for _ in range(len(outbox))]
    return [json.loads(item) if isinstance(item, str) else item for item in found]


def say(robot: Robot, **message: Any) -> None:
    robot.hear(json.dumps(message), message)


def errors(page: Page) -> list[Any]:
    return [item["error"] and item["error"]["code"] for item in waiting(page.outbox) if item["type"] == "answer"]


def test_a_slow_page_loses_ticks_and_pictures_and_nothing_else():
    robot, _ = arrive(RobotHub())
    page = robot.enter()
    robot.take(page, {"want": ["canvas", "predicted"]})
    waiting(page.outbox)

    for number in range(50):
        say(robot, type="tick", tick=number)
        robot.hear_picture(pack_frame("canvas", b"jpeg"))
        say(robot, type="event", words=str(number))
    say(robot, type="session", state="stopped")

    found = waiting(page.outbox)
    texts = [item for item in found if isinstance(item, dict)]
    assert [item["words"] for item in texts if item["type"] == "event"] == [str(number) for number in range(50)]
    assert texts[-1] == {"type": "session", "state": "stopped"}
    assert 1 <= sum(item["type"] == "tick" for item in texts) <= MAX_TICKS_WAITING
    assert 1 <= len(found) - len(texts) <= 4


def test_a_page_that_reads_nothing_is_let_go():
    robot, _ = arrive(RobotHub())
    page = robot.enter()

    for number in range(MAX_WAITING + 1):
        say(robot, type="event", words=str(number))

    assert page.outbox.lagged


def test_the_pictures_of_a_whole_chunk_arrive():
    robot, _ = arrive(RobotHub())
    page = robot.enter()
    robot.take(page, {"want": ["predicted"]})
    waiting(page.outbox)

    for number in range(33):
        robot.hear_picture(pack_frame(f"predicted/{number}", b"jpeg"))

    assert len(waiting(page.outbox)) == 33


def test_a_page_that_floods_is_told_to_wait_and_can_stop_all_the_same():
    robot, bridge = arrive(RobotHub())
    page = robot.enter()
    robot.take(page, {"control": "take"})
    for number in range(MAX_OPEN + 3):
        robot.take(page, {"id": number, "command": "heartbeat"})
    robot.take(page, {"id": "stop", "command": "stop"})
    robot.take(page, {"id": "again", "command": "stop"})

    assert errors(page) == [None, "busy", "busy", "busy", "busy"]
    assert [order["command"] for order in waiting(bridge)] == ["heartbeat"] * MAX_OPEN + ["stop"]


def test_an_answer_that_nobody_waits_for_is_dropped():
    robot, bridge = arrive(RobotHub())
    page, other = robot.enter(), robot.enter()
    robot.take(page, {"id": 1, "command": "stop"})
    robot.leave(page)
    (order,) = waiting(bridge)
    waiting(other.outbox)

    for number in (order["id"], order["id"], 0, None, "1", [1]):
        say(robot, type="answer", id=number, error=None, value=None)

    assert waiting(other.outbox) == []


def test_findings_of_an_old_self_test_are_not_told_again():
    robot, _ = arrive(RobotHub())
    page = robot.enter()
    robot.take(page, {"control": "take"})
    say(robot, type="check", name="joints", outcome="failed")
    robot.take(page, {"id": 1, "command": "self_test"})
    say(robot, type="check", name="arm", outcome="passed")

    told = [item["name"] for item in waiting(robot.enter().outbox) if item["type"] == "check"]

    assert told == ["arm"]


def test_what_pages_show_is_told_again_to_a_bridge_that_comes_back():
    hub = RobotHub()
    robot, _ = arrive(hub)
    page = robot.enter()
    robot.take(page, {"want": ["canvas"]})
    robot.go()

    _, bridge = arrive(hub)

    assert waiting(bridge) == [{"want": ["canvas"]}]


def test_robots_that_nobody_uses_make_room_and_others_do_not():
    hub = RobotHub()
    first, _ = arrive(hub, "0")
    for number in range(1, MAX_ROBOTS):
        arrive(hub, str(number))

    with pytest.raises(Busy):
        arrive(hub, "one more")
    first.go()
    arrive(hub, "one more")

    assert "0" not in {robot["name"] for robot in hub.describe()["robots"]}


def test_the_token_goes_to_the_robot_alone():
    environment = {"PATH": "/bin", "ORRERY_TOKEN": "old", "ORRERY_ROBOT_TOKEN": "older", "ORRERY_ROBOT_SEED": "3"}

    assert child_environment(environment, "right") == {
        "PATH": "/bin",
        "ORRERY_ROBOT_SEED": "3",
        "ORRERY_ROBOT_TOKEN": "right",
    }
    assert "ORRERY_ROBOT_TOKEN" not in child_environment(environment, "")

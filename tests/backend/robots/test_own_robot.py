"""`--robot simulated`: the arm and the scripted policy as processes beside a real server."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from robot.faults import StopReason
from robot_servers import beating
from robot_wire import End, page
from running import RunningServer, about, children, is_alive, running, wait_for
from studio.checkpoints import find_checkpoint
from studio.presets import load_presets

MOST_STOPS = 5

POCKET = find_checkpoint("pocket", load_presets(), Path("nowhere"))


def robots(server: RunningServer) -> dict[str, Any]:
    return server.get("/v1/robots", headers={"Authorization": "Bearer right"}).json()


def connected(server: RunningServer) -> dict[str, Any]:
    return wait_for(lambda: next((found for found in robots(server)["robots"] if found["connected"]), None), 60)


def robot_pids(server: RunningServer) -> list[int]:
    """The children that are robots and policies, by their command lines."""
    assert server.process is not None
    return [pid for pid in children(server.process.pid) if " robot" in command(pid)]


def command(pid: int) -> str:
    return about(pid, "cmdline").replace("\0", " ")


@pytest.mark.slow
def test_the_arm_picks_the_cube_and_ends_with_its_server(tmp_path: Path):
    with running(tmp_path, ORRERY_ROBOT="simulated", ORRERY_TOKEN="right") as server:
        found = connected(server)
        pids = robot_pids(server)
        with page(server, "simulated", token="right") as driver:
            driver.ask(control="take")
            with beating(lambda: driver.say(id=None, command="heartbeat")):
                pick_the_cube(driver)
            assert driver.ask(command="stop")["error"] is None

        assert (found["arm"], found["model"]) == ("simulated", "panda")
        assert len(pids) == 2
        assert all("right" not in command(pid) for pid in pids)
    wait_for(lambda: not any(map(is_alive, pids)), 60)
    assert (tmp_path / "recordings").exists()


def pick_the_cube(driver: End) -> None:
    """Until it is between the fingers."""
    driver.ask(command="self_test")
    driver.until(lambda: state(driver) == "ready", 90)
    run = {"prompt": "pick up the red cube", "mode": "live"}
    assert driver.ask(command="start", run=run)["error"] is None
    known = len(driver.of("tick"))

    def holds_something() -> bool:
        ticks = driver.of("tick")[known:][-10:]
        closing = [tick["wanted"] is not None and tick["wanted"][7] > 0.9 for tick in ticks]
        fingers = [tick["gripper"] for tick in ticks]
        # Told to close, at rest, and neither open nor shut: there is something between them.
        still = len(ticks) == 10 and max(fingers) - min(fingers) < 0.01
        return still and all(closing) and 0.2 < fingers[-1] < 0.9

    def outcome() -> str:
        return "holds" if holds_something() else state(driver) if state(driver) == "stopped" else ""

    # A machine that stands still for half a second stops a run as a page that is gone does; whoever is there resumes.
    for _ in range(MOST_STOPS):
        if driver.until(outcome, 90) == "holds":
            return
        assert driver.of("session")[-1]["stop"] == StopReason.DEAD_MAN, driver.of("session")[-1]
        driver.ask(command="resume")
        driver.until(lambda: state(driver) != "stopped")
    raise AssertionError(f"stopped {MOST_STOPS} times")


def state(driver: End) -> str:
    return driver.of("session")[-1]["state"]


@pytest.mark.slow
@pytest.mark.skipif(not POCKET.installed, reason="presets/pocket has no weights in this clone")
@pytest.mark.parametrize(("robot", "num_processes"), [("simulated", 1), ("scripted", 2)])
def test_a_checkpoint_that_was_trained_for_the_arm_drives_it_itself_unless_the_scripted_policy_is_wanted(
    tmp_path: Path, robot: str, num_processes: int
):
    with running(tmp_path, ORRERY_ROBOT=robot, ORRERY_CHECKPOINT="pocket") as server:
        connected(server)
        assert len(robot_pids(server)) == num_processes
        with page(server, "simulated") as watcher:
            watcher.until(lambda: any(tick["policy"] == "ready" for tick in watcher.of("tick")), 60)


@pytest.mark.slow
def test_a_server_that_is_killed_takes_its_robot_along(tmp_path: Path):
    server = RunningServer(tmp_path, ORRERY_ROBOT="simulated").start()
    connected(server)
    pids = robot_pids(server)

    server.kill()

    assert len(pids) == 2
    wait_for(lambda: not any(map(is_alive, pids)), 60)


@pytest.mark.slow
def test_an_arm_that_dies_is_started_again(tmp_path: Path):
    with running(tmp_path, ORRERY_ROBOT="simulated") as server:
        connected(server)
        (arm,) = [pid for pid in robot_pids(server) if "--arm" in command(pid)]
        with page(server, "simulated") as looking:
            looking.next("session")
            os.kill(arm, signal.SIGKILL)
            looking.next("gone")
            looking.next("back")

        assert arm not in robot_pids(server)


@pytest.mark.slow
def test_a_robot_that_cannot_start_is_a_reason_on_the_page(tmp_path: Path):
    with running(tmp_path, ORRERY_ROBOT="simulated", ORRERY_ROBOT_HORIZON="99") as server:
        wait_for(lambda: robots(server)["problem"], 60)

        assert robots(server)["problem"].startswith("orrery robot: horizon is '99'")
        assert robots(server)["robots"] == []

"""`--robot simulated`: the arm and the scripted policy as processes beside a real server."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from robot_wire import page
from running import RunningServer, children, is_alive, running, wait_for
from studio.checkpoints import find_checkpoint
from studio.presets import load_presets

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
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


@pytest.mark.slow
def test_the_arm_picks_the_cube_and_ends_with_its_server(tmp_path: Path):
    with running(tmp_path, ORRERY_ROBOT="simulated", ORRERY_TOKEN="right") as server:
        found = connected(server)
        pids = robot_pids(server)
        with page(server, "simulated", token="right") as driver:
            driver.ask(control="take")
            driver.ask(command="self_test")

            def is_ready() -> bool:
                driver.say(id=None, command="heartbeat")  # who is silent for three seconds loses control
                return driver.of("session")[-1]["state"] == "ready"

            driver.until(is_ready, 90)
            run = {"prompt": "pick up the red cube", "mode": "live"}
            assert driver.ask(command="start", run=run)["error"] is None
            known = len(driver.of("tick"))

            def holds_something() -> bool:
                driver.say(id=None, command="heartbeat")
                ticks = driver.of("tick")[known:][-10:]
                closing = [tick["wanted"] is not None and tick["wanted"][7] > 0.9 for tick in ticks]
                fingers = [tick["gripper"] for tick in ticks]
                # Told to close, at rest, and neither open nor shut: there is something between them.
                still = len(ticks) == 10 and max(fingers) - min(fingers) < 0.01
                return still and all(closing) and 0.2 < fingers[-1] < 0.9

            driver.until(holds_something, 90)
            assert driver.ask(command="stop")["error"] is None

        assert (found["arm"], found["model"]) == ("simulated", "panda")
        assert len(pids) == 2
        assert all("right" not in command(pid) for pid in pids)
    assert not any(map(is_alive, pids))
    assert (tmp_path / "recordings").exists()


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
    wait_for(lambda: not any(map(is_alive, pids)), 20)


@pytest.mark.slow
def test_an_arm_that_dies_is_started_again(tmp_path: Path):
    with running(tmp_path, ORRERY_ROBOT="simulated") as server:
        connected(server)
        (arm,) = [pid for pid in robot_pids(server) if "--arm" in command(pid)]
        os.kill(arm, signal.SIGKILL)
        wait_for(lambda: not any(found["connected"] for found in robots(server)["robots"]), 20)
        connected(server)

        assert arm not in robot_pids(server)


@pytest.mark.slow
def test_a_robot_that_cannot_start_is_a_reason_on_the_page(tmp_path: Path):
    with running(tmp_path, ORRERY_ROBOT="simulated", ORRERY_ROBOT_HORIZON="99") as server:
        wait_for(lambda: robots(server)["problem"], 60)

        assert robots(server)["problem"].startswith("orrery robot: horizon is '99'")
        assert robots(server)["robots"] == []

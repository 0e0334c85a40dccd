"""Websockets of a server with a token, whose worker may be hurt: robots', their pages' and policies' clients'."""

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from policy_wire import policy_client
from robot_wire import End, bridge, page, websocket
from running import RunningServer, running, wait_for

HEADERS = {"Authorization": "Bearer right"}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with a token, whose worker may be hurt."""
    with running(tmp_path_factory.mktemp("guarded"), ORRERY_TOKEN="right") as server:
        server.wait_ready()
        yield server


@pytest.mark.parametrize("authorization", ["", "Bearer wrong", "Api-Key wrong", "Basic right"])
def test_without_the_token_nobody_comes_in(guarded: RunningServer, authorization: str):
    with pytest.raises(InvalidStatus, match="403"), policy_client(guarded, authorization):
        pass


@pytest.mark.parametrize("authorization", ["Bearer right", "Api-Key right"])
def test_with_it_everybody_does(guarded: RunningServer, authorization: str):
    with policy_client(guarded, authorization) as robot:
        assert robot.metadata["action_space"] == "joint_position"


def test_while_a_worker_hangs_the_server_answers_pings_and_afterwards_the_question(guarded: RunningServer):
    with policy_client(guarded, "Bearer right") as robot:
        robot.ask()
        pid = guarded.worker_pid()
        os.kill(pid, signal.SIGSTOP)
        try:
            robot.send()
            for _ in range(3):
                assert robot.socket.ping().wait(60)
            assert guarded.get("/healthz").text == "ok"
        finally:
            os.kill(pid, signal.SIGCONT)

        assert "action" in robot.receive()


def test_a_worker_that_is_killed_is_said_and_its_successor_answers_on_the_same_connection(guarded: RunningServer):
    with policy_client(guarded, "Bearer right") as robot:
        # A job in the middle shows that the question has gone to the worker: it rests from then on.
        asked = {"kind": "generate_image", "prompt": "x", "resolution": "720", "sampling": {"num_inference_steps": 200}}
        job = guarded.post("/v1/jobs", json=asked, headers=HEADERS).json()["id"]
        wait_for_job(guarded, job, lambda job: job["progress"]["step"] > 0)
        pid = guarded.worker_pid()
        os.kill(pid, signal.SIGSTOP)
        robot.send()
        wait_for_job(guarded, job, lambda job: job["waiting_for"] == "robot")
        os.kill(pid, signal.SIGKILL)

        said = robot.receive()
        assert (said["type"], said["code"]) == ("error", "engine_lost")
        with policy_client(guarded, "Bearer right") as newcomer:  # its metadata come when the successor is warm
            assert newcomer.metadata["policy"] == "speck"
        codes: set[str] = set()

        def answered() -> bool:
            answer = robot.ask()
            codes.add(answer.get("code", ""))
            return "action" in answer

        wait_for(answered, 60)
        assert codes <= {"busy", ""}
        guarded.delete(f"/v1/jobs/{job}", headers=HEADERS)


def wait_for_job(server: RunningServer, job: str, until: Callable[[dict[str, Any]], bool]) -> None:
    wait_for(lambda: until(server.get(f"/v1/jobs/{job}", headers=HEADERS).json()), 120)


def test_with_a_token_bridges_and_pages_need_it(guarded: RunningServer):
    for path in ("bridge", "x/live"):
        with pytest.raises(InvalidStatus, match="403"):
            End(f"{websocket(guarded)}/v1/robots/{path}", token="wrong")
    assert guarded.get("/v1/robots").status_code == 401
    with bridge(guarded, "left", token="right") as left, page(guarded, "left", token="right") as looking:
        left.say(type="event", at_s=0, code="x", words="y")
        looking.next("session")

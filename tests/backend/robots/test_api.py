"""Bridges, pages, and who of those may order, over real websockets."""

import io
import json
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import Any

import av
import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from robot_episodes import recorded
from robot_servers import beating
from robot_wire import HELLO, LIMITS, Bridge, End, bridge, page, websocket
from running import RunningServer, wait_for
from studio.wire import unpack_frame


def row(server: RunningServer, name: str) -> dict[str, Any]:
    return next((found for found in server.get("/v1/robots").json()["robots"] if found["name"] == name), {})


def connected(server: RunningServer, name: str) -> dict[str, Any]:
    """Its row, once it has dialled in and said how it is: what it said before it went the last time does not count."""

    def there() -> dict[str, Any] | None:
        found = row(server, name)
        return found if found.get("connected") and found["session"] else None

    return wait_for(there, 60)


def showing(looking: End) -> AbstractContextManager[None]:
    """Let a page in control be heard, or it loses that after three seconds; the arm is told nothing by it."""
    return beating(lambda: looking.say(want=[]))


@pytest.fixture
def left(server: RunningServer) -> Iterator[Bridge]:
    # What answers nothing is dropped; who says nothing at all is let go of after ten seconds.
    with bridge(server, "left arm") as end, beating(lambda: end.say(type="answer", id=0)):
        connected(server, "left arm")
        yield end
    wait_for(lambda: not row(server, "left arm")["connected"], 60)


def test_a_robot_is_listed_as_it_described_itself(server: RunningServer, left: Bridge):
    left.say(type="summary", busy="", rate_hz=15.0)

    found = wait_for(lambda: (lambda found: found if found["summary"] else None)(row(server, "left arm")), 60)

    assert found == {
        "name": "left arm",
        "arm": "simulated",
        "model": "panda",
        "policy": "ws://p/",
        "limits": LIMITS,
        "connected": True,
        "session": {"state": "idle", "epoch": 0, "hold": None, "stop": None, "words": "", "run": None},
        "summary": {"busy": "", "rate_hz": 15.0},
        "watchers": 0,
        "controlled": False,
    }
    assert server.get("/v1/robots").json()["problem"] == ""


def test_a_page_is_told_how_things_stand_and_then_everything_as_it_came(server: RunningServer, left: Bridge):
    left.say(type="summary", busy="", rate_hz=15.0)
    left.say(type="check", name="arm", outcome="passed", words="At rest.")
    wait_for(lambda: row(server, "left arm")["summary"], 60)

    with page(server, "left arm") as looking:
        looking.next("control")
        first = [message["type"] for message in looking.heard]
        left.say(type="tick", tick=7, joints=[0.1] * 7)
        left.say(type="event", at_s=1.5, code="ready", words="The robot is ready.")
        looking.next("event")

    assert first == ["hello", "session", "summary", "check", "control"]
    assert looking.of("control") == [{"type": "control", "mine": False, "held": False, "watchers": 1}]
    assert looking.of("tick") == [{"type": "tick", "tick": 7, "joints": [0.1] * 7}]


def test_pictures_reach_whoever_shows_them_and_the_bridge_is_told_what_is_shown(server: RunningServer, left: Bridge):
    with page(server, "left arm") as looking, page(server, "left arm") as away:
        looking.say(want=["canvas", "predicted", 5])
        left.until(lambda: {"want": ["canvas", "predicted"]} in left.heard)
        for topic in ("canvas", "predicted/3", "elsewhere"):
            left.picture(topic, b"jpeg")
        looking.until(lambda: len(looking.pictures) == 2)
        left.session("ready")
        away.until(lambda: away.of("session")[-1]["state"] == "ready")
        looking.until(lambda: looking.of("session")[-1]["state"] == "ready")
        looking.say(want=[])
        left.until(lambda: left.heard[-1] == {"want": []})

    assert [unpack_frame(frame) for frame in looking.pictures] == [("canvas", b"jpeg"), ("predicted/3", b"jpeg")]
    assert away.pictures == []


def test_whoever_is_in_control_orders_and_is_answered_under_its_own_number(server: RunningServer, left: Bridge):
    with page(server, "left arm") as driver, page(server, "left arm") as other, showing(driver):
        assert driver.ask(control="take")["error"] is None
        driver.say(id="mine", command="start", run={"prompt": "lift", "mode": "live"})
        order = left.order()
        left.answer(order, {"begun": True})
        answer = driver.until(lambda: [found for found in driver.of("answer") if found["id"] == "mine"])[0]
        other.until(lambda: other.of("control")[-1]["held"])

    assert order["run"] == {"prompt": "lift", "mode": "live"}
    assert order["id"] != "mine"
    assert answer == {"type": "answer", "id": "mine", "error": None, "value": {"begun": True}}
    assert other.of("answer") == []


def test_only_one_page_orders_and_anybody_stops(server: RunningServer, left: Bridge):
    with page(server, "left arm") as driver, page(server, "left arm") as other, showing(driver), showing(other):
        assert driver.ask(control="take")["error"] is None
        assert other.ask(control="take")["error"]["code"] == "not_in_control"
        assert other.ask(command="start", run={})["error"]["code"] == "not_in_control"
        assert other.ask(control="steal")["error"]["code"] == "bad_input"
        other.say(id=1, command="stop")
        order = left.order()
        assert left.orders() == [order]
        assert order["command"] == "stop"
        left.answer(order)
        assert other.until(lambda: [found for found in other.of("answer") if found["id"] == 1])[0]["error"] is None
        assert (row(server, "left arm")["watchers"], row(server, "left arm")["controlled"]) == (2, True)

        assert driver.ask(control="release")["error"] is None
        other.until(lambda: not other.of("control")[-1]["held"])
        assert other.ask(control="take")["error"] is None
        driver.until(lambda: driver.of("control")[-1]["held"])
        assert driver.of("control")[-1]["mine"] is False


def test_a_page_that_closes_gives_control_back_and_the_arm_is_told(server: RunningServer, left: Bridge):
    with page(server, "left arm") as other:
        with page(server, "left arm") as driver, showing(driver):
            driver.ask(control="take")
            other.until(lambda: other.of("control")[-1]["held"])
        other.until(lambda: other.of("control")[-1] == {"type": "control", "mine": False, "held": False, "watchers": 1})

    assert left.order()["command"] == "release"


def test_a_robot_that_goes_is_shown_gone_its_orders_are_answered_and_it_comes_back(server: RunningServer):
    with ExitStack() as stack:
        right = Bridge(server, "right")
        connected(server, "right")
        looking = stack.enter_context(page(server, "right"))
        stack.enter_context(showing(looking))
        looking.ask(control="take")
        looking.say(id="open", command="home")
        right.order()
        right.close()
        answer = looking.until(lambda: [found for found in looking.of("answer") if found["id"] == "open"])[0]
        looking.next("gone")
        assert answer["error"]["code"] == "robot_away"
        assert looking.ask(command="hold")["error"]["code"] == "robot_away"
        with bridge(server, "right"):
            looking.next("back")
            looking.until(lambda: len(looking.of("session")) == 2)
        looking.next("gone", 1)


def test_a_second_robot_of_a_name_is_turned_away(server: RunningServer, left: Bridge):
    # It says who it is and no more: the connection may be gone at once.
    second = End(websocket(server) + "/v1/robots/bridge")
    second.say(**(HELLO | {"name": "left arm"}))
    second.until(lambda: second.closed_with)
    second.close()
    left.session("ready")
    wait_for(lambda: row(server, "left arm")["session"]["state"] == "ready", 60)

    assert second.closed_with == (
        4409,
        "A robot named left arm is already connected. Give this one another --name.",
    )


@pytest.mark.parametrize(
    "hello",
    [
        {"name": "../x"},
        {"name": ""},
        {"name": 7},
        {"limits": None},
        {"limits": {"soft_min": [float("nan")]}},
        {"type": "tick"},
        {"arm": "x" * 50},
    ],
    ids=str,
)
def test_a_bridge_that_does_not_say_who_it_is_is_turned_away(server: RunningServer, hello: dict[str, Any]):
    before = server.get("/v1/robots").json()

    odd = End(websocket(server) + "/v1/robots/bridge")
    odd.say(**(HELLO | {"name": "odd"} | hello))
    odd.until(lambda: odd.closed_with)
    odd.close()

    assert odd.closed_with is not None
    assert odd.closed_with[0] == 4400
    assert server.get("/v1/robots").json() == before


@pytest.mark.parametrize(
    "garbage", ["{", "[]", "[" * 100_000, '{"a": NaN}', '{"a": 1e999}', b"", b"\xff\xff"], ids=repr
)
def test_a_bridge_that_sends_garbage_is_let_go_with_a_reason(server: RunningServer, garbage: str | bytes):
    with bridge(server, "mad") as mad:
        connected(server, "mad")
        mad.socket.send(garbage)
        mad.until(lambda: mad.closed_with)

    assert mad.closed_with is not None
    assert mad.closed_with[0] == 4400
    wait_for(lambda: not row(server, "mad")["connected"], 60)


def test_nonsense_from_a_page_is_answered_with_the_reason(server: RunningServer, left: Bridge):
    with page(server, "left arm") as looking:
        for nonsense, code in (
            ("{", "bad_input"),
            ("[]", "bad_input"),
            (b"\x00", "bad_input"),
            (json.dumps({"command": "x" * 70_000}), "too_large"),
            (json.dumps({"command": ["stop"]}), "not_in_control"),
            ("{}", "not_in_control"),
        ):
            known = len(looking.of("answer"))
            looking.socket.send(nonsense)
            assert looking.next("answer", known)["error"]["code"] == code

    assert left.orders() == []


def test_a_frame_of_a_hundred_megabytes_ends_its_sender_and_nobody_else(server: RunningServer, left: Bridge):
    with page(server, "left arm") as huge, page(server, "left arm") as looking:
        with suppress(ConnectionClosed):
            huge.socket.send(b"\0" * 100_000_000)
        huge.until(lambda: huge.closed_with)
        left.session("ready")
        looking.until(lambda: looking.of("session")[-1]["state"] == "ready")

    assert huge.closed_with is not None
    assert huge.closed_with[0] in (1009, 1006)  # too big, or the connection was gone before it could be said


def test_a_robot_that_never_dialled_in_is_refused_by_name(server: RunningServer):
    with page(server, "nobody") as looking:
        looking.until(lambda: looking.closed_with)

    assert looking.closed_with == (4404, "No robot named 'nobody' has connected. orrery robot starts one.")


def test_the_real_program_dials_in_obeys_and_stops_when_its_page_closes(server: RunningServer, tmp_path: Path):
    process = subprocess.Popen(
        [
            *(sys.executable, "-P", "-m", "robot", "--arm", "replay", "--name", "real", "--server", server.url),
            *("--recordings", str(recorded(tmp_path, 60))),
        ],
        stderr=subprocess.DEVNULL,
    )
    try:
        connected(server, "real")
        with page(server, "real") as other:
            with page(server, "real") as driver:
                driver.say(want=["canvas"])
                driver.ask(control="take")
                with beating(lambda: driver.say(id="beat", command="heartbeat")):
                    assert driver.ask(command="self_test")["error"] is None
                    driver.until(lambda: driver.of("session")[-1]["state"] == "ready")
                    assert driver.ask(command="heartbeat")["error"] is None
                    started = driver.ask(command="start", run={"mode": "replay", "episode": 0, "speed": 0.1})
                    assert started["error"] is None
                    # It has been on: a machine that stands still for half a second stops it as a page that is gone.
                    driver.until(lambda: "running" in [said["state"] for said in driver.of("session")])
                    driver.until(lambda: driver.pictures)
                    assert driver.ask(command="episodes")["value"]["episodes"][0]["num_frames"] == 60
                    assert driver.ask(command="explode")["error"]["code"] == "bad_input"
            other.until(lambda: other.of("session")[-1]["state"] == "stopped")
        assert unpack_frame(driver.pictures[-1])[1].startswith(b"\xff\xd8")
        coming = driver.of("coming")[0]
        assert coming["num_coming"] >= 600  # 60 rows at a tenth of the speed, and the way to the first
        assert len(coming["rows"]) == 48
        look_at_recordings(server, "real")
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    wait_for(lambda: not row(server, "real")["connected"], 60)


def look_at_recordings(server: RunningServer, name: str) -> None:
    """Over HTTP, by anybody, in control or not."""
    at = f"/v1/robots/{name}"
    assert [found["index"] for found in server.get(f"{at}/episodes").json()["episodes"]] == [0]
    plot = server.get(f"{at}/episodes/0").json()
    assert (plot["num_frames"], len(plot["states"]), len(plot["states"][0]), plot["clamped"][0]) == (60, 60, 8, [2])
    clip = server.get(f"{at}/episodes/0/wrist.mp4")
    assert (clip.headers["content-type"], int(clip.headers["content-length"])) == ("video/mp4", len(clip.content))
    with av.open(io.BytesIO(clip.content)) as container:
        assert sum(1 for _ in container.decode(video=0)) == 60
    export = server.get(f"{at}/recordings.tar")
    with tarfile.open(fileobj=io.BytesIO(export.content)) as tar:
        assert "recordings/meta/info.json" in tar.getnames()
    assert server.get(f"{at}/episodes/7").json()["error"]["code"] == "episode_not_found"
    assert server.get(f"{at}/episodes/7/wrist.mp4").status_code == 404
    assert server.get(f"{at}/episodes/0/behind.mp4").status_code == 422


def test_a_file_that_breaks_off_is_an_answer_that_breaks_off(server: RunningServer, left: Bridge):
    found: list[object] = []

    def fetch() -> None:
        try:
            server.get("/v1/robots/left arm/recordings.tar")
        except httpx.HTTPError as error:
            found.append(error)

    thread = threading.Thread(target=fetch)
    thread.start()
    order = left.order()
    assert order["command"] == "send"
    left.answer(order)
    file = End(f"{websocket(server)}/v1/robots/files/{order['ticket']}")
    file.say(name="recordings.tar", media_type="application/x-tar", size_bytes=None)
    file.socket.send(b"the beginning")
    file.socket.close(1011)
    thread.join(60)
    assert isinstance(found[0], httpx.RemoteProtocolError)
    assert server.tracebacks() == []
    again = End(f"{websocket(server)}/v1/robots/files/{order['ticket']}")
    again.until(lambda: again.closed_with)
    assert again.closed_with == (4404, "This file was not requested.")


def test_a_robot_that_is_away_has_no_recordings_to_show(server: RunningServer):
    with bridge(server, "gone arm"):
        connected(server, "gone arm")
    wait_for(lambda: not row(server, "gone arm")["connected"], 60)

    assert server.get("/v1/robots/gone arm/episodes").json()["error"]["code"] == "robot_away"
    assert server.get("/v1/robots/nobody/recordings.tar").json()["error"]["code"] == "robot_not_found"


def test_a_page_in_control_that_vanishes_without_a_word_loses_it_within_seconds(server: RunningServer, left: Bridge):
    with page(server, "left arm") as vanished, page(server, "left arm") as other:
        with showing(vanished):
            vanished.ask(control="take")
            assert other.ask(control="take")["error"]["code"] == "not_in_control"
        other.until(lambda: other.of("control")[-1]["held"] is False)

        assert other.ask(control="take")["error"] is None
        left.until(lambda: [order for order in left.orders() if order["command"] == "release"])


@pytest.mark.slow
def test_a_bridge_that_falls_silent_is_let_go(server: RunningServer):
    with bridge(server, "quiet") as quiet, connected(server, "quiet") and page(server, "quiet") as looking:
        quiet.until(lambda: quiet.closed_with)
        looking.next("gone")

    assert quiet.closed_with == (4408, "No message for 10 s.")


@pytest.mark.parametrize("is_reset", [True, False])
def test_a_bridge_that_goes_before_its_hello_is_one_line_of_the_log(server: RunningServer, is_reset: bool):
    head = (
        "GET /v1/robots/bridge HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    before = len(server.log)
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", httpx.URL(server.url).port or 0), timeout=10) as client:
            client.sendall(head.encode())
            assert client.recv(4096).startswith(b"HTTP/1.1 101")
            if is_reset:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    wait_for(lambda: len(server.log) >= before + 20, 60)
    lines = server.log[before:]
    assert [json.loads(line)["event"] for line in lines] == ["bridge_left"] * 20

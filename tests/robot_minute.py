"""`make robot-minute`: a minute of the robot on two cores, with its page open and an image job beside it, as a table.

The simulated arm is drawn and driven by the scripted policy, and recorded. With `--checkpoint NAME` a checkpoint drives
it in place of the script, and with `--foresees` it sends the frames that it predicts, which are compared. Figures of
the loop are the robot's own (`robot.station.telemetry`), taken over the last sixty seconds; CPU and memory are the
kernel's. It ends with 1 where a bar is missed. On a machine that others use, the figures are theirs too.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from browser.conftest import ARGUMENTS, CHROMIUM, DESKTOP
from browser.robot_page import RobotPage
from browser.studio_page import StudioPage
from robot_wire import page as robot_page
from running import RunningServer, children, running, wait_for

CORES = {0, 1}
MINUTE_S = 60.0
STATUS_S = 5.0
START_MS, SELF_TEST_MS = 90_000, 180_000
HIGHEST_LIMIT = 2
"""Of divergence: what is foreseen is compared, and holds nothing."""
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Line:
    """One line of the table.

    Attributes:
        bar: what it should be; empty for none.
    """

    what: str
    value: str
    bar: str = ""
    kept: bool = True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", help="drives the arm (default: the scripted policy, beside speck)")
    parser.add_argument("--foresees", action="store_true", help="compare what the checkpoint foresees (--checkpoint)")
    options = parser.parse_args()
    os.sched_setaffinity(0, CORES & os.sched_getaffinity(0) or os.sched_getaffinity(0))
    data = Path(tempfile.mkdtemp(prefix="orrery-minute-"))
    lines = list(measure(data, options.checkpoint, foresees=options.foresees))
    width = max(len(line.what) for line in lines)
    for line in lines:
        sys.stdout.write(
            f"| {line.what:<{width}} | {line.value:>18} | {line.bar:<16} |{'' if line.kept else ' missed'}\n"
        )
    return 0 if all(line.kept for line in lines) else 1


def measure(data: Path, checkpoint: str | None, *, foresees: bool) -> Iterator[Line]:
    environment = {"ORRERY_ROBOT": "simulated"} | ({"ORRERY_CHECKPOINT": checkpoint} if checkpoint else {})
    with running(data, **environment) as server, sync_playwright() as playwright:
        server.wait_ready()
        if checkpoint:
            server.put("/v1/robots/own/policy", json={"source": "checkpoint"}).raise_for_status()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = RobotPage(StudioPage(browser.new_context(**DESKTOP), server.url, ())).visit()
        expect(page.standing).to_contain_text("NOT TESTED", timeout=START_MS)
        page.take_control().button("self_test").click()
        expect(page.standing).to_contain_text("READY", timeout=SELF_TEST_MS)
        page.prompt.fill("pick up the red cube")
        if foresees:
            page.page.locator(".o-world-model summary").click()
            page.page.locator("#robot-limit").fill(str(HIGHEST_LIMIT))
        page.button("record").click()
        page.button("start").click()
        expect(page.standing).to_contain_text("MOVING", timeout=START_MS)
        yield from the_minute(server, page.page)
        standing = page.standing.inner_text().replace("\n", " ")
        yield Line("at the end of the minute", standing[:18], "MOVING", standing.startswith("MOVING"))
        if page.button("finish").is_visible():
            page.button("finish").click()
        wait_for(lambda: server.get("/v1/robots/simulated/episodes").json()["episodes"], STATUS_S)
        if foresees:
            found = server.get("/v1/robots/simulated/episodes/0").json()["divergence"] or [None]
            yield Line(
                "of the recording, compared", f"{100 * sum(one is not None for one in found) / len(found):.0f} %"
            )
        yield Line("bridge without MuJoCo, peak RSS", *under(rss_without_mujoco(server, data), 300, "MB"))
        browser.close()


def the_minute(server: RunningServer, page: Page) -> Iterator[Line]:
    robot = robot_pid(server)
    before, began_s = summary(server), time.monotonic()
    view_s, whole_s, frames = cpu_s(robot, robot), cpu_s(robot), frames_drawn(page)
    with jobs_beside(server) as done:
        page.wait_for_timeout(1000 * MINUTE_S)
    took_s = time.monotonic() - began_s
    after = summary(server)
    rate_hz = after["rate_hz"]
    yield Line("rate", f"{rate_hz:.3f} Hz", "15.00 ± 0.05", abs(rate_hz - 15) <= 0.05)
    yield Line("tick lateness p50", f"{after['lateness_p50_ms']:.2f} ms")
    yield Line("tick lateness p99", *under(after["lateness_p99_ms"], 10, "ms"))
    yield Line("tick lateness worst", f"{after['lateness_max_ms']:.1f} ms")
    yield Line("late ticks (over 10 ms)", str(after["num_late"] - before["num_late"]))
    yield Line("missed ticks", *none(after["num_missed"] - before["num_missed"]))
    yield Line("ticks without a row", *none(after["num_gaps"] - before["num_gaps"]))
    yield Line("loop p50", f"{after['busy_p50_ms']:.2f} ms")
    yield Line("loop p99 (observe … record)", *under(after["busy_p99_ms"], 3, "ms"))
    yield Line("chunk latency p50", f"{1e3 * after['latency_p50_s']:.0f} ms")
    yield Line("chunk latency p95", f"{1e3 * after['latency_p95_s']:.0f} ms")
    view = 100 * (cpu_s(robot, robot) - view_s) / took_s
    yield Line("JPEG view and messages, CPU", *under(view, 15, "% of a core"))
    yield Line("bridge with MuJoCo and drawing, CPU", f"{100 * (cpu_s(robot) - whole_s) / took_s:.0f} % of a core")
    yield Line("pictures on the page", f"{(frames_drawn(page) - frames) / took_s:.1f} Hz")
    yield Line("image jobs beside it", str(len(done)))
    yield Line("others' load at the end", f"{os.getloadavg()[0]:.1f}")


def under(value: float, bar: float, unit: str) -> tuple[str, str, bool]:
    return f"{value:.1f} {unit}", f"< {bar} {unit}", value < bar


def none(count: int) -> tuple[str, str, bool]:
    return str(count), "0", count == 0


def summary(server: RunningServer) -> dict[str, Any]:
    return server.get("/v1/robots").json()["robots"][0]["summary"]


def frames_drawn(page: Page) -> int:
    return int(page.locator("o-robot-view").get_attribute("data-frames") or 0)


def robot_pid(server: RunningServer) -> int:
    """The robot's program among the server's children."""
    assert server.process is not None
    for pid in children(server.process.pid):
        if "--arm=simulated" in Path(f"/proc/{pid}/cmdline").read_text().split("\0"):
            return pid
    raise AssertionError("the server has no robot")


def cpu_s(pid: int, thread: int | None = None) -> float:
    """Of a process, or of one thread: the first one is the bridge's, which encodes, writes and sends."""
    path = Path(f"/proc/{pid}/stat" if thread is None else f"/proc/{pid}/task/{thread}/stat")
    fields = path.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


@contextmanager
def jobs_beside(server: RunningServer) -> Iterator[list[str]]:
    """One image job after another."""
    done: list[str] = []
    ended = threading.Event()

    def work() -> None:
        while not ended.is_set():
            job = server.submit(sampling={"num_inference_steps": 50})["id"]
            # Where the arm's policy takes all of the worker's time, a job waits as long as the arm moves.
            if server.wait_job(job, lambda found: found["finished_at"] or ended.is_set())["finished_at"]:
                done.append(job)
            else:
                server.delete(f"/v1/jobs/{job}").raise_for_status()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield done
    finally:
        ended.set()
        thread.join()


def rss_without_mujoco(server: RunningServer, data: Path) -> float:
    """MB at most of a bridge beside a recorded arm, in control, replaying, drawn on a page; needs a free data set."""
    copy = data / "copy"
    copy.mkdir()
    export = copy / "recordings.tar"
    export.write_bytes(server.get("/v1/robots/simulated/recordings.tar").content)
    subprocess.run(["tar", "-xf", str(export), "-C", str(copy)], check=True, timeout=60)
    command = [sys.executable, "-P", "-m", "robot", "--arm", "replay", "--name", "recorded", "--server", server.url]
    process = subprocess.Popen([*command, "--recordings", str(copy / "recordings")], stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: any(found["name"] == "recorded" for found in server.get("/v1/robots").json()["robots"]), 60)
        with robot_page(server, "recorded") as driver:
            driver.say(want=["canvas"])
            driver.ask(control="take")
            driver.ask(command="self_test")
            driver.until(lambda: driver.of("session")[-1]["state"] == "ready")
            driver.ask(command="heartbeat")
            driver.ask(command="start", run={"mode": "replay", "episode": 0, "speed": 1.0, "record": True})
            for _ in range(50):
                driver.ask(command="heartbeat")
                time.sleep(0.2)
        status = Path(f"/proc/{process.pid}/status").read_text()
    finally:
        process.terminate()
        process.wait(20)
    peak_kb = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return int(peak_kb) / 1000


if __name__ == "__main__":
    sys.exit(main())

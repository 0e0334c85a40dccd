"""The program as a process."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from robot.recording.reader import list_episodes
from robot_episodes import recorded
from robot_servers import policy_server, stay_here

TIMEOUT_S = 120


def robot(*arguments: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ORRERY_")}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "robot", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_runs_alone_records_and_says_how_it_went(tmp_path: Path):
    folder = recorded(tmp_path, 8)
    with policy_server(stay_here) as (url, _):
        process = robot(
            *("--arm", "replay", "--recordings", str(folder), "--policy", url),
            *("--prompt", "stay", "--seconds", "6", "--record"),
        )
        out, err = process.communicate(timeout=TIMEOUT_S)

    assert process.returncode == 0, err
    said = [json.loads(line) for line in out.splitlines()]
    assert said[-1]["type"] == "summary"
    assert said[-1]["num_played"] > 15
    assert [summary.task for summary in list_episodes(folder)] == ["pick the red cube", "stay"]


def test_an_interrupted_run_ends_in_order(tmp_path: Path):
    folder = recorded(tmp_path, 8)
    with policy_server(stay_here) as (url, _):
        process = robot(
            *("--arm", "replay", "--recordings", str(folder), "--policy", url, "--prompt", "stay", "--record")
        )
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line).get("code") == "running":
                process.send_signal(signal.SIGTERM)
                break
        out, err = process.communicate(timeout=TIMEOUT_S)

    assert process.returncode == 0, err
    assert json.loads(out.splitlines()[-1])["type"] == "summary"


def test_what_cannot_start_says_why_in_one_line(tmp_path: Path):
    for arguments, words in (
        ((), "--server"),
        (("--arm", "replay", "--prompt", "x", "--recordings", str(tmp_path)), "no episode 0"),
        (("--horizon", "99"), "horizon is"),
    ):
        process = robot(*arguments)
        _, err = process.communicate(timeout=TIMEOUT_S)

        assert process.returncode == 2
        assert err.startswith("orrery robot: ")
        assert words in err
        assert err.count("\n") == 1

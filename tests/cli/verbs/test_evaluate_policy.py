"""`orrery evaluate-policy`: episodes go to the server and to a file, stop halfway, and are continued."""

import json
import sys
from pathlib import Path

import pytest

from robot.simulation.library import GRAPHICS
from running import RunningServer
from studio.evaluation.layouts.episodes import read_episodes

PROGRAM = """
import json, sys
levels = next(word for word in sys.argv if word.startswith("--levels")).split("=")[1].split(",")
items = [
    {"id": f"simulated-table/{level}/{scene}", "question": f"{level} words", "category": level, "reference": "red cube"}
    for scene in (7, 8)
    for level in levels
]
print(json.dumps({"name": "simulated-table", "form": "policy", "items": items}), flush=True)
for number, line in enumerate(sys.stdin):
    if number == int(sys.argv[1]):
        sys.exit("orrery evaluate-policy: The policy did not answer.")
    item = json.loads(line)
    result = json.dumps({"success": item["category"] == "default", "stopped": "", "seconds": 2.0})
    print(json.dumps({"item": item["id"], "text": result, "seconds": 2.0}), flush=True)
"""


@pytest.fixture
def lasts(monkeypatch: pytest.MonkeyPatch):
    """Let a scripted program drive, which gives up after so many episodes."""

    def put(num_episodes: int) -> None:
        monkeypatch.setattr("cli.policy_program.COMMAND", (sys.executable, "-c", PROGRAM, str(num_episodes)))

    return put


def test_a_policy_is_driven_kept_and_written(server: RunningServer, orrery, lasts, tmp_path: Path):
    lasts(99)
    file = tmp_path / "episodes.jsonl"
    words = ("--policy", "ws://127.0.0.1:9", "--levels", "vague,default", "--title", "mine", "-o", file)
    result = orrery("evaluate-policy", *words, "--server", server.url)

    assert result.exit_code == 0, result.output
    assert "50.0 %" in result.output
    run = next(one for one in server.get("/v1/runs").json()["runs"] if one["title"] == "mine")
    assert (run["state"], run["num_answered"], run["reasoner"]) == ("succeeded", 4, "ws://127.0.0.1:9")
    scores = server.get(f"/v1/runs/{run['id']}/scores").json()
    assert {one["name"]: one["measurements"][0]["value"] for one in scores["categories"]} == {"vague": 0, "default": 1}
    assert [item.category for item in read_episodes(file).benchmark.items] == ["vague", "default"] * 2
    assert "exists" in orrery("evaluate-policy", *words).stderr


def test_a_policy_that_is_lost_stops_the_run_and_the_rest_is_driven_later(server: RunningServer, orrery, lasts):
    lasts(3)
    words = ("evaluate-policy", "--policy", "ws://127.0.0.1:9", "--levels", "vague,default", "--server", server.url)
    result = orrery(*words)
    run = server.get("/v1/runs").json()["runs"][0]

    assert result.exit_code == 2
    assert "The policy did not answer." in result.stderr
    assert (run["state"], run["num_answered"]) == ("stopped", 3)
    lasts(1)
    assert orrery(*words, "--run", run["id"]).exit_code == 0
    again = server.get(f"/v1/runs/{run['id']}").json()
    assert (again["state"], again["num_answered"]) == ("succeeded", 4)


def test_robolabs_episodes_become_a_run(server: RunningServer, orrery, tmp_path: Path):
    rows = [
        {
            "task_name": "BananaInBowlTask",
            "episode": episode,
            "policy": "pi05",
            "instruction": "put the banana in the bowl",
            "instruction_type": "specific",
            "success": episode < 3,
            "duration": 9.5,
        }
        for episode in range(4)
    ]
    (tmp_path / "episode_results.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    result = orrery("evaluate-policy", tmp_path, "--server", server.url)

    assert result.exit_code == 0, result.output
    assert "75.0 %" in result.output
    run = server.get("/v1/runs").json()["runs"][0]
    assert (run["benchmark"], run["title"], run["state"]) == ("bananainbowltask", "pi05", "succeeded")


def test_what_cannot_be_used_is_told(server: RunningServer, refused, tmp_path: Path):
    assert "ws://" in refused("evaluate-policy", "--policy", "http://127.0.0.1:9")
    assert ".jsonl" in refused("evaluate-policy", "-o", "scores.csv")
    assert "default checkpoint" in refused("evaluate-policy", "--checkpoint", "elsewhere", "--server", server.url)
    assert "not found" in refused("evaluate-policy", tmp_path, "--server", server.url)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not GRAPHICS.can_draw, reason=GRAPHICS.problem or "it draws")
def test_the_pocket_drives_two_tables(orrery, tmp_path: Path):
    file = tmp_path / "episodes.jsonl"
    words = ("--checkpoint", "pocket", "--scenes", "2", "--levels", "default", "--data", tmp_path / "data", "-o", file)
    result = orrery("evaluate-policy", *words)

    assert result.exit_code == 0, result.output
    found = read_episodes(file)
    assert (found.policy, len(found.answers)) == ("pocket", 2)

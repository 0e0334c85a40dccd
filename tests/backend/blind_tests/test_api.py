"""`/v1/blind-tests` over HTTP: verdicts that outlive a kill, what is refused, and the command line."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from running import RunningServer

PROGRAM = """
import json, pathlib, shutil, sys
folder = next(word for word in sys.argv if word.startswith("--videos")).split("=")[1]
items = [{"id": f"simulated-table/default/{scene}", "question": "pick up the red cube"} for scene in (7, 8)]
print(json.dumps({"name": "simulated-table", "form": "policy", "items": items}), flush=True)
for line in sys.stdin:
    item = json.loads(line)
    film = pathlib.Path(folder) / (item["id"].replace("/", "-") + ".mp4")
    shutil.copy(sys.argv[1], film)
    result = json.dumps({"success": True, "seconds": 2.0})
    print(json.dumps({"item": item["id"], "text": result, "seconds": 2.0}), flush=True)
"""


def upload(server: RunningServer, content: bytes) -> str:
    return server.post("/v1/media", files={"file": ("episode.mp4", content)}).json()["id"]


def begun(server: RunningServer, content: bytes) -> str:
    """A test with one pair."""
    video = upload(server, content)
    test = server.post("/v1/blind-tests", json={"policies": ["base", "tuned"]}).json()["id"]
    episodes = [{"policy": name, "videos": [video]} for name in ("base", "tuned")]
    pair = {"id": "cup left", "task": "Lift the cup.", "episodes": episodes}
    assert server.post(f"/v1/blind-tests/{test}/pairs", json=pair).status_code == 201
    return test


VERDICT = {"pair": 1, "better": "second", "progress": [0.5, 1.0], "rater": "ada"}


def test_a_pair_is_judged_undone_and_scored(server: RunningServer, make_clip: Callable[..., bytes]):
    test = begun(server, make_clip(3, 32, 32, 12))
    assert server.get("/v1/blind-tests").json()["tests"][0]["id"] == test
    shown = server.get(f"/v1/blind-tests/{test}/next", params={"rater": "ada"}).json()
    assert (shown["num_left"], shown["card"]["task"]) == (1, "Lift the cup.")
    assert "tuned" not in json.dumps(shown)
    given = server.post(f"/v1/blind-tests/{test}/verdicts", json=VERDICT)
    assert given.status_code == 201, given.text
    scores = server.get(f"/v1/blind-tests/{test}/scores").json()
    assert sorted((each["wins"], each["progress"]) for each in scores["policies"]) == [(0, 0.5), (1, 1.0)]
    assert server.get("/v1/blind-tests/scores").json()["num_verdicts"] >= 1
    undone = server.delete(f"/v1/blind-tests/{test}/verdicts/{given.json()['id']}")
    assert undone.json()["rater"] == "ada"
    assert server.get(f"/v1/blind-tests/{test}").json()["num_verdicts"] == 0
    assert server.delete(f"/v1/blind-tests/{test}").status_code == 204


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"progress": [0.5, 1.5]}, "progress.1"),
        ({"progress": [0.5]}, "progress"),
        ({"better": "best"}, "better"),
        ({"rater": ""}, "rater"),
        ({"pair": 0}, "pair"),
    ],
)
def test_a_verdict_that_cannot_be_is_refused_by_its_field(
    server: RunningServer, make_clip: Callable[..., bytes], change: dict[str, Any], param: str
):
    test = begun(server, make_clip(3, 32, 32, 12))
    refused = server.post(f"/v1/blind-tests/{test}/verdicts", json={**VERDICT, **change})
    assert refused.status_code == 422, refused.text
    assert refused.json()["error"]["param"].startswith(param)


@pytest.mark.slow
def test_verdicts_survive_a_kill(tmp_path: Path, server: RunningServer, make_clip: Callable[..., bytes]):
    data = tmp_path / "data"
    shutil.copytree(server.data / "checkpoints", data / "checkpoints")
    own = RunningServer(data).start()
    test = begun(own, make_clip(3, 32, 32, 12))
    kept = own.post(f"/v1/blind-tests/{test}/verdicts", json=VERDICT).json()
    own.kill()
    own.start()
    assert own.post(f"/v1/blind-tests/{test}/verdicts", json=VERDICT).json() == kept
    assert own.get(f"/v1/blind-tests/{test}").json()["num_verdicts"] == 1
    own.stop()


def test_two_policies_are_driven_in_turns_and_their_videos_kept(
    server: RunningServer, orrery, monkeypatch: pytest.MonkeyPatch, make_clip: Callable[..., bytes], tmp_path: Path
):
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(make_clip(3, 32, 32, 12))
    monkeypatch.setattr("cli.policy_program.COMMAND", (sys.executable, "-c", PROGRAM, str(clip)))
    policies = ("--policy", "base=ws://127.0.0.1:9", "--policy", "tuned=ws://127.0.0.1:8")

    result = orrery("blind-test", *policies, "--title", "driven", "--server", server.url)

    assert result.exit_code == 0, result.output
    test = next(one for one in server.get("/v1/blind-tests").json()["tests"] if one["title"] == "driven")
    assert (test["num_pairs"], sorted(test["policies"])) == (2, ["base", "tuned"])
    again = orrery("blind-test", *policies, "--test", test["id"], "--server", server.url)
    assert again.exit_code == 0, again.output
    assert server.get(f"/v1/blind-tests/{test['id']}").json()["num_pairs"] == 2
    shown = orrery("blind-test", "--test", test["id"], "--server", server.url)
    assert "0 verdicts" in shown.output
    assert "2/2" in shown.output


def test_recorded_episodes_of_a_real_arm_are_read(
    server: RunningServer, orrery, make_clip: Callable[..., bytes], tmp_path: Path
):
    for number, name in enumerate(("a", "b")):
        (tmp_path / f"{name}.mp4").write_bytes(make_clip(3 + number, 32, 32, 12))
    episodes = [{"policy": "base", "videos": ["a.mp4"]}, {"policy": "tuned", "videos": ["b.mp4"], "success": True}]
    file = tmp_path / "cups.jsonl"
    file.write_text(json.dumps({"id": "cup left", "task": "Lift the cup.", "episodes": episodes}))

    result = orrery("blind-test", file, "--server", server.url)

    assert result.exit_code == 0, result.output
    test = next(one for one in server.get("/v1/blind-tests").json()["tests"] if one["title"] == "cups")
    (pair,) = server.get(f"/v1/blind-tests/{test['id']}/pairs").json()["pairs"]
    assert {each["policy"]: each["success"] for each in pair["episodes"]} == {"base": None, "tuned": True}
    file.write_text('{"id": "x", "task": "y"}')
    assert "Line 1 of cups.jsonl: episodes is missing" in orrery("blind-test", file, "--server", server.url).stderr
    assert "two with different names" in orrery("blind-test", "--policy", "a=ws://127.0.0.1:9").stderr

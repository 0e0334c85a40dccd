"""`orrery blind-test`: two policies take turns, recorded episodes are read, and the scores are printed."""

import json
import sys
from pathlib import Path

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


def test_two_policies_are_driven_in_turns_and_their_videos_kept(
    server: RunningServer, orrery, write_clip, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    clip = tmp_path / "clip.mp4"
    write_clip(clip, 3)
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


def test_recorded_episodes_of_a_real_arm_are_read(server: RunningServer, orrery, write_clip, tmp_path: Path):
    for number, name in enumerate(("a", "b")):
        write_clip(tmp_path / f"{name}.mp4", 3 + number)
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

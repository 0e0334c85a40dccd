"""Fans, rollouts and round trips by command line, on a real server with the tiny checkpoint."""

from __future__ import annotations

import json
from pathlib import Path

import av
import pytest
from PIL import Image

BODY = ("--embodiment", "pusht", "--num-actions", "8")


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "start.png"
    Image.new("RGB", (320, 240), "teal").save(path)
    return path


def num_frames(path: Path) -> int:
    with av.open(str(path)) as container:
        return sum(1 for _ in container.decode(video=0))


def test_a_fan_saves_each_branch_and_prints_them_from_the_best_to_the_worst(orrery, server, image, tmp_path):
    words = ("--num-seeds", "2", "--seed", "7", "--server", server.url)
    result = orrery("fan", "push", "it", "--start-image", image, "-o", tmp_path / "fan", *BODY, *words)
    assert result.exit_code == 0, result.stderr

    found = json.loads((tmp_path / "fan" / "fan.json").read_text())
    assert [branch["seed"] for branch in found["branches"]] == [7, 8]
    assert all(len(branch["actions"]) == 8 for branch in found["branches"])
    assert [num_frames(tmp_path / "fan" / f"branch-{number}.mp4") for number in (0, 1)] == [9, 9]
    printed = [line.split()[0] for line in result.stdout.splitlines()[1:3]]
    if found["ranking"]:
        assert sorted(found["ranking"]) == [0, 1]
        assert printed[0] == str(found["ranking"][0])


def test_a_fan_by_instructions_has_a_branch_for_each(orrery, server, image):
    branches = ("--instruction", "push left", "--instruction", "push right")
    result = orrery("fan", "push", "--start-image", image, *BODY, *branches, "--server", server.url)
    assert result.exit_code == 0, result.stderr
    assert "push left" in result.stdout
    assert "push right" in result.stdout


def test_a_rollout_saves_its_video_and_its_actions(orrery, server, image, tmp_path):
    words = ("--num-chunks", "2", "--horizon", "4", "--server", server.url)
    output = tmp_path / "imagined.mp4"
    result = orrery("rollout", "push", "it", "--start-image", image, "-o", output, *BODY, *words)
    assert result.exit_code == 0, result.stderr
    assert num_frames(output) == 9
    about = json.loads(output.with_suffix(".json").read_text())
    assert (about["chunks"], len(about["actions"])) == ([4, 4], 8)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--num-seeds", "1"], "Input should be greater than or equal to 2"),
        (["--instruction", "one"], "one instruction makes no fan"),
        (["--state", "not json"], "expected a JSON list of numbers"),
        (["--cameras", "real"], "cameras is 'real'"),
        (["--start-image", "gone.png"], "There is no file 'gone.png'"),
    ],
)
def test_a_fan_that_cannot_be_asked_is_one_line(refused, image, words, says):
    assert says in refused("fan", "push", "--start-image", image, "--embodiment", "pusht", *words)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "either start_image or table is expected"),
        (["--table", "3", "--state", "[0]"], "a state of its own"),
        (["--table", "3", "--output", "a.gif"], "expected an .mp4 file"),
    ],
)
def test_a_rollout_that_cannot_be_asked_is_one_line(refused, tmp_path, words, says):
    output = [] if "--output" in words else ["--output", tmp_path / "a.mp4"]
    assert says in refused("rollout", "push", *words, *output)

"""`episode_results.jsonl` of RoboLab, and our own lines, which are read the same way."""

import json
from pathlib import Path
from typing import Any

import pytest

from studio.errors import BadInput
from studio.evaluation import draw_up
from studio.evaluation.episodes import EpisodeResult
from studio.evaluation.layouts.episodes import line_of, read_episodes


def robolab(episode: int, **fields: Any) -> dict[str, Any]:
    """A row with the fields that RoboLab's evaluation writes."""
    return {
        "env_name": "BananaInBowlTask_DroidJointPos",
        "task_name": "BananaInBowlTask",
        "run_name": "pi05_run",
        "run": 0,
        "episode": episode,
        "env_id": episode,
        "policy": "pi05",
        "instruction": "put the banana in the bowl",
        "instruction_type": "default",
        "attributes": ["color"],
        "success": episode == 1,
        "episode_step": 100,
        "duration": 6.7,
        "dt": 0.0667,
        "metrics": {"path_length": 1.2},
        "events": {},
        "score": 0.5,
        "reason": None,
        **fields,
    }


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_robolabs_rows_become_items_by_level_and_answers(tmp_path: Path):
    events = {"WRONG_OBJECT_GRABBED": 2, "wrong_objects_grabbed": ["cup"]}
    rows = robolab(0, events=events), robolab(1), robolab(2, instruction_type="vague", instruction="put it away")
    written(tmp_path / "episode_results.jsonl", *rows)

    found = read_episodes(tmp_path)

    assert found.policy == "pi05"
    assert (found.benchmark.name, found.benchmark.form) == ("bananainbowltask", "policy")
    assert [item.category for item in found.benchmark.items] == ["default", "default", "vague"]
    scores = draw_up(found.benchmark, found.answers)
    values = {one.metric: one.value for one in scores.overall.measurements}
    assert values["task_success"] == pytest.approx(1 / 3)
    assert values["wrong_object"] == pytest.approx(1 / 3)
    assert values["task_score"] == 0.5
    assert values["reached"] is None


def test_several_tasks_are_one_benchmark_of_the_folders_name(tmp_path: Path):
    folder = tmp_path / "RoboLab 120"
    folder.mkdir()
    found = read_episodes(written(folder / "all.jsonl", robolab(0), robolab(0, task_name="PickDrillTask")))

    assert found.benchmark.name == "robolab-120"
    assert found.benchmark.title == "2 tasks of RoboLab 120"


def test_our_lines_are_read_back(tmp_path: Path):
    first = read_episodes(written(tmp_path / "first.jsonl", robolab(0), robolab(1, score=None)))
    pairs = zip(first.benchmark.items, first.answers, strict=True)
    lines = [line_of(item, EpisodeResult.model_validate_json(answer.text), "pi05") for item, answer in pairs]
    (tmp_path / "second.jsonl").write_text("\n".join(lines))

    assert read_episodes(tmp_path / "second.jsonl") == first


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"success": None}, "success"),
        ({"instruction": ""}, "instruction"),
        ({"episode": None}, "episode"),
        ({"duration": -1}, "duration"),
        ({"task_name": None, "env_name": None}, "env_name"),
        ({"policy": "other"}, "one policy"),
        ({"episode": 0}, "row 1"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, fields: dict[str, Any], names: str):
    path = written(tmp_path / "bad.jsonl", robolab(0), {**robolab(1), **fields})

    with pytest.raises(BadInput) as refused:
        read_episodes(path)

    assert names in f"{refused.value.message} {refused.value.param}"


def test_a_file_without_episodes_is_refused(tmp_path: Path):
    with pytest.raises(BadInput, match="not found"):
        read_episodes(tmp_path)
    with pytest.raises(BadInput, match="no episodes"):
        read_episodes(written(tmp_path / "empty.jsonl"))

"""`orrery evaluate` on folders in the very layouts of the recipes, with a scripted endpoint and with the pocket."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recipe_folders import (
    BY_VISION,
    EVENTS_SYSTEM,
    LABEL,
    NUM_BLENDED,
    driving_blend,
    driving_labels,
    multiple_choice,
    temporal_localisation,
)
from running import RunningServer, running
from scripted_endpoint import ScriptedEndpoint
from studio.checkpoints import find_checkpoint
from studio.evaluation.judge import known_pairs
from studio.presets import load_presets

Evaluated = Callable[..., dict[str, Any]]


@pytest.fixture
def evaluated(server: RunningServer, endpoint: ScriptedEndpoint, orrery: Any, tmp_path: Path) -> Iterator[Evaluated]:
    """The scores of a folder that the endpoint has answered, as `-o` writes them."""
    file = server.data / "reasoners.toml"
    file.write_text(f'[sage]\nurl = "{endpoint.address}"\n')

    def run(path: Path, *words: object) -> dict[str, Any]:
        scores = tmp_path / "scores.json"
        result = orrery("evaluate", path, "-r", "sage", *words, "-o", scores, "--server", server.url)
        assert result.exit_code == 0, result.output
        return json.loads(scores.read_text())

    yield run
    file.unlink()


def value(group: dict[str, Any], metric: str) -> Any:
    return next(one["value"] for one in group["measurements"] if one["metric"] == metric)


def words_of(body: dict[str, Any]) -> str:
    """What the user says beside the video."""
    return next(part["text"] for part in body["messages"][-1]["content"] if part["type"] == "text")


def test_temporal_localisation_is_asked_in_trials_and_what_cannot_be_read_is_counted(
    evaluated: Evaluated, endpoint: ScriptedEndpoint, tmp_path: Path
):
    def says(body: dict[str, Any]) -> str:
        if body["seed"] == 2:
            return "The pod is grasped early on."
        if "nut" in words_of(body):
            return (
                "<think>0.00 to 10.60</think>\n<answer>\nEvent 1: 2.7 - 5.5 Grasping | it closes.\n"
                "Event 2: <5.5> <8.1> inserting\nEvent 3: <8.1> <10.6> grasping\n</answer>"
            )
        return "<answer>\nEvent 1: <2.2> <5.04> grasping the pod\n</answer>"

    endpoint.answers = [says]
    scores = evaluated(temporal_localisation(tmp_path), "--trials", "3")

    counts = scores["overall"]["counts"]
    assert (scores["form"], counts["answered"], counts["unparsed"]) == ("events", 6, 2)
    # 0.56 of 5.6 s in one task, nothing in the other; a third of the trials is unread.
    assert value(scores["overall"], "mae_s") == pytest.approx(0.28)
    assert value(scores["overall"], "mre_percent") == pytest.approx(5.0)
    assert value(scores["overall"], "parseable") == pytest.approx(2 / 3)
    body = endpoint.bodies[0]
    assert body["messages"][0] == {"role": "system", "content": EVENTS_SYSTEM}
    assert [part["type"] for part in body["messages"][-1]["content"]] == ["video_url", "text"]
    assert body["temperature"] == 0.6
    assert body["mm_processor_kwargs"]["fps"] == 8


def test_labels_are_scored_by_field_beside_the_commonest_value_and_by_a_judge(
    evaluated: Evaluated, endpoint: ScriptedEndpoint, tmp_path: Path
):
    def says(body: dict[str, Any]) -> str:
        content = body["messages"][-1]["content"]
        if isinstance(content, str):  # the judge reads two texts and sees no video
            return grade(content)
        return json.dumps({**LABEL, "road_conditions": "Dry, clean asphalt.", "rule_violation": "True"})

    endpoint.answers = [says]
    scores = evaluated(driving_labels(tmp_path), "--judge", "sage")

    fields = {field["name"]: field for field in scores["fields"]}
    assert {"weather", "road_conditions", "rule_violation", "driving_difficulty"} <= set(fields)
    assert not {"critical_object", "noninteractive_expanded_metaaction"} & set(fields)
    weather = fields["weather"]["measurements"][0]
    assert (weather["metric"], weather["value"], weather["baseline"]) == ("accuracy", 0.5, 0.5)
    violation = fields["rule_violation"]["measurements"][0]
    assert (violation["value"], violation["baseline"]) == (0, 1)
    assert value(fields["road_conditions"], "judge_score") == 5
    assert scores["judge"] == "sage"


def grade(words: str) -> str:
    """1 of a known pair that does not say the same, else 5."""
    pair = next((pair for pair in known_pairs() if pair.reference in words and pair.answer in words), None)
    score = 1 if pair is not None and not pair.same else 5
    return json.dumps({"reason": "They were compared.", "score": score})


def test_a_blend_is_drawn_by_its_weights_and_scored_by_words(
    evaluated: Evaluated, endpoint: ScriptedEndpoint, tmp_path: Path
):
    endpoint.answers = [json.dumps(BY_VISION)]
    scores = evaluated(driving_blend(tmp_path))

    # Of 4, 5 and 3 at 0.3 : 0.5 : 0.2 the second runs out first, at ten in all.
    assert {group["name"]: group["counts"]["answered"] for group in scores["categories"]} == {
        "cv_annotated": 3,
        "human_annotated": NUM_BLENDED["human_annotated"],
        "reason1_sft": 2,
    }
    exact = {group["name"]: value(group, "exact_match") for group in scores["categories"]}
    assert exact == {"cv_annotated": 1, "human_annotated": 0, "reason1_sft": 0}
    bleu = {group["name"]: value(group, "bleu") for group in scores["categories"]}
    assert bleu["cv_annotated"] == pytest.approx(1)
    assert max(bleu["human_annotated"], bleu["reason1_sft"]) < 0.2
    assert endpoint.bodies[0]["media_io_kwargs"] == {"video": {"num_frames": 16}}


def test_multiple_choice_is_scored_by_category_and_video(
    evaluated: Evaluated, endpoint: ScriptedEndpoint, tmp_path: Path
):
    endpoint.answers = ["<think>It brakes.</think><answer>A</answer>"]
    scores = evaluated(multiple_choice(tmp_path))

    assert {group["name"]: value(group, "accuracy") for group in scores["categories"]} == {
        "Actions & Motion": 1,
        "Key Objects": 0,
    }
    assert value(scores["overall"], "video_accuracy") == 0.5


POCKET = find_checkpoint("pocket", load_presets(), Path("nowhere"))


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(not POCKET.installed, reason="the pocket does not ship yet")
def test_the_pocket_answers_every_layout(orrery, tmp_path: Path):
    with running(tmp_path / "server", ORRERY_CHECKPOINT="pocket") as server:
        server.wait_ready()
        for written in (temporal_localisation, driving_labels, driving_blend, multiple_choice):
            scores = tmp_path / "scores.json"
            words = ("--items", "1", "--trials", "1", "-o", scores, "--server", server.url)
            result = orrery("evaluate", written(tmp_path / written.__name__), *words)
            counts = json.loads(scores.read_text())["overall"]["counts"]
            # What it says is another matter: it was taught short answers about a table.
            assert counts["asked"] == 1, result.output
            assert result.exit_code == counts["failed"], result.output

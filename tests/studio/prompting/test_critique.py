"""What critics say, read: fenced, broken, out of range; and the schema that bounds it."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from critiques import critique
from studio.captions import UnusableAnswer
from studio.prompting.critique import MAX_ISSUES, critique_schema, read_critique


def test_an_answer_becomes_scores_and_issues_with_boxes():
    read = read_critique(json.dumps(critique(7.5, "severe", "minor")))

    assert (read.overall_score, read.text_rendering_score, read.photorealism_score) == (7.5, None, 6.0)
    assert [issue.severity for issue in read.issues] == ["severe", "minor"]
    assert [issue.box_2d for issue in read.issues] == [(100, 200, 600, 700), None]
    assert read.prompt_elements == {"red cube": "present", "table": "partial"}
    assert read.category_findings[0].area == "physics"


@pytest.mark.parametrize(
    "text",
    [
        "```json\n%s\n```",
        "Here it is: %s I hope that helps.",
        "<think>It has flaws</think>%s",
    ],
)
def test_fences_prose_and_thinking_around_it_are_let_be(text: str):
    assert read_critique(text % json.dumps(critique(8.0))).overall_score == 8.0


def test_half_an_answer_is_mended_where_its_scores_are_whole():
    whole = json.dumps(critique(6.0, "minor"))

    assert read_critique(whole[: whole.index('"prompt_elements"')]).overall_score == 6.0


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"overall_score": 11}, "overall_score"),
        ({"overall_score": -1}, "overall_score"),
        ({"overall_score": None}, "overall_score"),
        ({"aesthetics_score": "good"}, "aesthetics_score"),
        ({"visual_quality_score": True}, "visual_quality_score"),
        ({"issues": "none"}, "issues"),
        ({"issues": ["bad"]}, "Issue 1"),
        ({"issues": [{"severity": "awful", "description": "x", "category": "y"}]}, "severity"),
    ],
)
def test_what_cannot_be_meant_is_named(change: dict[str, Any], named: str):
    with pytest.raises(UnusableAnswer, match=named):
        read_critique(json.dumps(critique(5.0, **change)))


@pytest.mark.parametrize("box", [[1, 2, 3], [5, 5, 5, 9], [0, 0, 1001, 9], "left", [0, 0, True, 9], [9, 9, 1, 1]])
def test_a_box_that_cannot_be_drawn_is_left_out_and_its_issue_stays(box: Any):
    issue = {"category": "x", "description": "y", "severity": "minor", "box_2d": box}

    read = read_critique(json.dumps(critique(5.0, issues=[issue])))

    assert read.issues[0].box_2d is None
    assert read.issues[0].description == "y"


def test_too_much_is_cut_and_scores_in_words_are_read():
    many = critique(5.0, *["minor"] * 100, overall_score="8/10", rationale="x" * 9000, prompt_elements=None)

    read = read_critique(json.dumps(many))

    assert len(read.issues) == MAX_ISSUES
    assert read.overall_score == 8.0
    assert len(read.rationale) == 1200


def test_the_schema_takes_what_is_asked_for_and_bounds_it():
    validator = Draft202012Validator(critique_schema())

    assert validator.is_valid(critique(7.5, "severe"))
    assert not validator.is_valid(critique(11.0))
    assert not validator.is_valid(critique(5.0, *["minor"] * (MAX_ISSUES + 1)))


@pytest.mark.parametrize(
    ("score", "severities", "clears"), [(9.0, ["moderate"], True), (8.9, [], False), (9.5, ["severe"], False)]
)
def test_it_clears_by_its_score_and_without_a_severe_issue(score: float, severities: list[str], clears: bool):
    assert read_critique(json.dumps(critique(score, *severities))).clears(9.0) is clears

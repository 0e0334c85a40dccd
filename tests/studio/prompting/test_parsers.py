from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studio.captions import UnusableAnswer
from studio.prompting.parsers import PARSERS
from studio.prompting.results import Box, Frame, Interval, Label, ParserName, Prose, Verdict

FRAME = Frame(width=1920, height=1080, duration_s=20)


def parse(name: ParserName, text: str, frame: Frame = FRAME) -> tuple[Any, ...]:
    return PARSERS[name](text, frame).results


def test_boxes_are_given_on_the_grid_and_in_pixels():
    answer = '```json\n[{"bbox_2d": [214, 141, 497, 722], "label": "load"}]\n```'

    (box,) = parse("boxes", answer)

    assert (box.label, box.box_2d) == ("load", (214, 141, 497, 722))
    assert box.pixels == pytest.approx((410.88, 152.28, 954.24, 779.76))
    assert parse("boxes", answer, Frame())[0].pixels is None


@pytest.mark.parametrize(
    "answer",
    [
        '{"bbox_2d": [10, 20, 30, 40]}',
        "[10, 20, 30, 40]",
        "[[10, 20, 30, 40]]",
        '{"objects": [{"box_2d": "10, 20, 30, 40"}]}',
        '[{"bbox": [30, 40, 10, 20]}]',
        'It is at [{"bounding_box": [10.0, 20, 30, 40]}, {"bbox_2d": [1]}].',
        '[{"bbox_2d": [10, 20, 30, 40]}, {"bbox_2d": [9, 9',
    ],
)
def test_boxes_are_read_in_every_dialect(answer: str):
    assert [box.box_2d for box in parse("boxes", answer)] == [(10, 20, 30, 40)]


def test_an_entry_that_is_no_box_is_skipped_with_a_reason():
    parsed = PARSERS["boxes"]('[{"bbox_2d": [0, 0, 1920, 1080]}, {"label": "x"}, {"bbox_2d": [-4, 0, 9, 1004]}]', FRAME)

    assert [box.box_2d for box in parsed.results if isinstance(box, Box)] == [(0, 0, 9, 1000)]
    assert "from 0 to 1000" in parsed.skipped[0]
    assert "expected 4 numbers" in parsed.skipped[1]


def test_finding_nothing_is_an_answer():
    parsed = PARSERS["boxes"]("There is none: []", FRAME)

    assert (parsed.results, parsed.skipped) == ((), ())


def test_an_endless_list_is_cut():
    parsed = PARSERS["points"]("[" + ", ".join(["[1, 2]"] * 400) + "]", FRAME)

    assert len(parsed.results) == 256
    assert parsed.skipped == ("everything after 256 entries",)


def test_a_trajectory_keeps_its_order():
    answer = '{"point_2d": [195, 630], "label": "gripper trajectory"}\n{"point_2d": [485, 600], "label": "g"}'
    points = parse("points", answer)

    assert [point.point_2d for point in points] == [(195, 630), (485, 600)]
    assert points[0].label == "gripper trajectory"
    assert points[0].pixels == pytest.approx((374.4, 680.4))


@pytest.mark.parametrize("answer", ["Near (500, 250).", '{"x": 500, "y": 250}', "[500, 250]", '[{"point": "500,250"}]'])
def test_points_are_read_in_every_dialect(answer: str):
    assert [point.point_2d for point in parse("points", answer)] == [(500, 250)]


@pytest.mark.parametrize(
    ("entry", "interval"),
    [
        ('{"start": 0.1, "end": 2.7, "caption": "It waits."}', (0.1, 2.7)),
        ('{"start": "00:05.70", "end": "00:08.20"}', (5.7, 8.2)),
        ('{"start_time": "1s", "end_time": "0:00:02.5"}', (1, 2.5)),
        ('{"start": "00:18", "end": "01:40"}', (18, 20)),
    ],
)
def test_intervals_are_given_in_seconds_inside_the_clip(entry: str, interval: tuple[float, float]):
    (found,) = parse("intervals", f"[{entry}]")

    assert isinstance(found, Interval)
    assert (found.start_s, found.end_s) == pytest.approx(interval)


@pytest.mark.parametrize(
    "entry",
    [
        '{"start": 5, "end": 4}',
        '{"start": 21, "end": 22}',
        '{"start": "soon", "end": 4}',
        '{"start": true, "end": 4}',
        '{"start": 1e999, "end": 4}',
        '{"start": -1, "end": 4}',
        '{"end": 4}',
    ],
)
def test_an_interval_that_cannot_be_is_refused(entry: str):
    with pytest.raises(UnusableAnswer, match="no usable result"):
        parse("intervals", f"[{entry}]")


def test_labels_say_what_each_subject_is():
    answer = '[{"subject_id": 2, "category": "ski", "caption": "White, with a bird."}, {"subject_id": "3"}]'

    assert parse("labels", answer) == (Label(subject_id="2", category="ski", caption="White, with a bird."),)


@pytest.mark.parametrize(
    "answer",
    [
        "1. Reach for the cup.\n2. Lift it.",
        "Plan:\n\n- Reach for\n  the cup.\n- Lift it.",
        "Step 1: Reach for the cup.\nStep 2: Lift it.",
        '["Reach for the cup.", "Lift it."]',
        '{"plan": [{"step": 1, "description": "Reach for the cup."}, {"step": 2, "action": "Lift it."}]}',
        "Reach for the cup.\n\nLift it.",
    ],
)
def test_steps_are_read_from_lists_and_lines(answer: str):
    assert [(step.number, step.text) for step in parse("steps", answer)] == [(1, "Reach for the cup."), (2, "Lift it.")]


@pytest.mark.parametrize(
    ("answer", "plausible", "score"),
    [
        ('{"reason": "It falls.", "plausible": true, "score": 5}', True, 5),
        ('{"plausible": "No", "score": "2"}', False, 2),
        ('{"score": 9, "plausible": false}', False, None),
        ("A", True, None),
        ("(B) Impossible", False, None),
        ("B. It vanishes.", False, None),
        ("A cube jumps: impossible.", False, None),
        ("It is not physically plausible.", False, None),
        ("Yes, it is plausible. Score: 4", True, 4),
        ("3/5", None, 3),
    ],
)
def test_a_verdict_is_read_from_an_object_or_from_words(answer: str, plausible: bool | None, score: int | None):
    (verdict,) = parse("verdict", answer)

    assert isinstance(verdict, Verdict)
    assert (verdict.plausible, verdict.score) == (plausible, score)


def test_prose_is_the_answer_itself():
    assert parse("prose", " A cup. ") == (Prose(text="A cup."),)


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize("answer", ["", "  \n"])
def test_an_empty_answer_is_refused_by_every_parser(name: ParserName, answer: str):
    with pytest.raises(UnusableAnswer):
        parse(name, answer)


NUMBERS = ["1", "-7.5", "1e999", "9" * 5000, "00:01", "score 3"]
NAMES = ['{"bbox_2d":', '"start":', '"end":', '"point_2d": [1, 2]', '"x"', "null", "true"]
MARKS = [*"[]{},:", "\n", "1. ", "- ", "A)", "```json", "\ud800"]
PIECES = st.lists(st.sampled_from([*NUMBERS, *NAMES, *MARKS]), max_size=24).map(" ".join)


@pytest.mark.parametrize("name", PARSERS)
@given(answer=st.text(max_size=80) | PIECES)
@example(answer="[[[1, [2]]]]")
@example(answer='{"a": [{"b": [{"c": []}]}]}')
@example(answer="[" * 100_000)
@example(answer='[{"subject_id": "\\ud800", "category": "\\udfff"}]')
def test_a_parser_raises_nothing_but_that_an_answer_cannot_be_used(name: ParserName, answer: str):
    with contextlib.suppress(UnusableAnswer):
        parsed = PARSERS[name](answer, FRAME)
        assert parsed.model_validate_json(parsed.model_dump_json()) == parsed

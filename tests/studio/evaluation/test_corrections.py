"""Corrections as another truth of an item, and their boundaries in the layouts of other programs."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from studio.errors import BadInput
from studio.evaluation import Answer, Benchmark, draw_up
from studio.evaluation.boundaries import VideoLength, boundaries_of
from studio.evaluation.boundary_layouts import is_whole, lerobot, messages, mimicgen
from studio.evaluation.corrections import Correction, CorrectItem, checked, newest, with_corrections
from studio.evaluation.layouts import read
from studio.prompting.results import Interval

EVENTS = ("grasping the red cube", "releasing the red cube")
LENGTH = VideoLength(fps=20, num_frames=60, duration_s=3.0)
NOW = datetime(2026, 11, 26, tzinfo=UTC)


def stacking(**fields: Any) -> Benchmark:
    item = {"id": "stack_d1_demo7", "media": ["u1"], "events": EVENTS, "reference": [1.0, 2.5], "category": "cube"}
    return Benchmark.model_validate({"name": "stack", "form": "events", "items": [item], **fields})


def correction(benchmark: Benchmark, reference: Any, by: str = "ada") -> Correction:
    asked = CorrectItem(item=benchmark.items[0].id, reference=reference, by=by)
    return Correction(**checked(benchmark, asked).model_dump(), created_at=NOW)


def test_times_are_kept_as_they_are_written_into_the_video():
    kept = correction(stacking(), [[0.3333, 1.0666], [1.1, 2.45]])
    assert kept.reference == [[0.33, 1.07], [1.1, 2.45]]


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ([[0.5, 1.0]], "1 times for 2 events"),
        ([[0.5, 1.0], [1.2, 0.9]], "the start first"),
        ([[0.5, 1.0], 2.5], r"expected \[start, end\]"),
        ([[0.5, 2.0], [1.0, 2.0]], "must rise"),
        ([["a", 2.0], [1.0, 2.5]], r"expected \[start, end\]"),
    ],
)
def test_what_could_not_be_the_reference_is_refused(reference: Any, why: str):
    with pytest.raises(BadInput, match=why):
        correction(stacking(), reference)


def test_an_item_or_a_form_without_corrections_is_named():
    with pytest.raises(BadInput, match="no item 'gone'"):
        checked(stacking(), CorrectItem(item="gone", reference=[], by="ada"))
    letters = {"id": "a", "question": "Which?", "choices": {"A": "one", "B": "two"}, "reference": "A"}
    choice = Benchmark.model_validate({"name": "c", "form": "choice", "items": [letters]})
    with pytest.raises(BadInput, match="form choice"):
        checked(choice, CorrectItem(item="a", reference="B", by="ada"))


def test_the_last_correction_of_an_item_counts_whoever_made_it():
    first = correction(stacking(), [[0, 1], [1, 2]])
    second = correction(stacking(), [[0, 1.2], [1.2, 2]], by="bob")
    second = second.model_copy(update={"created_at": NOW + timedelta(seconds=1)})
    counted = newest([second, first])
    assert counted == {"stack_d1_demo7": second}
    assert with_corrections(stacking(), counted)[0].reference == [[0, 1.2], [1.2, 2]]


def test_boundaries_come_from_the_reference_every_readable_answer_and_the_correction():
    benchmark = stacking(settings={"trials": 2})
    texts = ("<answer>Event 1: <0.50> <1.10> a\nEvent 2: <1.10> <2.40> b</answer>", "I do not know.")
    answers = [Answer(item="stack_d1_demo7", trial=trial, text=text) for trial, text in enumerate(texts)]
    marks = draw_up(benchmark, answers).marks
    found = boundaries_of(
        benchmark, benchmark.items[0], marks, correction(benchmark, [[0.4, 1.05], [1.2, 2.5]]), LENGTH
    )
    assert [(span.start_s, span.end_s) for span in found.reference] == [(0, 1), (1, 2.5)]
    assert [one.trial for one in found.answered] == [0]
    assert [(span.label, span.end_s) for span in found.answered[0].spans] == [(EVENTS[0], 1.1), (EVENTS[1], 2.4)]
    assert found.corrected is not None
    assert [span.start_s for span in found.corrected] == [0.4, 1.2]
    assert (found.video, found.spans("answered"), found.spans("corrected")) == (
        "u1",
        found.answered[0].spans,
        found.corrected,
    )


def test_intervals_are_corrected_and_drawn_too():
    item = {"id": "door", "question": "When is it open?", "reference": [{"start": 1, "end": 2}]}
    benchmark = Benchmark.model_validate({"name": "door", "form": "intervals", "items": [item]})
    kept = correction(benchmark, [{"start": 1.126, "end": 2, "label": "open"}, {"start": "0:03", "end": 4}])
    assert kept.reference == [{"start": 1.13, "end": 2.0, "label": "open"}, {"start": 3.0, "end": 4.0}]
    marks = draw_up(benchmark, [Answer(item="door", text='[{"start": 1.5, "end": 2.5}]')]).marks
    found = boundaries_of(benchmark, benchmark.items[0], marks, kept, None)
    assert [span.start_s for span in found.answered[0].spans] == [1.5]
    assert found.corrected is not None
    assert [span.label for span in found.corrected] == ["open", ""]


def test_mimicgens_signals_rise_after_the_frame_in_which_a_subtask_ends():
    benchmark = stacking()
    kept = correction(benchmark, [[0.4, 1.0], [1.0, 2.5]])
    spans = boundaries_of(benchmark, benchmark.items[0], (), kept, LENGTH).corrected
    assert spans is not None
    demo = mimicgen("stack_d1_demo7", 0, spans, LENGTH, ends_with_demo=False)
    assert (demo["demo"], demo["num_samples"]) == ("demo_7", 60)
    signals = demo["datagen_info"]["subtask_term_signals"]
    assert list(signals) == ["grasping_the_red_cube", "releasing_the_red_cube"]
    assert demo["subtask_term_signals"] == [*signals, None]
    assert signals["grasping_the_red_cube"] == [0] * 21 + [1] * 39
    # As parse_source_dataset reads them: the first 1 belongs to the subtask, and the last one ends with the demo.
    assert demo["subtask_indices"] == [[0, 22], [22, 52], [52, 60]]


@pytest.mark.parametrize("end_s", [3, 2.5])
def test_a_last_event_that_ends_with_the_demonstration_has_no_signal(end_s: float):
    benchmark = stacking()
    kept = correction(benchmark, [[0, 1], [1, end_s]])
    spans = boundaries_of(benchmark, benchmark.items[0], (), kept, LENGTH).corrected
    assert spans is not None
    assert is_whole(spans, LENGTH) == (end_s == 3)
    demo = mimicgen("one", 4, spans, LENGTH, ends_with_demo=True)
    assert demo["demo"] == "demo_4"
    assert demo["subtask_term_signals"] == ["grasping_the_red_cube", None]
    assert list(demo["datagen_info"]["subtask_term_signals"]) == ["grasping_the_red_cube"]
    assert demo["subtask_indices"] == [[0, 22], [22, 60]]


def test_subtasks_that_end_together_are_refused():
    spans = [Interval(start_s=0, end_s=1, label="grasp"), Interval(start_s=0.5, end_s=1.01, label="lift")]
    with pytest.raises(BadInput, match="Subtask 2 of one ends where the one before it ends"):
        mimicgen("one", 0, spans, LENGTH, ends_with_demo=False)


def test_lerobots_columns_have_times_and_frames():
    benchmark = stacking()
    spans = boundaries_of(benchmark, benchmark.items[0], (), correction(benchmark, [[0.4, 1.03], [1.1, 2.5]]), LENGTH)
    assert spans.corrected is not None
    row = lerobot("episode_000012", 0, spans.corrected, LENGTH)
    assert row["episode_index"] == 12
    assert row["sparse_subtask_names"] == list(EVENTS)
    assert row["sparse_subtask_end_times"] == [1.03, 2.5]
    assert (row["sparse_subtask_start_frames"], row["sparse_subtask_end_frames"]) == ([8, 22], [20, 50])


def test_messages_are_read_back_as_what_was_corrected(tmp_path: Path):
    benchmark = stacking()
    kept = newest([correction(benchmark, [[0.41, 1.07], [1.1, 2.45]])])
    item = benchmark.items[0]
    spans = boundaries_of(benchmark, item, (), kept[item.id], LENGTH).corrected
    assert spans is not None
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos" / "u1.mp4").write_bytes(b"")
    (tmp_path / "train.jsonl").write_text(json.dumps(messages(benchmark, item, spans, "videos/u1.mp4")) + "\n")
    again = read(tmp_path)
    assert again.form == "events"
    (wanted,) = with_corrections(benchmark, kept)
    (found,) = again.items
    assert (found.id, found.category, found.events) == (wanted.id, wanted.category, wanted.events)
    assert found.reference == wanted.reference
    assert found.media == ("videos/u1.mp4",)
    with pytest.raises(BadInput, match="expected events"):
        messages(benchmark.model_copy(update={"form": "intervals"}), item, spans, "u1.mp4")

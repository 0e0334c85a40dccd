"""Benchmarks: what holds together, and the hash of what is asked."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from studio.errors import BadInput
from studio.evaluation import Benchmark, Item, Settings, content_hash, load_schema
from studio.evaluation.forms import check

Make = Callable[..., Benchmark]

ITEM: dict[str, Any] = {"media": ["a.mp4"], "question": "?", "choices": {"A": "yes", "B": "no"}, "reference": "A"}


def test_frames_are_counted_one_way():
    with pytest.raises(ValidationError, match="use one of them"):
        Settings(num_frames=16, fps=2)
    with pytest.raises(ValidationError, match="above max_pixels"):
        Settings(min_pixels=3136, max_pixels=28)


def test_an_item_belongs_to_its_first_medium_unless_it_says_so():
    assert Item(id="1", media=("a.mp4", "b.mp4")).video == "a.mp4"
    assert Item(id="1", media=("a.mp4",), video="drive 7").video == "drive 7"
    assert Item(id="1").video == ""


def test_two_items_of_one_id_are_refused(benchmark_of: Make):
    with pytest.raises(ValidationError, match="'x' is there twice"):
        benchmark_of("choice", {**ITEM, "id": "x"}, {**ITEM, "id": "x"})


def test_the_schema_belongs_to_fields(benchmark_of: Make):
    with pytest.raises(ValidationError, match="annotation belongs to the form fields"):
        benchmark_of("fields", {"reference": {}})
    with pytest.raises(ValidationError, match="annotation belongs to the form fields"):
        benchmark_of("choice", ITEM, annotation=load_schema("av").model_dump())


def test_the_hash_is_of_what_is_asked_and_not_of_settings(benchmark_of: Make):
    one = benchmark_of("choice", ITEM)

    assert content_hash(one) == content_hash(benchmark_of("choice", ITEM, settings={"trials": 3}, title="Other"))
    assert content_hash(one) != content_hash(benchmark_of("choice", {**ITEM, "question": "Why?"}))
    assert content_hash(one) != content_hash(benchmark_of("choice", ITEM, system="Be brief."))
    assert len(content_hash(one)) == 64


def test_a_moved_medium_of_known_content_has_the_same_hash(benchmark_of: Make):
    local = benchmark_of("choice", ITEM)
    uploaded = benchmark_of("choice", {**ITEM, "media": ["u0123"]})

    assert content_hash(local, {"a.mp4": "f00d"}) == content_hash(uploaded, {"u0123": "f00d"})
    assert content_hash(local) != content_hash(uploaded)


def test_an_event_is_hit_within_half_of_4_1_sampled_frames(benchmark_of: Make):
    item = {"events": ["a"], "reference": [1]}

    assert benchmark_of("events", item).tolerance_s == pytest.approx(0.25625)
    assert benchmark_of("events", item, settings={"fps": 4}).tolerance_s == pytest.approx(0.5125)
    assert benchmark_of("events", item, events={"tolerance_s": 1}).tolerance_s == 1


def test_a_wrong_item_is_named_with_its_place(benchmark_of: Make):
    benchmark = benchmark_of("choice", ITEM, {**ITEM, "reference": "C"})

    with pytest.raises(BadInput, match="Item 1: reference is 'C'") as refused:
        check(benchmark)
    assert refused.value.param == "items.1.reference"


def test_a_metric_of_another_form_is_refused(benchmark_of: Make):
    with pytest.raises(BadInput, match="bleu is not a metric of the form choice"):
        check(benchmark_of("choice", ITEM, metrics=["bleu"]))

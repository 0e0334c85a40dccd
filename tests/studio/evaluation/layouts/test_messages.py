"""The layout of the recipe for temporal localisation, exactly as it publishes a row."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.errors import BadInput
from studio.evaluation import layouts
from studio.evaluation.forms import FORMS

Write = Callable[..., Path]


def row(
    video: str = "videos_ts/coffee_d0_demo2_agentview.mp4",
    user: str = "Event 1: grasping the pod",
    answer: str = "<answer>\nEvent 1: <2.9> <5.5> grasping the pod\n\n</answer>",
    system: str = "You are a behaviour analyst.",
    **more: Any,
) -> dict[str, Any]:
    content = [{"type": "video", "video": video}, {"type": "text", "text": user}]
    turns = [
        {"role": "system", "content": system},
        {"role": "user", "content": content},
        {"role": "assistant", "content": answer},
    ]
    return {"messages": turns, **more}


def test_events_are_read_with_both_times(tmp_path: Path, write: Write):
    write("videos_ts/coffee_d0_demo2_agentview.mp4")

    benchmark = layouts.read(write("train.jsonl", [row()]))

    assert benchmark.form == "events"
    assert benchmark.system == "You are a behaviour analyst."
    assert (benchmark.settings.fps, benchmark.settings.trials, benchmark.settings.temperature) == (8, 10, 0.6)
    (item,) = benchmark.items
    assert item.id == "coffee_d0_demo2_agentview"
    assert item.events == ("grasping the pod",)
    assert item.reference == [[2.9, 5.5]]
    reading = FORMS["events"].read(item, benchmark, "Event 1: <3.0> <5.25> grasping the pod")
    assert FORMS["events"].measure(item, benchmark, reading).values["mae_s"] == pytest.approx(0.25)


def test_paths_that_begin_with_the_folders_name_are_understood(tmp_path: Path, write: Write):
    write("mimicgen_dataset/videos_ts/a.mp4")
    named = row("mimicgen_dataset/videos_ts/a.mp4")
    absolute = row(str(tmp_path / "mimicgen_dataset" / "videos_ts" / "a.mp4"))

    benchmark = layouts.read(write("mimicgen_dataset/set.jsonl", [named, absolute]))

    assert [item.media for item in benchmark.items] == [("videos_ts/a.mp4",)] * 2
    assert [item.id for item in benchmark.items] == ["a-1", "a-2"]


def test_the_list_may_be_called_conversations_and_stand_in_json(write: Write):
    write("videos_ts/coffee_d0_demo2_agentview.mp4")
    turned = {"conversations": row()["messages"], "id": "demo 2", "task": "coffee"}

    benchmark = layouts.read(write("set.json", [turned]))

    assert (benchmark.items[0].id, benchmark.items[0].category) == ("demo 2", "coffee")


def test_other_answers_are_annotations_or_text(write: Write):
    write("videos_ts/coffee_d0_demo2_agentview.mp4")

    said = layouts.read(write("text.jsonl", [row(user="What happens?", answer="A pod is grasped.")]))
    labelled = layouts.read(write("av.jsonl", [row(user="Annotate.", answer='```json\n{"weather": "Overcast"}\n```')]))

    assert (said.form, said.items[0].question, said.items[0].reference) == (
        "text",
        "What happens?",
        "A pod is grasped.",
    )
    assert (labelled.form, labelled.items[0].reference) == ("fields", {"weather": "Overcast"})


def test_an_annotation_that_is_none_is_named(write: Write):
    write("videos_ts/coffee_d0_demo2_agentview.mp4")
    rows = [row(user="Annotate.", answer='{"weather": "Overcast"}'), row(user="Annotate.", answer="Overcast.")]

    with pytest.raises(BadInput, match=r"set\.jsonl, row 2: the assistant says 'Overcast.'; expected a JSON object"):
        layouts.read(write("set.jsonl", rows))


@pytest.mark.parametrize(
    ("wrong", "why", "param"),
    [
        ({"messages": None}, "messages is None; expected a list", "messages"),
        ({"other": 1}, "messages is missing", "messages"),
        ({"messages": [{"role": "user"}]}, "messages.0 is .*expected a role and its content", "messages.0"),
        ({"messages": row()["messages"][:2]}, "messages has the roles system, user; expected", "messages"),
        ({"messages": [*row()["messages"], *row()["messages"][1:]]}, "it has 2 questions", "messages"),
        (row("videos_ts/b.mp4"), "media is 'videos_ts/b.mp4', and .* was not found", "media"),
        (row(user="Event 1: a\nEvent 2: b"), "names 2 events and the assistant gives 1", "messages.2.content"),
        (row(answer="The pod."), "names 1 events and the assistant gives 0 times", "messages.2.content"),
        (row(answer=" "), "messages.2.content is ' '; expected a text", "messages.2.content"),
        (row(system="Another."), "its system prompt differs from that of row 1", "system"),
        (row(answer="<answer>Event 1: <0> <0> x</answer>"), "must rise", "reference"),
    ],
)
def test_a_wrong_row_is_named_with_its_field(write: Write, wrong: dict[str, Any], why: str, param: str):
    write("videos_ts/coffee_d0_demo2_agentview.mp4")

    with pytest.raises(BadInput, match=rf"set\.jsonl, row 2: .*{why}") as refused:
        layouts.read(write("set.jsonl", [row(), wrong]))
    assert refused.value.param == f"set.jsonl:2.{param}"

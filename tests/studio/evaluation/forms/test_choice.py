"""Multiple choice: what is asked, and which answers name a letter."""

from collections.abc import Callable

import pytest

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation import Benchmark
from studio.evaluation.forms.choice import CHOICE
from studio.prompting import PlainText, VideoUrl

TURNS = {"A": "It turns left", "B": "It turns right.", "C": "It stops", "D": "It reverses"}
CLIP = VideoUrl(url="media:a")


@pytest.fixture
def turns(benchmark_of: Callable[..., Benchmark]) -> Benchmark:
    return benchmark_of(
        "choice",
        {"question": "What does the car do?", "choices": TURNS, "reference": "B"},
        settings={"fps": 2, "seed": 7},
    )


def test_it_is_asked_with_a_line_a_choice_behind_the_clip(turns: Benchmark):
    question = CHOICE.question(turns.items[0], turns, [CLIP], 3)

    system, user = question.messages
    assert isinstance(system.parts[0], PlainText)
    assert "<answer>X</answer>" in system.parts[0].text
    assert user.parts == (
        CLIP,
        PlainText(text="What does the car do?\nA. It turns left\nB. It turns right.\nC. It stops\nD. It reverses"),
    )
    assert (question.video_fps, question.sampling.seed, question.sampling.temperature) == (2, 10, 0)
    assert question.sampling.presence_penalty == 0


@pytest.mark.parametrize(
    "text",
    [
        "B",
        "b",
        "B.",
        "(B)",
        "**B**",
        "B) It turns right",
        "B. It turns right, not left",
        "B - it turns right",
        "It turns right",
        "<answer>B</answer>",
        "<answer>B</answer> because of the indicator",
        "It is A or B. <answer>\n B \n</answer>",
        "<think>A? No.</think><answer>B</answer>",
        "<think>A? No.</think>\nB",
        '{"answer": "B"}',
        '```json\n{"answer": "B. It turns right"}\n```',
        '"B"',
        "The answer is B.",
        "Answer: **B**",
        "I think the correct choice is (B).",
    ],
)
def test_an_answer_that_decides_is_read(turns: Benchmark, text: str):
    assert CHOICE.read(turns.items[0], turns, text) == "B"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<think>B, I believe",
        "E",
        "A or B",
        "A car turns right",
        "The answer is A. Or the answer is B.",
        '{"answer": "E"}',
        '{"answer": 2}',
        "It turns",
        "The answer is a car that turns",
    ],
)
def test_an_answer_that_does_not_decide_is_unusable(turns: Benchmark, text: str):
    with pytest.raises(UnusableAnswer):
        CHOICE.read(turns.items[0], turns, text)


def test_a_right_letter_counts_one(turns: Benchmark):
    assert CHOICE.measure(turns.items[0], turns, "B").values["accuracy"] == 1
    assert CHOICE.measure(turns.items[0], turns, "A").values["accuracy"] == 0


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"choices": None}, "choices"),
        ({"choices": {"A": "one"}}, "choices"),
        ({"choices": {"first": "one", "second": "two"}}, "choices"),
        ({"reference": "E"}, "reference"),
        ({"reference": ["B"]}, "reference"),
    ],
)
def test_an_item_without_what_the_form_needs_is_refused(turns: Benchmark, changes: dict[str, object], param: str):
    item = turns.items[0].model_copy(update=changes)

    with pytest.raises(BadInput) as refused:
        CHOICE.check(item, turns)
    assert refused.value.param == param

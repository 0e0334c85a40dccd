from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio.errors import BadInput
from studio.prompting import Frame, ImageUrl, VideoUrl, load_tasks, read_task, task_question
from studio.prompting.question import PlainText
from studio.prompting.results import SCHEMAS, Box
from studio.prompting.tasks import THINK_FIRST

TASKS = load_tasks()
IMAGE = ImageUrl(url="i")
VIDEO = VideoUrl(url="v")


def media_of(name: str) -> list[ImageUrl | VideoUrl]:
    return [VIDEO if TASKS[name].media[0] == "video" else IMAGE]


def words_of(name: str) -> dict[str, str]:
    return {field.name: field.example for field in TASKS[name].fields if not field.default}


def test_every_task_of_the_reasoner_is_there():
    assert set(TASKS) == {
        "caption",
        "common-sense",
        "dense-narrative",
        "describe-anything",
        "grounding",
        "next-action",
        "physical-plausibility",
        "planning",
        "pointing",
        "situation",
        "temporal-localisation",
        "trajectory",
    }


@pytest.mark.parametrize("name", TASKS)
def test_a_task_can_be_asked_with_its_examples(name: str):
    question = task_question(TASKS[name], media_of(name), words_of(name))

    medium, words = question.messages[1].parts
    assert [medium] == media_of(name)
    assert isinstance(words, PlainText)
    assert "$" not in words.text
    assert words.text.endswith(THINK_FIRST) == TASKS[name].thinking
    assert question.video_fps == (4 if medium.type == "video" else None)


@pytest.mark.parametrize("name", TASKS)
def test_thinking_has_its_own_setting_and_no_schema(name: str):
    thinking = task_question(TASKS[name], media_of(name), words_of(name), thinking=True)
    plain = task_question(TASKS[name], media_of(name), words_of(name), thinking=False)

    def setting(sampling: Any) -> tuple[float, ...]:
        return sampling.temperature, sampling.top_p, sampling.top_k, sampling.presence_penalty

    assert setting(thinking.sampling) == (0.6, 0.95, 20, 0)
    assert setting(plain.sampling) == (0.7, 0.8, 20, 1.5)
    assert thinking.answer_schema is None
    assert plain.answer_schema == SCHEMAS[TASKS[name].parser]


@pytest.mark.parametrize("name", [name for name, schema in SCHEMAS.items() if schema])
def test_the_grammar_compiler_takes_every_schema(name: Any):
    matcher = pytest.importorskip("llguidance").LLMatcher

    assert matcher.validate_grammar(matcher.grammar_from_json_schema(SCHEMAS[name])) == ""


@pytest.mark.parametrize(
    ("media", "words", "param"),
    [
        ([], {"subject": "cups"}, "media"),
        ([VIDEO], {"subject": "cups"}, "media"),
        ([IMAGE, IMAGE], {"subject": "cups"}, "media"),
        ([IMAGE], {}, "subject"),
        ([IMAGE], {"subject": " "}, "subject"),
        ([IMAGE], {"subject": "x" * 5000}, "subject"),
        ([IMAGE], {"subject": "x", "colour": "red"}, "colour"),
    ],
)
def test_what_a_task_does_not_take_is_refused(media: list[Any], words: dict[str, str], param: str):
    with pytest.raises(BadInput) as caught:
        task_question(TASKS["grounding"], media, words)

    assert caught.value.param == param


def test_a_persons_words_stay_what_they_are():
    question = task_question(TASKS["grounding"], [IMAGE], {"subject": "a $subject ${task} {x}"})
    words = question.messages[1].parts[1]

    assert isinstance(words, PlainText)
    assert "a $subject ${task} {x}." in words.text


def test_an_answer_becomes_results_with_its_thought():
    answer = read_task(TASKS["grounding"], "<think>Hm.</think>[[0, 0, 500, 500]]", Frame(width=10, height=20))

    assert answer.thought == "Hm."
    assert answer.results == (Box(box_2d=(0, 0, 500, 500), pixels=(0, 0, 5, 10)),)
    assert answer.failure is None


def test_an_answer_that_cannot_be_read_says_why():
    answer = read_task(TASKS["grounding"], "No idea \ud800.")

    assert answer.results == ()
    assert answer.failure is not None
    assert "no JSON" in answer.failure
    assert answer.text == "No idea ?."


def test_a_persons_own_task_wins(tmp_path: Path):
    own = 'id = "caption"\ntitle = "Mine"\nsummary = "s"\nmedia = ["image"]\nprompt = "Say it."\nparser = "prose"\n'
    (tmp_path / "mine.toml").write_text(own)

    tasks = load_tasks(tmp_path)

    assert tasks["caption"].title == "Mine"
    assert len(tasks) == len(TASKS)


@pytest.mark.parametrize(
    "text",
    [
        "not toml",
        'id = "x"',
        'id = "x"\ntitle = "t"\nsummary = "s"\nmedia = ["image"]\nprompt = "$y"\nparser = "prose"',
        'id = "x"\ntitle = "t"\nsummary = "s"\nmedia = ["image"]\nprompt = "y"\nparser = "prose"\nsampling.top_p = 7',
        'id = "x"\ntitle = "t"\nsummary = "s"\nmedia = ["image"]\nprompt = "y"\nparser = "magic"',
    ],
)
def test_a_task_file_that_is_none_is_named(tmp_path: Path, text: str):
    (tmp_path / "wrong.toml").write_text(text)
    with pytest.raises(BadInput, match=r"wrong\.toml"):
        load_tasks(tmp_path)

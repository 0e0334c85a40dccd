from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from pocket.train.lessons.critic import texts
from pocket.train.lessons.rewriting import rewriting, with_first
from pocket.train.lessons.writing import REWRITTEN_EVERY, exchanges
from pocket.world.captioning import word_episode
from pocket.world.critiquing import criticise
from pocket.world.episode import Episode, Surroundings, Wording
from pocket_flat_world import flat_episode
from studio.prompting.critique import Critique
from studio.prompting.question import PlainText
from studio.prompting.refining import RoundSummary, read_rewrite, rewrite_question
from studio.requests import GenerateImage

SEEDS = range(12)


@cache
def table(seed: int) -> Episode:
    """A flat still of three things, in the world's own words."""
    flat = flat_episode("still", seed, 256)
    cube = replace(flat.things[0], colour="red", shape="cube")
    ball = replace(cube, colour="orange", shape="ball", visible=cube.visible / 2)
    cylinder = replace(cube, colour="purple", shape="cylinder", visible=cube.visible / 4)
    surroundings = Surroundings("light wooden", "bright", "the left")
    told = replace(flat, things=(cube, ball, cylinder), surroundings=surroundings)
    random = np.random.default_rng(seed)
    return replace(told, wordings=word_episode(told, random), critiques=criticise(told, random))


def lesson(seed: int) -> tuple[str, str]:
    """Question and answer."""
    written = rewriting(table(seed), "1:1")
    assert written is not None
    return written


def parts(question: str) -> tuple[dict[str, Any], list[dict[str, Any]], str]:
    """The critique, the rounds and the last positive prompt that a question tells of."""
    _, _, rest = question.partition("A critic said of the last picture:\n")
    critique, _, rest = rest.partition("\n\nThe rounds so far:\n")
    rounds, _, rest = rest.partition("\n\nThe last positive prompt:\n")
    return json.loads(critique), json.loads(rounds), rest.partition("\n\nThe last negative prompt:\n")[0]


def made(prompt: str) -> GenerateImage:
    return GenerateImage(prompt=prompt, resolution="256", aspect_ratio="1:1")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_question_is_the_one_that_the_loop_asks_and_shows_nothing(seed):
    question, _ = lesson(seed)
    critique, rounds, positive = parts(question)
    assert positive in [wording.caption for wording in table(seed).wordings if wording.detail == "rich"]
    words = next(critique.prompt for critique in table(seed).critiques if critique.matches)
    history = [RoundSummary.model_validate(each) for each in rounds]
    asked = rewrite_question(texts(), made(positive), words, Critique.model_validate(critique), history)
    assert asked.messages[-1].parts == (PlainText(text=question),)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_studio_reads_the_answer_as_it_stands(seed):
    question, answer = lesson(seed)
    draft = read_rewrite(made(parts(question)[2]), answer)
    assert answer == f'{{"positive_prompt": {draft.prompt}, "negative_prompt": ""}}'
    assert draft.negative_prompt == ""


@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_critic_missed_comes_first_and_nothing_is_lost(seed):
    question, answer = lesson(seed)
    verdicts = parts(question)[0]["prompt_elements"]
    missed = {words.split()[1] for words, verdict in verdicts.items() if verdict != "present"}
    assert len(missed) in (1, 2)
    subjects = json.loads(answer)["positive_prompt"]["subjects"]
    colours = [next(each for each in ("red", "orange", "purple") if each in own["description"]) for own in subjects]
    assert set(colours[: len(missed)]) == missed
    assert sorted(colours) == ["orange", "purple", "red"]


def test_several_of_a_kind_are_found_among_the_subjects_and_an_arm_is_none():
    subjects = [{"description": each} for each in ("a robot arm", "a red cube", "two matte red balls", "a blue ball")]
    caption = with_first(Wording("rich", "", json.dumps({"subjects": subjects})), ["two red balls on the left"])
    assert [each["description"] for each in caption["subjects"]] == [
        "two matte red balls",
        "a robot arm",
        "a red cube",
        "a blue ball",
    ]


def test_the_last_round_is_the_one_that_the_critic_speaks_of():
    lengths = set()
    for seed in SEEDS:
        critique, rounds, _ = parts(lesson(seed)[0])
        assert [each["iteration"] for each in rounds] == list(range(len(rounds)))
        for name in ("overall_score", "prompt_adherence_score", "category_score"):
            assert rounds[-1][name] == critique[name]
        assert not any(each["threshold_cleared"] for each in rounds)
        lengths.add(len(rounds))
    assert lengths == {1, 2}


def test_the_same_episode_gives_the_same_lesson_and_seeds_differ():
    table.cache_clear()
    again = [lesson(seed) for seed in SEEDS]
    table.cache_clear()
    assert [lesson(seed) for seed in SEEDS] == again
    assert len({json.dumps(parts(question)[0]["prompt_elements"]) for question, _ in again}) > 3


def test_a_still_without_a_prompt_that_fits_has_no_such_lesson():
    assert rewriting(replace(table(0), critiques=()), "1:1") is None
    assert rewriting(replace(table(0), wordings=()), "1:1") is None


def test_one_in_some_stills_of_a_canvas_teaches_it_once_and_clips_never():
    for seed in SEEDS:
        found = [each for each in exchanges(table(seed)) if "negative_prompt" in each.answer]
        if seed % REWRITTEN_EVERY:
            assert not found
            continue
        assert [(each.question, each.answer) for each in found] == [lesson(seed)]
        assert (found[0].shows, found[0].is_task) == ("nothing", True)
    for other in (flat_episode("still", 0), flat_episode("clip", 0, 256)):
        assert not any("negative_prompt" in each.answer for each in exchanges(other))

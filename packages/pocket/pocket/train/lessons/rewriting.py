"""How a prompt is written anew after a critic: the studio's own question, and the JSON that answers it rightly.

What the critic missed comes first in the new prompt; the rest is told once more in other words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from pocket.train.lessons.critic import critic_answer, texts
from pocket.world.episode import Critique, Episode, Wording
from pocket.world.wording import SHAPE_WORDS, listed, sentence
from robot.simulation.arrangement import COLOURS
from studio.prompting.critique import Critique as Judgement
from studio.prompting.critique import read_critique
from studio.prompting.question import PlainText
from studio.prompting.refining import RoundSummary, rewrite_question
from studio.requests import AspectRatio, GenerateImage
from studio.requests.refine_image import RefineImage

MAX_MISSED = 2
"""Things of one prompt that a critic misses."""

GOOD_ENOUGH: float = RefineImage.model_fields["good_enough"].default
"""The overall score that ends the loop unless somebody asks for another."""

Missed = Literal["partial", "absent"]
MISSED: tuple[Missed, ...] = ("partial", "absent")


def rewriting(episode: Episode, aspect_ratio: AspectRatio) -> tuple[str, str] | None:
    """What is asked under the system prompt with no picture, and the answer; none of a still with nothing on it.

    One full caption of the still is the prompt that is written anew, as if one or two of its things had come out amiss;
    another one is the answer. Which things those are is a function of the episode's seed.
    """
    fitting = next((critique for critique in episode.critiques if critique.matches), None)
    full = [wording for wording in episode.wordings if wording.detail == "rich"]
    if fitting is None or not full:
        return None
    random = np.random.default_rng([episode.seed, len(fitting.elements)])
    critique = _missing(fitting, random)
    judged = read_critique(critic_answer(critique))
    last = GenerateImage(prompt=full[0].caption, resolution="256", aspect_ratio=aspect_ratio)
    asked = rewrite_question(texts(), last, critique.prompt, judged, list(_rounds(judged, random)))
    question = "".join(part.text for part in asked.messages[-1].parts if isinstance(part, PlainText))
    missed = [words for words, verdict in critique.elements if verdict != "present"]
    return question, json.dumps({"positive_prompt": with_first(full[-1], missed), "negative_prompt": ""})


def with_first(wording: Wording, missed: Sequence[str]) -> dict[str, Any]:
    """A still's caption, the subjects that were missed before the others."""
    caption: dict[str, Any] = json.loads(wording.caption)
    kinds = [_kind(words) for words in missed]
    caption["subjects"].sort(key=lambda subject: _kind(subject["description"]) not in kinds)
    return caption


def _missing(fitting: Critique, random: np.random.Generator) -> Critique:
    """That of a picture in which one or two things are not there, or not as asked for."""
    count = min(len(fitting.elements), int(random.integers(MAX_MISSED)) + 1)
    elements = list(fitting.elements)
    remarks: list[str] = []
    for index in sorted(random.permutation(len(elements))[:count].tolist()):
        words, verdict = elements[index][0], MISSED[int(random.integers(len(MISSED)))]
        elements[index] = words, verdict
        remarks.append(f"{words} is {'missing' if verdict == 'absent' else 'not as asked for'}")
    return replace(fitting, elements=tuple(elements), matches=False, rationale=sentence(listed(remarks)))


def _rounds(judged: Judgement, random: np.random.Generator) -> Iterator[RoundSummary]:
    """The rounds so far: at times one before, and always the one that was judged, as `rounds_before` has them."""
    before = int(random.integers(2))
    for index in range(before):
        score = int(random.integers(1, int(GOOD_ENOUGH)))
        yield RoundSummary(
            iteration=index,
            overall_score=score,
            prompt_adherence_score=score,
            category_score=score,
            threshold_cleared=False,
        )
    yield RoundSummary(
        iteration=before,
        overall_score=judged.overall_score,
        prompt_adherence_score=judged.prompt_adherence_score,
        category_score=judged.category_score,
        threshold_cleared=judged.clears(GOOD_ENOUGH),
    )


def _kind(words: str) -> tuple[str, str]:
    """Colour and shape of what some words name; "" where they name none: `two red balls` are ("red", "ball")."""
    colour = next((colour for colour in COLOURS if f" {colour} " in f" {words} "), "")
    return colour, next((shape for shape in SHAPE_WORDS if f" {shape}" in f" {words}"), "")

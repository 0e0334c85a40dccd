"""A clip's prompts as one paragraph, and a negative prompt for just these words (technical report, B.3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from studio.captions import UnusableAnswer, object_in, sendable, split_thought
from studio.captions.answer_schema import object_schema, text_schema
from studio.captions.caption import NARRATIVE
from studio.prompting.question import MediaPart, Question, ReasonerSampling, asked_alone
from studio.prompting.templates import RefiningTexts, fill, without_tags
from studio.requests import Frozen, shown

MAX_NEGATIVE = 4000
"""Characters; the framework's own has 15,000, but this one is written for one picture."""


class PromptPair(Frozen):
    """Both prompts of a round."""

    prompt: str
    negative_prompt: str = ""


def opening_question(texts: RefiningTexts, words: str, start: MediaPart, sampling: ReasonerSampling) -> Question:
    """A clip's first prompts: its paragraph, and a negative prompt for just these words (B.3)."""
    own = texts.video
    text = fill(
        own.opening,
        words=without_tags(words.strip()),
        narrative=own.narrative,
        default_negative=own.default_negative,
    )
    schema = object_schema(temporal_caption=text_schema(NARRATIVE), negative_prompt=text_schema(MAX_NEGATIVE, least=0))
    return Question(messages=asked_alone(text, start), sampling=sampling, answer_schema=schema)


def read_opening(answer: str) -> PromptPair:
    """The answer to `opening_question`. Raises UnusableAnswer."""
    value, _ = object_in(split_thought(answer).answer)
    return PromptPair(prompt=paragraph_in(value), negative_prompt=negative_in(value))


def paragraph_in(value: Mapping[str, Any]) -> str:
    """The prompt of an answer: `{"temporal_caption": …}` as JSON. Raises UnusableAnswer."""
    text = value.get("temporal_caption")
    if not isinstance(text, str) or not text.strip():
        raise UnusableAnswer(f'"temporal_caption" is {shown(text)}; a paragraph is expected.', path="temporal_caption")
    return json.dumps({"temporal_caption": sendable(text)[:NARRATIVE]})


def negative_in(value: Mapping[str, Any]) -> str:
    """The negative prompt of an answer; empty where it has none. Raises UnusableAnswer."""
    text = value.get("negative_prompt", "")
    if text is not None and not isinstance(text, str):
        raise UnusableAnswer(f'"negative_prompt" is {shown(text)}; a text is expected.', path="negative_prompt")
    return sendable(text or "").strip()[:MAX_NEGATIVE]

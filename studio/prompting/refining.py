"""The questions of the refinement loop and the reading of their answers (technical report, B.7 and B.3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

from studio.captions import (
    Controls,
    UnusableAnswer,
    answer_schema,
    check_object,
    object_in,
    serialise,
    split_thought,
)
from studio.captions.answer_schema import object_schema, text_schema
from studio.captions.caption import NARRATIVE
from studio.captions.checking import IMAGINATION, MODELS
from studio.errors import EngineError
from studio.prompting.critique import NULLABLE, PRESENCES, SCORES, SEVERITIES, Critique, critique_schema
from studio.prompting.opening import MAX_NEGATIVE, PromptPair, negative_in, paragraph_in
from studio.prompting.question import (
    UPSAMPLING,
    Ask,
    MediaPart,
    Question,
    Read,
    ReasonerSampling,
    asked_alone,
    first_usable,
)
from studio.prompting.templates import RefiningTexts, fill, upsample_texts, without_tags
from studio.prompting.upsampling import spelled_controls
from studio.prompting.wishes import is_upsampled
from studio.requests import Frozen, GenerateImage, GenerateVideo, shown

CRITIC = ReasonerSampling(temperature=0.2, presence_penalty=0.0, max_tokens=4096)
"""Ours: the report names none for the critic, and its scores should be the same for the same picture."""

Made = GenerateImage | GenerateVideo
Positive = Literal["image", "video", "paragraph"]
"""What a positive prompt is: one of the two structured captions, or `{"temporal_caption": …}` alone (B.3)."""
Schema = dict[str, Any]


class RoundSummary(Frozen):
    """A round that is over, as the rewriter is told of it (B.7)."""

    iteration: int
    overall_score: float
    prompt_adherence_score: float
    category_score: float
    threshold_cleared: bool


def positive_of(request: Made) -> Positive:
    """What its prompt is."""
    if isinstance(request, GenerateImage):
        return "image"
    return "video" if is_upsampled(request.prompt) else "paragraph"


def controls_of(request: Made) -> Controls:
    """What every caption of it says of its size and length."""
    if isinstance(request, GenerateImage):
        return Controls.of_image(request.resolution, request.aspect_ratio)
    return Controls.of_video(request.resolution, request.aspect_ratio, request.num_frames, request.fps)


def critic_question(
    texts: RefiningTexts, made: Made, words: str, medium: MediaPart, sampling: ReasonerSampling = CRITIC
) -> Question:
    """What is wrong with a result, as scores and issues."""
    own = texts.image if isinstance(made, GenerateImage) else texts.video
    text = fill(own.critic, words=without_tags(words.strip()), template=_critique_template())
    return Question(messages=asked_alone(text, medium), sampling=sampling, answer_schema=critique_schema())


def rewrite_question(
    texts: RefiningTexts,
    last: Made,
    words: str,
    critique: Critique | None,
    history: Sequence[RoundSummary],
    *,
    wish: str = "",
    start: MediaPart | None = None,
    sampling: ReasonerSampling = UPSAMPLING,
) -> Question:
    """Both prompts anew, after what the critic said, or after a person's own wish, or both.

    Args:
        texts: what is said.
        last: what made the result; its prompts are rewritten.
        words: what was asked for at first.
        critique: none where nobody has judged it.
        history: the rounds before, the first one first.
        wish: what a person wants to be changed.
        start: a clip's first picture.
        sampling: how tokens are drawn.
    """
    own = texts.image if isinstance(last, GenerateImage) else texts.video
    controls, positive = controls_of(last), positive_of(last)
    schema = _draft_schema(positive, controls)
    asked = f"\nThe person who asked for it now says, before all else:\n<wish>\n{without_tags(wish.strip())}\n</wish>\n"
    text = fill(
        own.rewriter,
        words=without_tags(words.strip()),
        wish=asked if wish.strip() else "",
        critique=_json(_said(critique)) if critique else "nothing; go by the wish alone.",
        history=_json([each.model_dump(mode="json") for each in history]),
        positive=without_tags(last.prompt),
        negative=without_tags(last.negative_prompt) or '""',
        keys=", ".join(schema["properties"]["positive_prompt"]["properties"]),
        controls="there are none" if positive == "paragraph" else spelled_controls(controls),
        narrative=own.narrative,
    )
    media = () if start is None else (start,)
    return Question(messages=asked_alone(text, *media), sampling=sampling, answer_schema=schema)


def read_rewrite(last: Made, answer: str) -> PromptPair:
    """The answer to `rewrite_question`. Raises UnusableAnswer: it says what is missing or wrong."""
    value, _ = object_in(split_thought(answer).answer)
    positive: Any = value.get("positive_prompt")
    if isinstance(positive, str):
        positive, _ = object_in(positive)
    if not isinstance(positive, dict):
        raise UnusableAnswer(
            f'"positive_prompt" is {shown(positive)}; a whole JSON object is expected.', path="positive_prompt"
        )
    kind = positive_of(last)
    said = cast(dict[str, Any], positive)
    if kind == "paragraph":
        return PromptPair(prompt=paragraph_in(said), negative_prompt=negative_in(value))
    caption, _ = check_object(
        {name: child for name, child in said.items() if name != IMAGINATION}, kind, controls_of(last)
    )
    return PromptPair(prompt=serialise(caption), negative_prompt=negative_in(value))


async def ask_until(ask: Ask, first: Question, read: Callable[[str], Read], attempts: int, who: str) -> Read:
    """Ask until an answer can be read.

    Args:
        ask: who answers.
        first: what is asked; later it is asked with what was wrong with the answer before.
        read: raises UnusableAnswer.
        attempts: at most.
        who: for the error.

    Raises:
        EngineError: no answer could be read, and why the last could not.
        StudioError: whatever `ask` raises.
    """
    try:
        return (await first_usable(ask, first, read, attempts=attempts, retry=upsample_texts().retry)).said
    except UnusableAnswer as error:
        why = error.why
    raise EngineError(
        f"The {who} gave no usable answer in {attempts} attempts: {why}",
        hint=f"Resume to try again, or use another {who}.",
    )


def _draft_schema(positive: Positive, controls: Controls) -> Schema:
    if positive == "paragraph":
        prompt: Schema = object_schema(temporal_caption=text_schema(NARRATIVE))
        definitions: Schema = {}
    else:
        prompt = dict(answer_schema(positive, controls))
        definitions = prompt.pop("$defs")
        # The generator's own order, without the room to think, which no caption has.
        fields = prompt["properties"]
        names = [name for name in MODELS[positive].model_fields if name in fields]
        prompt = object_schema(**{name: fields[name] for name in names})
    return {
        **object_schema(positive_prompt=prompt, negative_prompt=text_schema(MAX_NEGATIVE, least=0)),
        "$defs": definitions,
    }


def _said(critique: Critique) -> Schema:
    """A critique in the shape in which critics give it."""
    said = critique.model_dump(mode="json")
    said["category_findings"] = [{each.area: each.finding} for each in critique.category_findings]
    return said


def _critique_template() -> str:
    template: Schema = {name: "number or null" if name in NULLABLE else "number" for name in SCORES}
    template["issues"] = [
        {
            "category": "a name of a few words",
            "description": "what is wrong with what, and where",
            "severity": " or ".join(SEVERITIES),
            "box_2d": "[x1, y1, x2, y2] or null",
        }
    ]
    template["prompt_elements"] = {"a thing or action that the words name": " or ".join(PRESENCES)}
    template["category_findings"] = [{"an area that was looked at": "what was found there"}]
    template["improvement_directives"] = ["what the next prompt should say otherwise"]
    template["rationale"] = "two to four sentences"
    return json.dumps(template, indent=1)


def _json(value: Any) -> str:
    return without_tags(json.dumps(value, indent=1, ensure_ascii=False))

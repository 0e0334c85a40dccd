"""The question bank of Cosmos-HUE, written by a reasoner in three steps: domain, scene, questions. A reasoner as rater.

People add to what it writes and drop from it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any, cast, get_args

from studio.captions import UnusableAnswer, object_in, sendable, split_thought
from studio.captions.answer_schema import list_schema, object_schema, text_schema
from studio.evaluation.hue import DIMENSIONS, DOMAINS, HueDomain, HueQuestion, Said
from studio.prompting.question import PLAIN, MediaPart, Question, VideoUrl, asked_alone
from studio.prompting.tasks import VIDEO_FPS
from studio.prompting.templates import fill
from studio.requests import Frozen, shown
from studio.toml_files import shipped

MAX_QUESTIONS = 16
"""A prompt (report, appendix F)."""
MOST_QUESTIONS = 20
"""With those that people add (6.2.2)."""
MAX_LINES, MAX_LINE, MAX_REASON = 24, 240, 400
SCENE = ("objects", "actions", "setting", "camera", "text")

SAMPLING = PLAIN.model_copy(update={"max_tokens": 4096})

Scene = dict[str, tuple[str, ...]]


class _BankTexts(Frozen):
    strategist: str
    parser_prompt: str
    parser_video: str
    auditor: str
    rater: str


@cache
def _texts() -> _BankTexts:
    return shipped(_BankTexts, "evaluation", "hue.toml")


def domain_question(prompt: str) -> Question:
    """The first step: to which domain a prompt belongs."""
    schema = object_schema(reason=text_schema(MAX_REASON), domain={"type": "string", "enum": list(DOMAINS)})
    return _question(fill(_texts().strategist, prompt=prompt), schema)


def read_domain(text: str) -> HueDomain:
    """The answer to `domain_question`. Raises UnusableAnswer."""
    said = _object(text).get("domain")
    if said not in DOMAINS:
        raise UnusableAnswer(f'"domain" is {shown(said)}; expected one of {", ".join(DOMAINS)}.')
    return said


def scene_question(prompt: str, *media: MediaPart) -> Question:
    """The second step: what is promised by the prompt, or seen in the start image and the real video where given."""
    texts = _texts()
    schema = object_schema(**dict.fromkeys(SCENE, list_schema(text_schema(MAX_LINE), MAX_LINES)))
    return _question(fill(texts.parser_video if media else texts.parser_prompt, prompt=prompt), schema, *media)


def read_scene(text: str) -> Scene:
    """The answer to `scene_question`. Raises UnusableAnswer."""
    entry = _object(text)
    scene: Scene = {}
    for name in SCENE:
        lines = entry.get(name)
        if not isinstance(lines, list):
            raise UnusableAnswer(f'"{name}" is {shown(lines)}; expected a list of texts.')
        scene[name] = tuple(_line(line) for line in cast(list[Any], lines)[:MAX_LINES] if _line(line))
    if not scene["objects"]:
        raise UnusableAnswer('"objects" is empty; expected at least one.')
    return scene


def audit_question(prompt: str, domain: HueDomain, scene: Scene, count: int = MAX_QUESTIONS) -> Question:
    """The third step: at most so many questions, each about one fact."""
    item = object_schema(dimension={"type": "string", "enum": list(DIMENSIONS)}, text=text_schema(MAX_LINE))
    schema = object_schema(questions=list_schema(item, count, least=1))
    listed = json.dumps(scene, ensure_ascii=False, indent=1)
    return _question(fill(_texts().auditor, count=str(count), domain=domain, prompt=prompt, scene=listed), schema)


def read_bank(text: str, prompt: str) -> tuple[HueQuestion, ...]:
    """The answer to `audit_question`, each question once. Raises UnusableAnswer.

    Args:
        text: of the answer.
        prompt: the id of the prompt that they are about.
    """
    given = _object(text).get("questions")
    found: dict[str, HueQuestion] = {}
    for entry in cast(list[Any], given) if isinstance(given, list) else []:
        fields = cast(dict[str, Any], entry) if isinstance(entry, dict) else {}
        line, dimension = _line(fields.get("text")), fields.get("dimension")
        if line and dimension in DIMENSIONS and line.casefold() not in found and len(found) < MOST_QUESTIONS:
            found[line.casefold()] = HueQuestion(
                id=f"{prompt}-{len(found) + 1}", prompt=prompt, text=line, dimension=dimension
            )
    if not found:
        raise UnusableAnswer('"questions" has no question with a text and one of the four dimensions.')
    return tuple(found.values())


def rating_question(question: HueQuestion, video: VideoUrl) -> Question:
    """One question about one video, to a reasoner as rater."""
    said = {"type": "string", "enum": list(get_args(Said))}
    text = fill(_texts().rater, question=question.text)
    return _question(text, object_schema(reason=text_schema(MAX_REASON), said=said), video)


class ReasonerRating(Frozen):
    """What a reasoner as rater answers, and why."""

    said: Said
    reason: str


def read_rating(text: str) -> ReasonerRating:
    """The answer to `rating_question`. Raises UnusableAnswer."""
    entry = _object(text)
    said = str(entry.get("said", "")).strip().lower()
    if said not in get_args(Said):
        raise UnusableAnswer(f'"said" is {shown(said)}; expected one of {", ".join(get_args(Said))}.')
    return ReasonerRating(said=cast("Said", said), reason=_line(entry.get("reason")))


def _question(text: str, schema: dict[str, Any], *media: MediaPart) -> Question:
    has_video = any(isinstance(part, VideoUrl) for part in media)
    return Question(
        messages=asked_alone(text, *media),
        sampling=SAMPLING,
        answer_schema=schema,
        video_fps=VIDEO_FPS if has_video else None,
    )


def _object(text: str) -> dict[str, Any]:
    return object_in(split_thought(text).answer)[0]


def _line(value: Any) -> str:
    return sendable(" ".join(value.split()))[:MAX_LINE] if isinstance(value, str) else ""


def dimensions_of(questions: Sequence[HueQuestion]) -> dict[str, int]:
    """How many questions each dimension has, which tells a lopsided bank."""
    return {name: sum(question.dimension == name for question in questions) for name in DIMENSIONS}

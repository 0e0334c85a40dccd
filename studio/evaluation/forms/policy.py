"""An episode of a policy: an item is a task with its instruction, and its answer says what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from pydantic import JsonValue, ValidationError

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.episodes import EpisodeResult
from studio.evaluation.forms.form import AnswerForm, Measured
from studio.prompting.question import MediaPart
from studio.requests import explain, shown

METRICS = (
    "task_success",
    "reached",
    "grasped",
    "lifted",
    "wrong_object",
    "stopped",
    "task_score",
    "success_s",
    "answer_s",
)


def check(item: Item, benchmark: Benchmark) -> None:
    """An instruction as question."""
    if not item.question.strip():
        raise BadInput(f"question is {shown(item.question)}; expected an instruction.", param="question")


def question(item: Item, benchmark: Benchmark, media: Sequence[MediaPart], trial: int) -> NoReturn:
    """Raises BadInput: a policy drives an arm, which no reasoner does."""
    raise BadInput(
        f"{benchmark.name} is driven by a policy, not answered by a reasoner.",
        param="benchmark",
        hint="Use orrery evaluate-policy.",
    )


def read(item: Item, benchmark: Benchmark, text: str) -> JsonValue:
    """An `EpisodeResult` as JSON."""
    try:
        return EpisodeResult.model_validate_json(text).model_dump(mode="json", exclude_none=True)
    except ValidationError as error:
        raise UnusableAnswer(explain(error, EpisodeResult).message) from None


def measure(item: Item, benchmark: Benchmark, reading: JsonValue) -> Measured:
    """Each outcome that was measured as 0 or 1; seconds only of a success."""
    result = EpisodeResult.model_validate(reading)
    values: dict[str, float | None] = {
        "task_success": float(result.success),
        "task_score": result.score,
        "stopped": None if result.stopped is None else float(bool(result.stopped)),
        "success_s": result.seconds if result.success else None,
        "answer_s": result.answer_s,
    }
    for name in ("reached", "grasped", "lifted", "wrong_object"):
        outcome: bool | None = getattr(result, name)
        values[name] = None if outcome is None else float(outcome)
    return Measured({name: value for name, value in values.items() if value is not None})


POLICY = AnswerForm(METRICS, check, question, read, measure)

"""One number: its absolute and relative error."""

from __future__ import annotations

import re
from collections.abc import Sequence

from studio.captions import UnusableAnswer, values_in
from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms.form import AnswerForm, Measured, finite, form_texts, inside_answer, put, spoken
from studio.prompting.question import MediaPart, Question
from studio.requests import shown

KEYS = ("answer", "value", "number")

_NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?(?![.,]?\d)")


def check(item: Item, benchmark: Benchmark) -> None:
    """A number as reference."""
    if finite(item.reference) is None:
        raise BadInput(f"reference is {shown(item.reference)}; expected a number.", param="reference")


def question(item: Item, benchmark: Benchmark, media: Sequence[MediaPart], trial: int) -> Question:
    """The question as it is."""
    return put(benchmark, item.question, media, trial, system=form_texts().number)


def read(item: Item, benchmark: Benchmark, text: str) -> float:
    """The one number of the answer; the same number may stand there twice."""
    answer = inside_answer(spoken(text))
    if answer.startswith(("{", "```")):
        return _in_json(answer)
    found = {float(number.replace(",", "").replace("−", "-")) for number in _NUMBER.findall(answer)}
    if len(found) != 1:
        raise UnusableAnswer(f"The answer has {len(found) or 'no'} numbers; expected one.")
    return found.pop()


def measure(item: Item, benchmark: Benchmark, reading: float) -> Measured:
    """Distance to the truth, and its share of the truth, which a truth of 0 does not have."""
    truth = finite(item.reference)
    assert truth is not None
    error = abs(reading - truth)
    return Measured({"absolute_error": error} | ({"relative_error": error / abs(truth)} if truth else {}))


def _in_json(answer: str) -> float:
    value = values_in(answer)[0]
    entry = value if isinstance(value, dict) else {}
    found = next((number for key in KEYS if (number := finite(entry.get(key))) is not None), None)
    if found is None:
        raise UnusableAnswer('The answer has no number under "answer".')
    return found


NUMBER = AnswerForm(("absolute_error", "relative_error", "parseable"), check, question, read, measure)

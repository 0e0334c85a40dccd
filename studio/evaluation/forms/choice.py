"""Multiple choice: one letter is asked for, and an answer that names no single letter is unparsed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from studio.captions import UnusableAnswer
from studio.captions.json_text import values_in
from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms.form import AnswerForm, Measured, form_texts, inside_answer, put, spoken
from studio.prompting.question import MediaPart, Question
from studio.requests import shown

KEYS = ("answer", "choice", "letter", "option")

_FIRST = re.compile(r"[\W_]*([A-Za-z])[\W_]*(?:$|[).:\]–-][\W_]*\s)")
_NAMED = re.compile(r"(?i:\b(?:answer|choice|option)\b(?:\s+is)?)[\s:*(\"']*([A-Z])\b(?!')")


def check(item: Item, benchmark: Benchmark) -> None:
    """Two choices at least, and a letter among them as reference."""
    choices = item.choices or {}
    if len(choices) < 2 or any(not re.fullmatch("[A-Z]", letter) for letter in choices):
        raise BadInput(
            f"choices is {shown(item.choices)}; expected at least two choices by capital letter.", param="choices"
        )
    if not isinstance(item.reference, str) or item.reference not in choices:
        raise BadInput(
            f"reference is {shown(item.reference)}; expected one of the letters {', '.join(choices)}.",
            param="reference",
        )


def question(item: Item, benchmark: Benchmark, media: Sequence[MediaPart], trial: int) -> Question:
    """The question, then a line for each choice."""
    lines = [f"{letter}. {text}" for letter, text in _choices(item).items()]
    return put(benchmark, "\n".join([item.question, *lines]), media, trial, system=form_texts().choice)


def read(item: Item, benchmark: Benchmark, text: str) -> str:
    """The letter in `<answer>`, in a JSON object, alone, before its choice's text, or after "the answer is"."""
    letters = _letters(inside_answer(spoken(text)), _choices(item))
    if len(letters) != 1:
        said = ", ".join(sorted(letters)) or "no letter"
        raise UnusableAnswer(f"The answer names {said}; expected one of {', '.join(_choices(item))}.")
    return letters.pop()


def measure(item: Item, benchmark: Benchmark, reading: str) -> Measured:
    """1 where it is the right letter."""
    right = float(reading == item.reference)
    return Measured({"accuracy": right, "video_accuracy": right})


def _choices(item: Item) -> Mapping[str, str]:
    assert item.choices is not None
    return item.choices


def _letters(said: str, choices: Mapping[str, str]) -> set[str]:
    """The letters that a text decides for; none or several where it does not decide."""
    by_text = {_plain(text): letter for letter, text in choices.items()}
    if _plain(said) in by_text:
        return {by_text[_plain(said)]}
    if said[:1] in ("{", "[", '"', "`"):
        return _in_json(said, choices)
    first = _FIRST.match(said)
    if first:
        return {first.group(1).upper()} & set(choices)
    return set(_NAMED.findall(said)) & set(choices)


def _in_json(said: str, choices: Mapping[str, str]) -> set[str]:
    if said.startswith('"'):
        return _letters(said.strip('"'), choices)
    try:
        value = values_in(said)[0]
    except UnusableAnswer:
        return set()
    entry = value if isinstance(value, dict) else {}
    found = [entry[key] for key in KEYS if isinstance(entry.get(key), str)]
    return _letters(found[0].strip(), choices) if found else set()


def _plain(text: str) -> str:
    return " ".join(text.split()).strip().rstrip(".").casefold()


CHOICE = AnswerForm(("accuracy", "parseable", "video_accuracy"), check, question, read, measure)

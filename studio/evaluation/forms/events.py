"""Temporal localisation: named events, each answered with two times (Cosmos cookbook, "Cosmos Reason for Mimic Gen
temporal localization").

The truth is one time of each event, by default its end. With predictions p and truths g, an event's error is
e_i = |p_i - g_i| and its subtask lasts d_1 = g_1 or d_i = g_i - g_(i-1). MAE is the mean of e_i, MRE that of
100 · e_i / d_i in percent, and an event is hit where e_i < 4.1 / (2 · fps).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from studio.captions import UnusableAnswer
from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms.form import AnswerForm, Measured, finite, form_texts, inside_answer, put, spoken
from studio.prompting.question import MediaPart, Question
from studio.prompting.templates import fill
from studio.requests import shown

_SECONDS = r"(\d{1,6}(?:\.\d{1,6})?)\s*(?:s|sec|seconds)?"
_LINE = re.compile(r"^\W*(?:\d{1,4}[.)]\W*)?event\s*(\d{1,4})\b(.*)", re.IGNORECASE)
_BRACKETED = re.compile(rf"<\s*{_SECONDS}\s*>", re.IGNORECASE)
_PLAIN = re.compile(rf"\W*?<?{_SECONDS}\s*>?\s*(?:[-–—]|to\b|,)\s*<?{_SECONDS}\b", re.IGNORECASE)

Times = list[tuple[float, float]]


def check(item: Item, benchmark: Benchmark) -> None:
    """Events, and as many times, which rise: a subtask needs a duration."""
    if not item.events:
        raise BadInput("events is empty; expected the name of at least one event.", param="events")
    times = _truth(item, benchmark)
    if len(times) != len(item.events):
        raise BadInput(
            f"reference has {len(times)} times for {len(item.events)} events; expected one for each.", param="reference"
        )
    if any(later <= earlier for earlier, later in zip([0.0, *times], times, strict=False)):
        raise BadInput(
            f"reference is {shown(item.reference)}; the times of successive events must rise, from above 0 s.",
            param="reference",
        )


def question(item: Item, benchmark: Benchmark, media: Sequence[MediaPart], trial: int) -> Question:
    """The list of events under the contract of the recipe."""
    lines = "\n".join(f"Event {number}: {name.rstrip('.')}." for number, name in enumerate(item.events, 1))
    text = fill(form_texts().events_question, count=str(len(item.events)), events=lines)
    return put(benchmark, f"{item.question}\n{text}", media, trial, system=form_texts().events)


def read(item: Item, benchmark: Benchmark, text: str) -> list[Any]:
    """Start and end of each event, in seconds, from the lines of `<answer>`, or of the whole text without one."""
    times = read_times(spoken(text))
    if len(times) != len(item.events):
        raise UnusableAnswer(f"The answer has {len(times)} events; expected {len(item.events)}.")
    return [list(pair) for pair in times]


def read_times(text: str) -> Times:
    """Start and end of events 1, 2, … in seconds: of every line that begins with `Event 1`, one a number.

    Raises:
        UnusableAnswer: a line has not two times, or a number is missing or there twice.
    """
    lines = (_LINE.match(line) for line in inside_answer(text).splitlines())
    found = sorted((int(line.group(1)), _times(line.group(2))) for line in lines if line)
    numbers = [number for number, _ in found]
    if numbers != list(range(1, len(found) + 1)):
        raise UnusableAnswer(f"The answer has the events {', '.join(map(str, numbers))}; expected each once, from 1.")
    return [times for _, times in found]


def measure(item: Item, benchmark: Benchmark, reading: Times) -> Measured:
    """Errors of the times that count."""
    truth = np.array(_truth(item, benchmark))
    predicted = np.array([pair[0 if benchmark.events.counted == "start" else 1] for pair in reading])
    errors = np.abs(predicted - truth)
    relative = 100 * errors / np.diff(truth, prepend=0.0)
    mre = float(relative.mean())
    return Measured(
        {
            "mae_s": float(errors.mean()),
            "mre_percent": mre,
            "hit_rate": float((errors < benchmark.tolerance_s).mean()),
            "success": float(mre < benchmark.events.max_relative_error_percent),
        }
    )


def _times(said: str) -> tuple[float, float]:
    """The first two times in brackets, wherever they stand, else two at the beginning."""
    bracketed: list[str] = _BRACKETED.findall(said)
    if len(bracketed) >= 2:
        return float(bracketed[0]), float(bracketed[1])
    found = _PLAIN.match(said)
    if found is None:
        raise UnusableAnswer(f"An event has no start and end time: {shown(said.strip())}.")
    return float(found.group(1)), float(found.group(2))


def _truth(item: Item, benchmark: Benchmark) -> list[float]:
    """The times that count, in seconds."""
    given: list[Any] = item.reference if isinstance(item.reference, list) else [item.reference]
    place = 0 if benchmark.events.counted == "start" else 1
    times: list[float] = []
    for one in given:
        pair = cast(list[Any], one) if isinstance(one, list) else [one, one]
        time = finite(pair[place]) if len(pair) == 2 else None
        if time is None:
            raise BadInput(
                f"reference is {shown(item.reference)}; expected a time in seconds for each event, or [start, end].",
                param="reference",
            )
        times.append(time)
    return times


EVENTS = AnswerForm(("mre_percent", "mae_s", "hit_rate", "success", "parseable"), check, question, read, measure)

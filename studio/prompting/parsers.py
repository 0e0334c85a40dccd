"""From an answer's text to typed results. A parser raises UnusableAnswer and nothing else."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, cast

from studio.captions import UnusableAnswer, object_in, sendable, values_in
from studio.prompting.entries import Entry, NotOne, as_text, field_of, numbers_of, read_entries, text_of
from studio.prompting.results import (
    GRID,
    MAX_RESULTS,
    Box,
    Frame,
    Interval,
    Label,
    Parsed,
    ParserName,
    Point,
    Prose,
    Step,
    Verdict,
)
from studio.requests import shown

START_NAMES = ("start", "start_time", "from", "begin")
END_NAMES = ("end", "end_time", "to", "stop")
EVENT_NAMES = ("caption", "label", "event", "description", "action")

_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,4}):(\d{1,2}(?:\.\d{1,6})?)")
_SECONDS = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\s*(?:s|sec|seconds)?")


def read_interval(entry: Entry, duration_s: float | None) -> Interval:
    """One entry; what runs past the end of the clip is cut there.

    Raises:
        NotOne: it has no times, or ends before it begins, or begins after the clip has ended.
    """
    start = seconds_from(field_of(entry, START_NAMES))
    end = seconds_from(field_of(entry, END_NAMES))
    if end < start:
        raise NotOne(f"the end at {end:g} s is before the start at {start:g} s")
    if duration_s is not None:
        if start > duration_s:
            raise NotOne(f"the start at {start:g} s is after the end of the video at {duration_s:g} s")
        end = min(end, duration_s)
    return Interval(start_s=start, end_s=end, label=text_of(entry, EVENT_NAMES))


def seconds_from(value: Any) -> float:
    """`5.7`, `"5.7s"`, `"00:05.70"` and `"0:00:05.7"` are 5.7.

    Raises:
        NotOne: it is no time.
    """
    text = as_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        text = ""
    found = _SECONDS.fullmatch(text)
    if found:
        return float(found.group(1))
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise NotOne(f"{shown(value)} is not a time")
    hours, minutes, seconds = found.groups()
    return int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds)


MAX_REASON = 2000

_SCORE = re.compile(r"\b(?:score|rating)\D{0,12}([1-5])\b|\b([1-5])\s*(?:/|out of)\s*5\b", re.IGNORECASE)
_LETTER = re.compile(r"^\W*([AB])\s*(?:[).:,]|$|\n)")
_NO = re.compile(r"\b(?:impossible|implausible|no|false|not\s+(?:\w+\s+)?(?:plausible|possible))\b", re.IGNORECASE)
_YES = re.compile(r"\b(?:possible|plausible|yes|true)\b", re.IGNORECASE)
_WORDS = {"true": True, "yes": True, "false": False, "no": False}


def read_verdict(text: str) -> Verdict:
    """The object that was asked for, else the first letter, number or word that decides.

    Raises:
        UnusableAnswer: nothing does.
    """
    try:
        entry, _ = object_in(text)
    except UnusableAnswer:
        return _from_prose(text)
    plausible = entry.get("plausible", entry.get("possible"))
    if isinstance(plausible, str):
        plausible = _WORDS.get(plausible.strip().lower())
    score = _plain_score(entry.get("score", entry.get("rating")))
    if not isinstance(plausible, bool):
        plausible = None
    if plausible is None and score is None:
        raise UnusableAnswer('The answer has neither "plausible" (true or false) nor a "score" from 1 to 5.')
    reason = entry.get("reason", entry.get("explanation"))
    return Verdict(plausible=plausible, score=score, reason=as_text(reason))


def _from_prose(text: str) -> Verdict:
    letter = _LETTER.match(text)
    scored = _SCORE.search(text)
    score = int(next(group for group in scored.groups() if group)) if scored else None
    if letter:
        # The choices of the reasoner's own guide: (A) possible, (B) impossible.
        plausible: bool | None = letter.group(1) == "A"
    else:
        plausible = False if _NO.search(text) else True if _YES.search(text) else None
    if plausible is None and score is None:
        raise UnusableAnswer("The answer does not say whether it is plausible.")
    reason = sendable(text.strip()[:MAX_REASON])
    return Verdict(plausible=plausible, score=score, reason=reason)


def _plain_score(value: Any) -> int | None:
    text = as_text(value).removesuffix(".0")
    return int(text) if re.fullmatch("[1-5]", text) else None


Parser = Callable[[str, Frame], Parsed]

OVERSHOOT = 10
"""Beyond the grid by so much is taken as its edge; further out, the answer is on another scale."""
MAX_STEP = 1000

BOX_NAMES = ("bbox_2d", "box_2d", "bbox", "bounding_box", "box")
POINT_NAMES = ("point_2d", "point", "coordinates", "position")
LABEL_NAMES = ("label", "name", "category", "object")
STEP_NAMES = ("description", "action", "subtask", "text", "step")

_PAIR = re.compile(r"[(\[]\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)\s*[)\]]")
_MARKED = re.compile(r"^\s*(?:(?:step\s*)?(\d{1,3})\s*[.):]|[-*•])\s+(.*)", re.IGNORECASE)


def parse_prose(text: str, frame: Frame) -> Parsed:
    """The answer as it is."""
    if not text.strip():
        raise UnusableAnswer("The answer is empty.")
    return Parsed(results=(Prose(text=sendable(text.strip())),))


def parse_boxes(text: str, frame: Frame) -> Parsed:
    """`[{"bbox_2d": [x1, y1, x2, y2], "label": "cup"}]` on a grid of 0 to 1000; corners are put in order."""

    def read(entry: Entry) -> Box:
        x1, y1, x2, y2 = _on_grid(numbers_of(field_of(entry, BOX_NAMES), 4))
        left, right, top, bottom = min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
        x, y = _pixels(frame)
        pixels = (left * x, top * y, right * x, bottom * y) if x and y else None
        return Box(label=text_of(entry, LABEL_NAMES), box_2d=(left, top, right, bottom), pixels=pixels)

    return read_entries(text, read, bare=BOX_NAMES[0])


def parse_points(text: str, frame: Frame) -> Parsed:
    """`[{"point_2d": [x, y], "label": "cup"}]` on a grid of 0 to 1000, or pairs of numbers in prose."""

    def read(entry: Entry) -> Point:
        found = field_of(entry, POINT_NAMES)
        if found is None and "x" in entry and "y" in entry:
            found = [entry["x"], entry["y"]]
        across, down = _on_grid(numbers_of(found, 2))
        x, y = _pixels(frame)
        pixels = (across * x, down * y) if x and y else None
        return Point(label=text_of(entry, LABEL_NAMES), point_2d=(across, down), pixels=pixels)

    try:
        return read_entries(text, read, bare=POINT_NAMES[0])
    except UnusableAnswer:
        pairs: list[tuple[str, str]] = _PAIR.findall(text[:20_000])[:MAX_RESULTS]
        if not pairs:
            raise
    try:
        return Parsed(results=tuple(read({"point_2d": list(pair)}) for pair in pairs))
    except NotOne as error:
        raise UnusableAnswer(f"The answer's points cannot be used: {error}.") from None


def parse_intervals(text: str, frame: Frame) -> Parsed:
    """`[{"start": 1.5, "end": 4, "caption": "…"}]`; times in seconds or as `mm:ss.ff`."""
    return read_entries(text, lambda entry: read_interval(entry, frame.duration_s))


def parse_labels(text: str, frame: Frame) -> Parsed:
    """`[{"subject_id": "2", "category": "ski", "caption": "…"}]`."""

    def read(entry: Entry) -> Label:
        category = text_of(entry, ("category", "label", "name"))
        caption = text_of(entry, ("caption", "description"))
        if not category and not caption:
            raise NotOne("neither a category nor a caption")
        return Label(subject_id=text_of(entry, ("subject_id", "id", "mark")), category=category, caption=caption)

    return read_entries(text, read)


def parse_steps(text: str, frame: Frame) -> Parsed:
    """A JSON list of steps, or numbered or bulleted lines; without either every line is a step."""
    steps = _json_steps(text) or _marked_steps(text) or [line.strip() for line in text.splitlines() if line.strip()]
    if not steps:
        raise UnusableAnswer("The answer has no steps.")
    clean = [as_text(step[:MAX_STEP]) for step in steps[:MAX_RESULTS]]
    return Parsed(results=tuple(Step(number=number, text=step) for number, step in enumerate(clean, 1)))


def _json_steps(text: str) -> list[str]:
    try:
        values = values_in(text)
    except UnusableAnswer:
        return []
    steps: list[str] = []
    for value in values:
        for item in _first_list(value):
            said = text_of(cast(Entry, item), STEP_NAMES) if isinstance(item, dict) else as_text(item)
            if said and not said.isdigit():
                steps.append(said)
    return steps


def _first_list(value: dict[str, Any] | list[Any]) -> list[Any]:
    """A list, or the first list in an object: `{"plan": ["…"]}`."""
    if isinstance(value, list):
        return value
    lists = [cast(list[Any], child) for child in value.values() if isinstance(child, list)]
    return lists[0] if lists else []


def _marked_steps(text: str) -> list[str]:
    steps: list[str] = []
    for line in text.splitlines():
        match = _MARKED.match(line)
        if match:
            steps.append(match.group(2).strip())
        elif steps and line.strip():
            steps[-1] = f"{steps[-1]} {line.strip()}"
    return [step for step in steps if step]


def parse_verdict(text: str, frame: Frame) -> Parsed:
    """`{"plausible": false, "score": 2, "reason": "…"}`, or a letter or a word that says so."""
    return Parsed(results=(read_verdict(text),))


def _on_grid(numbers: list[float]) -> list[float]:
    if min(numbers) < -OVERSHOOT or max(numbers) > GRID + OVERSHOOT:
        raise NotOne(f"coordinates run from 0 to {GRID}")
    return [min(max(number, 0.0), float(GRID)) for number in numbers]


def _pixels(frame: Frame) -> tuple[float, float]:
    """Pixels to one step of the grid, across and down; 0 where the size is not known."""
    return (frame.width or 0) / GRID, (frame.height or 0) / GRID


PARSERS: dict[ParserName, Parser] = {
    "prose": parse_prose,
    "boxes": parse_boxes,
    "points": parse_points,
    "intervals": parse_intervals,
    "labels": parse_labels,
    "steps": parse_steps,
    "verdict": parse_verdict,
}

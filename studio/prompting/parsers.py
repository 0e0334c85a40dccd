"""From an answer's text to typed results. A parser raises UnusableAnswer and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, cast

from studio.captions import UnusableAnswer, values_in
from studio.prompting.entries import Entry, NotOne, as_text, field_of, numbers_of, read_entries, text_of
from studio.prompting.intervals import read_interval
from studio.prompting.results import GRID, MAX_RESULTS, Box, Frame, Label, Parsed, Point, Prose, Step
from studio.prompting.verdicts import read_verdict

ParserName = Literal["prose", "boxes", "points", "intervals", "labels", "steps", "verdict"]
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
    return Parsed(results=(Prose(text=text.strip().encode(errors="replace").decode()),))


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
        raise UnusableAnswer("The answer holds no steps.")
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

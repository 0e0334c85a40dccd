"""Training conversations as a benchmark: what the user said is the question, what the assistant said is the truth.

The form follows from the first answer: events where it lists `Event 1: <start> <end>`, fields of an annotation where it
is such an object, else text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from studio.captions import UnusableAnswer, object_in
from studio.evaluation.benchmark import EVENTS_FPS, Benchmark, Settings
from studio.evaluation.forms.events import read_times
from studio.evaluation.forms.fields import stated
from studio.evaluation.forms.form import inside_answer
from studio.evaluation.layouts.rows import LocatedRow, Origin, assemble, name_of
from studio.evaluation.schema import AnnotationSchema
from studio.requests import shown

EVENT_SETTINGS = Settings(fps=EVENTS_FPS, temperature=0.6, trials=10, max_tokens=4096)
"""Of the recipe for temporal localisation."""
TEXT_SETTINGS = Settings(max_tokens=4096)

_NAMED = re.compile(r"^[\W_]*event\s*\d{1,4}\s*[:.)-]\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)


class Earlier(NamedTuple):
    """A question of the same conversation with its answer, before the one that counts.

    Attributes:
        media: as the row names them.
    """

    media: tuple[str, ...]
    question: str
    answer: str


class Exchange(NamedTuple):
    """One question and its answer.

    Attributes:
        origin: where it stands.
        id: its own, or none.
        media: as the row names them.
        system: the system prompt; empty without one.
        question: what the user said beside the media.
        answer: what the assistant said.
        answer_field: that holds it.
        category: of the tables.
        earlier: what was said before, in order.
    """

    origin: Origin
    id: str
    media: tuple[str, ...]
    system: str
    question: str
    answer: str
    answer_field: str
    category: str = ""
    earlier: tuple[Earlier, ...] = ()


def conversations_as_benchmark(
    exchanges: Sequence[Exchange],
    folder: Path,
    what: str,
    schema: AnnotationSchema,
    settings: Settings | None = None,
) -> Benchmark:
    """A benchmark of conversations.

    Args:
        exchanges: in order.
        folder: that media are relative to.
        what: names the file for errors.
        schema: of annotations.
        settings: instead of the form's.

    Raises:
        BadInput: system prompts differ, events and times do not match, or what `assemble` raises.
    """
    form, fields = _form(exchanges, schema)
    default = EVENT_SETTINGS if form == "events" else TEXT_SETTINGS
    given: dict[str, Any] = {
        "name": name_of(folder),
        "form": form,
        "system": _system(exchanges),
        "settings": settings or default,
        **fields,
    }
    names = _ids(exchanges)
    rows = [
        LocatedRow(exchange.origin, {**_item(exchange, form), "id": name, "category": exchange.category})
        for exchange, name in zip(exchanges, names, strict=True)
    ]
    return assemble(given, rows, folder, what)


def _form(exchanges: Sequence[Exchange], schema: AnnotationSchema) -> tuple[str, dict[str, Any]]:
    first = exchanges[0].answer if exchanges else ""
    if _times(first):
        return "events", {}
    if stated(schema, _annotation(first) or {}):
        return "fields", {"annotation": schema}
    return "text", {}


def _item(exchange: Exchange, form: str) -> dict[str, Any]:
    item: dict[str, Any] = {"media": exchange.media}
    match form:
        case "events":
            names = [name.rstrip(".") for name in _NAMED.findall(exchange.question)]
            times = _times(exchange.answer)
            if len(names) != len(times):
                raise exchange.origin.fault(
                    f"the user names {len(names)} events and the assistant gives {len(times)} times.",
                    exchange.answer_field,
                )
            return {**item, "events": names, "reference": [list(pair) for pair in times]}
        case "fields":
            annotation = _annotation(exchange.answer)
            if annotation is None:
                raise exchange.origin.fault(
                    f"the assistant says {shown(exchange.answer)}; expected a JSON object, as in the first row.",
                    exchange.answer_field,
                )
            return {**item, "question": exchange.question, "reference": annotation}
        case _:
            return {**item, "question": exchange.question, "reference": inside_answer(exchange.answer)}


def _times(answer: str) -> list[tuple[float, float]]:
    try:
        return read_times(answer)
    except UnusableAnswer:
        return []


def _annotation(answer: str) -> dict[str, Any] | None:
    try:
        return object_in(answer)[0]
    except UnusableAnswer:
        return None


def _system(exchanges: Sequence[Exchange]) -> str:
    """The one system prompt. Raises BadInput: a row has another."""
    for exchange in exchanges:
        if exchange.system != exchanges[0].system:
            raise exchange.origin.fault(
                f"its system prompt differs from that of row {exchanges[0].origin.row}; a benchmark has one.",
                "system",
                hint="Make a benchmark for each system prompt.",
            )
    return exchanges[0].system if exchanges else ""


def _ids(exchanges: Sequence[Exchange]) -> list[str]:
    """The rows' own ids, else the names of their media, with the row's number where several have one."""
    found = [exchange.id or (Path(exchange.media[0]).stem if exchange.media else "") for exchange in exchanges]
    counted = Counter(found)
    return [
        name if name and (exchange.id or counted[name] == 1) else f"{name or 'row'}-{exchange.origin.row}"
        for name, exchange in zip(found, exchanges, strict=True)
    ]

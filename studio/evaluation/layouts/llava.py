"""Rows as LLaVA has them, in a `meta.json`; an item for each pair of turns.

[{"id": "7", "video": "clips/7.mp4", "conversations": [{"from": "human", "value": "<video>\\nWhat happens?"},
                                                       {"from": "gpt", "value": "A car stops."}]}]
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

from studio.evaluation.benchmark import Benchmark
from studio.evaluation.layouts.conversations import Exchange, conversations_as_benchmark
from studio.evaluation.layouts.rows import LocatedRow, read_rows
from studio.evaluation.schema import AnnotationSchema
from studio.requests import shown

META = "meta.json"
MEDIA = ("video", "videos", "image", "images")
SPEAKERS = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "system": "system"}

_TOKEN = re.compile(r"<(?:image|video)>\s*")


def read_llava(path: Path, schema: AnnotationSchema) -> Benchmark:
    """A file of rows. Raises BadInput."""
    return conversations_as_benchmark(exchanges_of(path), path.parent, path.name, schema)


def exchanges_of(path: Path, *, prefix: str = "", category: str = "") -> list[Exchange]:
    """Every pair of turns of a file.

    Args:
        path: of the file.
        prefix: folder that its media are relative to, within the benchmark's.
        category: of its items, unless a row has its own.

    Raises:
        BadInput: a row does not fit.
    """
    return [exchange for row in read_rows(path) for exchange in _exchanges(row, prefix, category)]


def _exchanges(row: LocatedRow, prefix: str, category: str) -> list[Exchange]:
    media = _media(row)
    turns = _turns(row)
    system = turns.pop(0)[1] if turns and turns[0][0] == "system" else ""
    if not turns or len(turns) % 2 or any(who != ("user", "assistant")[at % 2] for at, (who, _) in enumerate(turns)):
        raise row.origin.fault("conversations do not alternate; expected human and gpt, in pairs.", "conversations")
    pairs = list(zip(turns[::2], turns[1::2], strict=True))
    name = str(row.fields.get("id", ""))
    return [
        Exchange(
            origin=row.origin,
            id=name if not name or len(pairs) == 1 else f"{name}-{number}",
            media=tuple(f"{prefix}/{medium}" if prefix else medium for medium in media),
            system=system,
            question=_TOKEN.sub("", question).strip(),
            answer=answer,
            answer_field="conversations",
            category=str(row.fields.get("category", category)),
        )
        for number, ((_, question), (_, answer)) in enumerate(pairs, 1)
    ]


def _media(row: LocatedRow) -> list[str]:
    name = next((name for name in MEDIA if name in row.fields), None)
    if name is None:
        raise row.origin.fault("video is missing.", "video", hint='Or "image", where it is about an image.')
    value: Any = row.fields[name]
    media = cast(list[Any], value) if isinstance(value, list) else [value]
    if not media or not all(isinstance(one, str) and one for one in media):
        raise row.origin.fault(f"{name} is {shown(cast(object, value))}; expected a path.", name)
    return media


def _turns(row: LocatedRow) -> list[tuple[str, str]]:
    given: Any = row.fields.get("conversations")
    if not isinstance(given, list):
        raise row.origin.fault(
            "conversations is missing." if given is None else f"conversations is {shown(given)}; expected a list.",
            "conversations",
        )
    turns: list[tuple[str, str]] = []
    for number, turn in enumerate(cast(list[Any], given)):
        fields = cast(dict[str, Any], turn) if isinstance(turn, dict) else {}
        speaker, value = SPEAKERS.get(str(fields.get("from"))), fields.get("value")
        if speaker is None or not isinstance(value, str) or not value.strip():
            raise row.origin.fault(
                f'conversations.{number} is {shown(cast(object, turn))}; expected "from" human or gpt and a "value".',
                f"conversations.{number}",
            )
        turns.append((speaker, value))
    return turns

"""Rows of chat messages, as the recipe for temporal localisation trains on them.

    {"messages": [
        {"role": "system", "content": "…"},
        {"role": "user", "content": [{"type": "video", "video": "videos/a.mp4"}, {"type": "text", "text": "…"}]},
        {"role": "assistant", "content": "<answer>\\nEvent 1: <2.9> <5.5> grasping the pod\\n</answer>"}]}

The list may be called `conversations`, and a row may have an `id` and a `category` or `task`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from studio.evaluation.benchmark import Benchmark
from studio.evaluation.layouts.conversations import Exchange, conversations_as_benchmark
from studio.evaluation.layouts.rows import LocatedRow, read_rows
from studio.evaluation.schema import AnnotationSchema
from studio.requests import shown

LISTS = ("messages", "conversations")


def read_messages(path: Path, schema: AnnotationSchema) -> Benchmark:
    """A `.jsonl` or `.json` file of messages. Raises BadInput."""
    exchanges = [exchange_of(row) for row in read_rows(path)]
    return conversations_as_benchmark(exchanges, path.parent, path.name, schema)


def holds_messages(fields: dict[str, Any]) -> bool:
    """Whether a row is of this layout: its turns have roles."""
    named = (fields[name] for name in LISTS if isinstance(fields.get(name), list))
    turns = next(named, list[Any]())
    return bool(turns) and isinstance(turns[0], dict) and "role" in turns[0]


def exchange_of(row: LocatedRow) -> Exchange:
    """A row's one question and answer. Raises BadInput."""
    name = next((name for name in LISTS if name in row.fields), None)
    if name is None:
        raise row.origin.fault("messages is missing.", "messages")
    turns = row.fields[name]
    if not isinstance(turns, list):
        raise row.origin.fault(f"{name} is {shown(turns)}; expected a list of messages.", name)
    said: dict[str, Any] = {}
    roles: list[str] = []
    for number, turn in enumerate(cast(list[Any], turns)):
        fields = cast(dict[str, Any], turn) if isinstance(turn, dict) else {}
        if not isinstance(fields.get("role"), str) or "content" not in fields:
            raise row.origin.fault(
                f"{name}.{number} is {shown(cast(object, turn))}; expected a role and its content.", f"{name}.{number}"
            )
        roles.append(fields["role"])
        said[fields["role"]] = (fields["content"], f"{name}.{number}.content")
    if roles not in (["user", "assistant"], ["system", "user", "assistant"]):
        raise row.origin.fault(
            f"{name} has the roles {', '.join(roles) or 'of nobody'}; expected system, user and assistant, once each.",
            name,
        )
    answer, field = said["assistant"]
    media, question = _parts(row, *said["user"])
    return Exchange(
        origin=row.origin,
        id=str(row.fields.get("id", "")),
        media=media,
        system=_text(row, *said["system"]) if "system" in said else "",
        question=question,
        answer=_text(row, answer, field),
        answer_field=field,
        category=str(row.fields.get("category", row.fields.get("task", ""))),
    )


def _parts(row: LocatedRow, content: Any, field: str) -> tuple[tuple[str, ...], str]:
    """The media and the words of a message."""
    if isinstance(content, str):
        return (), content
    media: list[str] = []
    words: list[str] = []
    for number, part in enumerate(cast(list[Any], content) if isinstance(content, list) else []):
        fields = cast(dict[str, Any], part) if isinstance(part, dict) else {}
        kind = fields.get("type")
        value = fields.get(kind) if kind in ("text", "image", "video") else None
        if not isinstance(value, str):
            raise row.origin.fault(
                f"{field}.{number} is {shown(cast(object, part))}; expected a video, an image or a text.",
                f"{field}.{number}",
            )
        (words if kind == "text" else media).append(value)
    return tuple(media), "\n".join(words)


def _text(row: LocatedRow, content: Any, field: str) -> str:
    """The words of a message that has no media."""
    media, words = _parts(row, content, field)
    if media or not words.strip():
        raise row.origin.fault(f"{field} is {shown(content)}; expected a text.", field)
    return words

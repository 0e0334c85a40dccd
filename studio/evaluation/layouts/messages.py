"""Rows of chat messages, as the recipe for temporal localisation trains on them.

    {"messages": [
        {"role": "system", "content": "…"},
        {"role": "user", "content": [{"type": "video", "video": "videos/a.mp4"}, {"type": "text", "text": "…"}]},
        {"role": "assistant", "content": "<answer>\\nEvent 1: <2.9> <5.5> grasping the pod\\n</answer>"}]}

The list may be called `conversations`, and a row may have an `id` and a `category` or `task`. A row may go on with
further questions and answers, each of which may show something; they are learnt with what was said before them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from studio.evaluation.benchmark import Benchmark
from studio.evaluation.layouts.conversations import Earlier, Exchange, conversations_as_benchmark
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
    """A row's one question and answer. Raises BadInput, also where it has several."""
    found = exchanges_of(row)
    if len(found) > 1:
        raise row.origin.fault(
            f"it has {len(found)} questions; a benchmark has one in a row.",
            found[1].answer_field.partition(".")[0],
            hint="Make a row of each question.",
        )
    return found[0]


def exchanges_of(row: LocatedRow) -> list[Exchange]:
    """Every question of a row with its answer, and what was said before it. Raises BadInput."""
    name, turns = _turns(row)
    roles = [role for role, _, _ in turns]
    begins = 1 if roles[:1] == ["system"] else 0
    asked, answered = turns[begins::2], turns[begins + 1 :: 2]
    if not answered or roles[begins:] != ["user", "assistant"] * len(answered):
        raise row.origin.fault(
            f"{name} has the roles {', '.join(roles) or 'of nobody'}; expected user and assistant in turn, with a "
            "system prompt before them or without one.",
            name,
        )
    system = _text(row, *turns[0][1:]) if begins else ""
    own = str(row.fields.get("id", ""))
    found: list[Exchange] = []
    earlier: tuple[Earlier, ...] = ()
    for number, ((_, question, where), (_, answer, field)) in enumerate(zip(asked, answered, strict=True), 1):
        media, words = _parts(row, question, where)
        said = _text(row, answer, field)
        found.append(
            Exchange(
                origin=row.origin,
                id=own if not own or len(answered) == 1 else f"{own}-{number}",
                media=media,
                system=system,
                question=words,
                answer=said,
                answer_field=field,
                category=str(row.fields.get("category", row.fields.get("task", ""))),
                earlier=earlier,
            )
        )
        earlier = (*earlier, Earlier(media, words, said))
    return found


def _turns(row: LocatedRow) -> tuple[str, list[tuple[str, Any, str]]]:
    """The field that holds them; of each its role, its content and where that stands."""
    name = next((name for name in LISTS if name in row.fields), None)
    if name is None:
        raise row.origin.fault("messages is missing.", "messages")
    listed = row.fields[name]
    if not isinstance(listed, list):
        raise row.origin.fault(f"{name} is {shown(listed)}; expected a list of messages.", name)
    turns: list[tuple[str, Any, str]] = []
    for number, turn in enumerate(cast(list[Any], listed)):
        fields = cast(dict[str, Any], turn) if isinstance(turn, dict) else {}
        if not isinstance(fields.get("role"), str) or "content" not in fields:
            raise row.origin.fault(
                f"{name}.{number} is {shown(cast(object, turn))}; expected a role and its content.", f"{name}.{number}"
            )
        turns.append((fields["role"], fields["content"], f"{name}.{number}.content"))
    return name, turns


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

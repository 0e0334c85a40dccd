"""Data sets as questions and answers to be learnt: messages, LLaVA's rows, and label files under a schema."""

from __future__ import annotations

import json
from pathlib import Path

from studio.errors import BadInput
from studio.evaluation.layouts import llava, messages
from studio.evaluation.layouts.conversations import Exchange
from studio.evaluation.layouts.labels import holds_labels, label_rows
from studio.evaluation.layouts.rows import read_rows
from studio.evaluation.schema import AnnotationSchema, load_schema

NOT_LEARNT = ("critical_object", "noninteractive_expanded_metaaction")
"""Fields of a label that its answer leaves out (cosmos-cookbook, av_video_caption_vqa)."""


def read_exchanges(folder: Path, schema: AnnotationSchema | None = None) -> list[Exchange]:
    """Every question with its answer; media are relative to the folder.

    Args:
        folder: with `videos/` and `metas/*.label.json`, `meta.json`, or one file of messages.
        schema: of annotations; none is that for driving.

    Raises:
        BadInput: it has no known layout, or a row does not fit.
    """
    if holds_labels(folder):
        return _labelled(folder, schema or load_schema("av"))
    chosen = conversations_file(folder)
    if chosen is None:
        raise BadInput(
            f"{folder} has no known layout of conversations.",
            param="data",
            hint=f"Expected {llava.META}, one .json or .jsonl file of messages, or videos/ with metas/*.label.json.",
        )
    rows = read_rows(chosen)
    if rows and messages.holds_messages(rows[0].fields):
        return [exchange for row in rows for exchange in messages.exchanges_of(row)]
    return llava.exchanges_of(chosen)


def conversations_file(folder: Path) -> Path | None:
    """The file whose rows are conversations: `meta.json`, else the only .json or .jsonl file of the folder, if any."""
    files = sorted(path for path in folder.glob("*.json*") if path.suffix in (".json", ".jsonl"))
    return folder / llava.META if folder / llava.META in files else files[0] if len(files) == 1 else None


def _labelled(folder: Path, annotations: AnnotationSchema) -> list[Exchange]:
    found: list[Exchange] = []
    for row in label_rows(folder):
        label = {name: value for name, value in row.fields["reference"].items() if name not in NOT_LEARNT}
        found.append(
            Exchange(
                origin=row.origin,
                id=row.fields["id"],
                media=tuple(row.fields["media"]),
                system=annotations.system,
                question=annotations.question(),
                answer=f"```json\n{json.dumps(label, indent=2)}\n```",
                answer_field="reference",
            )
        )
    return found

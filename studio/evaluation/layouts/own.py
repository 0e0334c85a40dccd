"""Our own layout: `benchmark.toml` with the benchmark's fields, and `items.jsonl` or `eval.jsonl` with a row an item.

Without `benchmark.toml` the form is that of the first row: a request, choices, or a text or a number as reference.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark
from studio.evaluation.corrections import Correction
from studio.evaluation.layouts.rows import LocatedRow, Origin, assemble, name_of, read_object, read_rows, read_text
from studio.evaluation.schema import load_schema
from studio.requests import parse_as

MANIFEST = "benchmark.toml"
ITEMS = ("items.jsonl", "eval.jsonl")
JSON_MANIFEST = "benchmark.json"
"""The same as JSON, which an exported run has."""
CORRECTIONS = "corrections.jsonl"
"""What people have corrected, beside the items of an exported run."""


def read_own(folder: Path) -> Benchmark:
    """A folder in our layout. Raises BadInput."""
    items = next((folder / name for name in ITEMS if (folder / name).is_file()), None)
    if items is None:
        raise BadInput(f"{folder} has no items; expected {' or '.join(ITEMS)} beside {MANIFEST}.", param="items")
    rows = [_with_reference(row) for row in read_rows(items)]
    manifest = next((folder / name for name in (MANIFEST, JSON_MANIFEST) if (folder / name).is_file()), None)
    if manifest is None:
        return assemble({"name": name_of(folder), "form": _form_of(rows, items.name)}, rows, folder, items.name)
    fields = _manifest(manifest)
    return assemble({"name": name_of(folder), **fields}, rows, folder, manifest.name)


def read_corrections(folder: Path) -> tuple[Correction, ...]:
    """What people have corrected of a folder's items; nothing without the file. Raises BadInput."""
    file = folder / CORRECTIONS
    return tuple(_correction(row) for row in read_rows(file)) if file.is_file() else ()


def _correction(row: LocatedRow) -> Correction:
    try:
        return parse_as(Correction, row.fields)
    except BadInput as error:
        raise row.origin.fault(error.message, error.param or "", error.hint) from None


def _manifest(path: Path) -> dict[str, Any]:
    if path.name == JSON_MANIFEST:
        return read_object(path).fields
    try:
        fields = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Origin(path.name).fault(f"it is not TOML: {error}.") from None
    if isinstance(fields.get("annotation"), str):
        fields["annotation"] = load_schema(_beside(path, fields["annotation"]))
    return fields


def _beside(manifest: Path, schema: str) -> str:
    """A schema's id as it is, and its file as a path from the manifest's folder."""
    return str(manifest.parent / schema) if schema.endswith(".toml") else schema


def _with_reference(row: LocatedRow) -> LocatedRow:
    """`answer` is another name of `reference`, and is what people write for a letter."""
    if "answer" not in row.fields:
        return row
    if row.fields.get("reference") is not None:
        raise row.origin.fault("answer and reference are both given; use one of them.", "answer")
    others = {name: value for name, value in row.fields.items() if name != "answer"}
    return LocatedRow(row.origin, {**others, "reference": row.fields["answer"]})


def _form_of(rows: list[LocatedRow], name: str) -> str:
    first = rows[0].fields if rows else {}
    reference = first.get("reference")
    if first.get("request"):
        return "generation"
    if first.get("choices"):
        return "choice"
    if isinstance(reference, str) or not rows:
        return "text"
    if isinstance(reference, int | float) and not isinstance(reference, bool):
        return "number"
    raise rows[0].origin.fault(
        "its form cannot be told: it has no choices, and its reference is neither a text nor a number.",
        "reference",
        hint=f"Write the form into {MANIFEST} beside {name}.",
    )

"""Readers of benchmarks on disk: our own layout, those of the Cosmos recipes, and LLaVA's.

`read` tells them apart; every error names file, row and field.
"""

from __future__ import annotations

from pathlib import Path

from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark
from studio.evaluation.layouts.blend import holds_blend, read_blend, root_of
from studio.evaluation.layouts.labels import holds_labels, read_labels
from studio.evaluation.layouts.llava import META, read_llava
from studio.evaluation.layouts.messages import holds_messages, read_messages
from studio.evaluation.layouts.own import ITEMS, MANIFEST, read_corrections, read_own
from studio.evaluation.layouts.rows import read_rows
from studio.evaluation.schema import AnnotationSchema, load_schema

__all__ = ["folder_of", "read", "read_corrections"]

EXPECTED = (
    f"{MANIFEST} with {' or '.join(ITEMS)}; a .jsonl or .json file of messages; videos/ and metas/*.label.json; "
    f"{META}; or a .toml file with [custom.dataset]"
)


def read(path: Path, schema: AnnotationSchema | None = None) -> Benchmark:
    """A benchmark from a folder or a file; its items are checked and its media are there.

    Args:
        path: of it.
        schema: of annotations, where the layout does not name one; none is that for driving.

    Raises:
        BadInput: it has no known layout, or a row does not fit.
    """
    annotations = schema or load_schema("av")
    file = _file_of(path)
    if file.is_dir():
        return read_labels(file, annotations)
    if file.name == MANIFEST or file.name in ITEMS:
        return _items(file, annotations)
    if file.suffix.lower() == ".toml":
        return read_blend(file, annotations)
    return _rows(file, annotations)


def folder_of(path: Path) -> Path:
    """The folder that the media of `read(path)` are relative to. Raises BadInput."""
    file = _file_of(path)
    if file.is_dir():
        return file
    return root_of(file) if file.suffix.lower() == ".toml" and file.name != MANIFEST else file.parent


def _file_of(path: Path) -> Path:
    """The file that says which layout it is; a folder of label files stands for itself."""
    if path.is_file():
        if path.suffix.lower() in (".jsonl", ".json") or path.name == MANIFEST:
            return path
        if path.suffix.lower() == ".toml" and holds_blend(path):
            return path
        raise BadInput(f"{path} has no known layout.", param="path", hint=f"Expected {EXPECTED}.")
    if not path.is_dir():
        raise BadInput(f"{path} is neither a file nor a folder.", param="path")
    for name in (MANIFEST, *ITEMS, META):
        if (path / name).is_file():
            return path / name
    if holds_labels(path):
        return path
    files = sorted(one for one in path.iterdir() if one.suffix.lower() in (".jsonl", ".json") and one.is_file())
    if len(files) == 1:
        return files[0]
    several = f" It has {', '.join(one.name for one in files[:5])}; name one of them." if files else ""
    raise BadInput(f"{path} has no known layout.{several}", param="path", hint=f"Expected {EXPECTED}.")


def _items(file: Path, annotations: AnnotationSchema) -> Benchmark:
    """Our own layout; a file of messages may have its file's name."""
    rows = read_rows(file) if file.suffix == ".jsonl" else []
    if rows and holds_messages(rows[0].fields):
        return read_messages(file, annotations)
    return read_own(file.parent)


def _rows(file: Path, annotations: AnnotationSchema) -> Benchmark:
    rows = read_rows(file)
    if rows and "conversations" in rows[0].fields and not holds_messages(rows[0].fields):
        return read_llava(file, annotations)
    return read_messages(file, annotations)

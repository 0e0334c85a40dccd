"""Spec files: which ones are meant, and the samples that lie in them, as they are written."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from studio.errors import BadInput
from studio.requests import shown
from studio.specs.windows import Written, is_dataset_row, read_windows


def parse_overrides(words: Sequence[str]) -> dict[str, Any]:
    """Fields by name, nested at dots. A value is JSON where it can be read as JSON, else the text as it stands.

    `["num_frames=9", "edge.weight=0.5", "aspect_ratio=16:9"]` gives
    `{"num_frames": 9, "edge": {"weight": 0.5}, "aspect_ratio": "16:9"}`; the last of two wins.

    Raises:
        BadInput: a word is no `field=value`.
    """
    said: dict[str, Any] = {}
    for word in words:
        path, equals, value = word.partition("=")
        names = path.split(".")
        if not equals or not all(name.isidentifier() for name in names):
            raise BadInput(
                f"--set is {shown(word)}; expected field=value, for example num_frames=9.",
                param="set",
                hint="Write nested fields with a dot: edge.weight=0.5.",
            )
        node = said
        for name in names[:-1]:
            inner = node.get(name)
            inner = cast(dict[str, Any], inner) if isinstance(inner, dict) else dict[str, Any]()
            node[name] = inner
            node = inner
        node[names[-1]] = _value(value)
    return said


def merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """One over the other; objects in both are merged field by field, and null takes a field away."""
    merged = dict(under)
    for name, value in over.items():
        below = merged.get(name)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            merged[name] = merge(cast(Mapping[str, Any], below), cast(Mapping[str, Any], value))
        elif value is None:
            merged.pop(name, None)
        else:
            merged[name] = value
    return merged


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


SUFFIXES = (".json", ".jsonl", ".yaml", ".yml")
MAX_FILE_BYTES = 256 * 2**20
"""A line of the data sets that NVIDIA publishes has some 4 KiB; this is sixty thousand of them."""


@dataclass(frozen=True)
class Entry:
    """One sample as it is written, with what was said for all laid over it.

    Attributes:
        file: where it is written; relative paths in it start from this file's folder.
        name: the name of its folder: its own, else the file's, with a number where the file holds several.
        fields: by the framework's names; nothing in it is null.
        start_frame: where in its clip a window of a training set begins; 0 of every other sample.
        notes: what was changed on the way, in sentences.
    """

    file: Path
    name: str
    fields: Mapping[str, Any]
    start_frame: int = 0
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}, sample {self.name}"


def read_entries(patterns: Sequence[str], overrides: Mapping[str, Any]) -> list[Entry]:
    """The samples of all files that are meant, in the order of their files' names.

    Args:
        patterns: files, and globs (`**` is any depth) that are looked up here.
        overrides: fields laid over every sample.

    Raises:
        BadInput: there is no such file, or it cannot be read; the message names it, and the line in a .jsonl.
    """
    entries = list[Entry]()
    for file in _expand(patterns):
        rows = list(_rows(file))
        several = file.suffix.lower() == ".jsonl" or len(rows) > 1
        for index, row in enumerate(rows):
            name = f"{file.stem}_{index}" if several else file.stem
            written = read_windows(row, name) if is_dataset_row(row) else [Written(row, name, 0, ())]
            entries += [_entry(file, sample, overrides) for sample in written]
    return entries


def _entry(file: Path, sample: Written, overrides: Mapping[str, Any]) -> Entry:
    fields = merge(merge({}, sample.fields), overrides)
    said = fields.get("name")
    return Entry(
        file, said if isinstance(said, str) and said else sample.name, fields, sample.start_frame, sample.notes
    )


def _expand(patterns: Sequence[str]) -> list[Path]:
    files = set[Path]()
    for pattern in patterns:
        if Path(pattern).expanduser().is_file():
            files.add(Path(pattern).expanduser())
            continue
        found = [Path(name) for name in glob.glob(str(Path(pattern).expanduser()), recursive=True)]
        found = [path for path in found if path.is_file()]
        if not found:
            raise BadInput(
                f"There is no spec file {pattern!r}.", param="input", hint="Give a file name, or a glob in quotes."
            )
        files.update(found)
    for file in files:
        if file.suffix.lower() not in SUFFIXES:
            raise BadInput(
                f"{file} is not a spec file; expected a name that ends in {', '.join(SUFFIXES)}.", param="input"
            )
    return sorted(files)


def _rows(file: Path) -> Iterator[Mapping[str, Any]]:
    """The objects in a file: one in a .json or .yaml, or a list of them; one a line in a .jsonl."""
    text = read_text(file, "input")
    if file.suffix.lower() == ".jsonl":
        lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        found = [(f"{file}, line {number}", _json(line, f"{file}, line {number}")) for number, line in lines]
    else:
        value = _json(text, str(file)) if file.suffix.lower() == ".json" else _yaml(text, str(file))
        several = cast(list[object], value) if isinstance(value, list) else [value]
        found = [(str(file), value) for value in several]
    if not found:
        raise BadInput(f"{file} has no samples.", param="input")
    for where, value in found:
        if not isinstance(value, Mapping):
            raise BadInput(f"{where} is {shown(value)}; expected an object with the fields of a sample.")
        yield {str(name): field for name, field in cast(Mapping[object, Any], value).items()}


def read_text(file: Path, param: str) -> str:
    """A text file. Raises BadInput when it cannot be read, or is no UTF-8."""
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise BadInput(f"{file} is larger than {MAX_FILE_BYTES:,} bytes, the limit for text files.", param=param)
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror or error}.", param=param) from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is not UTF-8 text: byte {error.start} is invalid.", param=param) from None


def _json(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:  # a number of thousands of digits is no JSONDecodeError
        raise BadInput(f"{where} is not JSON: {error}.", param="input") from None
    except RecursionError:
        raise BadInput(f"{where} is nested too deeply.", param="input") from None


def _yaml(text: str, where: str) -> object:
    import yaml

    try:
        read = cast(object, yaml.safe_load(text))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BadInput(f"{where} is not YAML: {' '.join(str(error).split())}.", param="input") from None
    try:
        # YAML has dates and bytes; a spec is what JSON can say.
        return cast(object, json.loads(json.dumps(read)))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(
            f"{where} has a value that JSON does not support: {error}.", param="input", hint="Quote it."
        ) from None

"""Rows of a data set on disk, with the place that an error names: file, row and field."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from studio.errors import BadInput
from studio.evaluation.benchmark import Benchmark, Item
from studio.evaluation.forms import FORMS, check_metrics
from studio.evaluation.generations import media_named, rename_media
from studio.requests import explain, parse_as, shown

MAX_FILE_BYTES = 512 * 1024 * 1024


class Origin(NamedTuple):
    """Where a row stands: its file, and its number counted from 1, or 0 where the whole file is meant."""

    file: str
    row: int = 0

    def fault(self, message: str, field: str = "", hint: str = "") -> BadInput:
        """An error that says where."""
        where = f"{self.file}, row {self.row}" if self.row else self.file
        place = f"{self.file}:{self.row}" if self.row else self.file
        return BadInput(f"{where}: {message}", param=f"{place}.{field}" if field else place, hint=hint)


class LocatedRow(NamedTuple):
    """A row and where it stands."""

    origin: Origin
    fields: dict[str, Any]


def read_rows(path: Path) -> list[LocatedRow]:
    """The objects of a `.jsonl` file, a line each, or of the list in a `.json` file.

    Raises:
        BadInput: the file cannot be read, or a row is no object.
    """
    name = path.name
    text = read_text(path)
    if path.suffix.lower() != ".jsonl":
        value = _parsed(text, Origin(name))
        if not isinstance(value, list):
            raise Origin(name).fault(f"it holds {_kind(value)}; expected a list of objects.")
        numbered = list(enumerate(cast(list[Any], value), 1))
    else:
        lines = enumerate(text.split("\n"), 1)
        numbered = [(number, _parsed(line, Origin(name, number))) for number, line in lines if line.strip()]
    return [LocatedRow(Origin(name, number), _object(value, Origin(name, number))) for number, value in numbered]


def read_object(path: Path, name: str = "") -> LocatedRow:
    """The one object of a JSON file, under the name that errors give it. Raises BadInput."""
    origin = Origin(name or path.name)
    return LocatedRow(origin, _object(_parsed(read_text(path), origin), origin))


def read_text(path: Path) -> str:
    """A file's text. Raises BadInput."""
    origin = Origin(path.name)
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise origin.fault(f"it is larger than {MAX_FILE_BYTES:,} bytes.", hint="Split it.")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise origin.fault(f"it cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise origin.fault("it is not UTF-8 text.") from None


def _parsed(text: str, origin: Origin) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise origin.fault(f"it is not JSON: {error}.") from None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _object(value: Any, origin: Origin) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise origin.fault(f"it holds {_kind(value)}; expected an object.")
    return cast(dict[str, Any], value)


def _kind(value: object) -> str:
    return "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else shown(value)


def medium_of(name: str, folder: Path, origin: Origin, field: str) -> str:
    """A medium's path relative to the folder of the benchmark.

    Paths that begin with the folder's own name, as data sets that were moved have them, are understood.

    Args:
        name: as the row has it.
        folder: of the benchmark.
        origin, field: that name it.

    Raises:
        BadInput: there is no such file, or it is not inside the folder.
    """
    given = PurePath(name)
    inside = given.relative_to(folder) if given.is_relative_to(folder) else given
    if inside.parts[:1] == (folder.name,) and not (folder / inside).is_file():
        inside = PurePath(*inside.parts[1:])
    relative = PurePath(os.path.normpath(inside))
    if "\0" in name or relative.is_absolute() or ".." in relative.parts:
        raise origin.fault(
            f"{field} is {shown(name)}, which is not inside {folder}.",
            field,
            hint="Give media as paths relative to the benchmark's folder.",
        )
    if not (folder / relative).is_file():
        raise origin.fault(f"{field} is {shown(name)}, and {folder / relative} was not found.", field)
    return relative.as_posix()


def assemble(fields: Mapping[str, Any], rows: Sequence[LocatedRow], folder: Path, what: str) -> Benchmark:
    """A benchmark of rows that have the fields of `Item`.

    Args:
        fields: of the benchmark, without its items.
        rows: one for each item; media are relative to the folder, or begin with its name.
        folder: of the benchmark.
        what: names the file that `fields` are from.

    Raises:
        BadInput: a row does not fit, two have one id, a medium is not there, or the benchmark does not hold together.
    """
    if not rows:
        raise BadInput(f"{what} has no items; expected at least one.", param="items")
    items = [_item(row, folder) for row in rows]
    seen: dict[str, Origin] = {}
    for row, item in zip(rows, items, strict=True):
        if item.id in seen:
            raise row.origin.fault(f"id is {shown(item.id)}, which row {seen[item.id].row} has too.", "id")
        seen[item.id] = row.origin
    try:
        benchmark = Benchmark.model_validate({**fields, "items": items})
    except ValidationError as error:
        why = explain(error, Benchmark)
        raise BadInput(f"{what}: {why.message}", param=why.param, hint=why.hint) from None
    check_metrics(benchmark)
    for row, item in zip(rows, items, strict=True):
        try:
            FORMS[benchmark.form].check(item, benchmark)
        except BadInput as error:
            raise row.origin.fault(error.message, error.param or "", error.hint) from None
    return benchmark


def _item(row: LocatedRow, folder: Path) -> Item:
    given: Any = row.fields.get("media") or media_named(row.fields)
    names = cast(list[Any], given) if isinstance(given, list | tuple) else [given]
    for name in names:
        if not isinstance(name, str) or not name:
            raise row.origin.fault(f"media has {shown(name)}; expected a path.", "media")
    media = {name: medium_of(name, folder, row.origin, "media") for name in names}
    try:
        return parse_as(Item, rename_media({**row.fields, "media": names}, media))
    except BadInput as error:
        raise row.origin.fault(error.message, error.param or "", error.hint) from None


def name_of(folder: Path) -> str:
    """A benchmark's name from its folder's."""
    return slug(folder.name)


def slug(words: str) -> str:
    """A benchmark's name from words: `AV set (v2)` is `av-set-v2`."""
    return re.sub("[^a-z0-9._]+", "-", words.lower()).strip("-._")[:100] or "benchmark"

"""Parquet files as named columns of plain values; the one place that knows pyarrow, which ships no types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pyarrow  # pyright: ignore[reportMissingTypeStubs]
import pyarrow.parquet  # pyright: ignore[reportMissingTypeStubs]

from robot.faults import BrokenEpisode

_arrow = cast(Any, pyarrow)
_parquet = cast(Any, pyarrow.parquet)

Kind = tuple[str, int]
"""numpy's name of the numbers, and how many of them a row has; one is stored as a plain number."""


def write_columns(
    path: Path,
    columns: Mapping[str, Sequence[Any]],
    kinds: Mapping[str, Kind] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write a file.

    Args:
        columns: their values, all of one length.
        kinds: of the columns whose kind does not follow from the values.
        metadata: of the file.
    """
    arrays = {
        name: _arrow.array(list(values), _type(kinds[name]) if kinds and name in kinds else None)
        for name, values in columns.items()
    }
    table = _arrow.table(arrays)
    _parquet.write_table(table.replace_schema_metadata(dict(metadata)) if metadata else table, path)


def read_columns(path: Path) -> dict[str, list[Any]]:
    """Every column of a file. Raises BrokenEpisode."""
    try:
        return cast("dict[str, list[Any]]", _parquet.ParquetFile(path).read().to_pydict())
    except (OSError, _arrow.ArrowInvalid) as error:
        raise BrokenEpisode(f"{path} cannot be read: {error}.") from None


def _type(kind: Kind) -> Any:
    name, width = kind
    value = _arrow.bool_() if name == "bool" else getattr(_arrow, name)()
    return value if width == 1 else _arrow.list_(value, width)

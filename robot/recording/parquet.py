"""Parquet files as named columns of plain values; the one place that knows pyarrow, which ships no types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow  # pyright: ignore[reportMissingTypeStubs]
import pyarrow.parquet  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray

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


def read_arrays(path: Path, names: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Those of some columns that a file has, as float64 [n, width]: numbers, switches, or vectors of one width.

    Raises:
        BrokenEpisode: the file cannot be read, or a column is of something else.
    """
    try:
        file = _parquet.ParquetFile(path)
        table = file.read(columns=[name for name in names if name in file.schema_arrow.names])
        return {name: _array(path, name, table.column(name).combine_chunks()) for name in table.column_names}
    except (OSError, _arrow.ArrowInvalid) as error:
        raise BrokenEpisode(f"{path} cannot be read: {error}.") from None


def read_bytes(path: Path, name: str) -> list[bytes]:
    """The files that a column holds, as LeRobot stores images: `{"bytes": …, "path": …}` in each row.

    Raises:
        BrokenEpisode: the file cannot be read, or the column holds no files.
    """
    try:
        rows: list[Any] = _parquet.ParquetFile(path).read(columns=[name]).column(name).to_pylist()
    except (OSError, KeyError, _arrow.ArrowInvalid) as error:
        raise BrokenEpisode(f"{path} cannot be read: {error}.") from None
    found = [cast("dict[str, Any]", row).get("bytes") if isinstance(row, dict) else None for row in rows]
    if not all(isinstance(one, bytes) for one in found):
        raise BrokenEpisode(f"{path}: the column {name} does not hold images.")
    return cast("list[bytes]", found)


def _array(path: Path, name: str, column: Any) -> NDArray[np.float64]:
    values = column.flatten() if _arrow.types.is_nested(column.type) else column
    numbers = values.to_numpy(zero_copy_only=False)
    if numbers.dtype.kind not in "fiub" or (len(column) and len(numbers) % len(column)):
        raise BrokenEpisode(f"{path}: the column {name} is {column.type}; expected numbers, or vectors of one width.")
    return numbers.astype(np.float64).reshape(len(column), -1)


def _type(kind: Kind) -> Any:
    name, width = kind
    value = _arrow.bool_() if name == "bool" else getattr(_arrow, name)()
    return value if width == 1 else _arrow.list_(value, width)

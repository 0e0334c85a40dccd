"""Rows of actions from a file: JSON, NumPy or comma-separated values."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from studio.errors import BadInput
from studio.requests import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KEYS = ("actions", "action", "values", "data")
"""Where rows lie in a JSON object: ours and the framework's, SGLang's, vLLM-Omni's."""

MAX_FILE_BYTES = 64 * 2**20
"""Far above the longest horizon: 396 rows of 1,024 values are 8 MB of JSON."""


def read_actions(path: Path, param: str = "actions") -> list[list[float]]:
    """Rows of a .json (a list of rows, or an object that has one), .npy ([rows, width]) or .csv file.

    Raises:
        BadInput: it cannot be read, or holds no rows of numbers.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise BadInput(f"{path} is larger than {MAX_FILE_BYTES:,} bytes, the limit for action files.", param=param)
        match path.suffix.lower():
            case ".json":
                return _from_json(path, param)
            case ".npy":
                return _from_npy(path, param)
            case ".csv":
                return _from_csv(path, param)
            case _:
                raise BadInput(f"{path} is not an action file; expected .json, .npy or .csv.", param=param)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.", param=param) from None


def read_numbers(text: str, param: str) -> list[float]:
    """Numbers from "0.1,0.2,…", or from a .json or .npy file that holds one row of them.

    Raises:
        BadInput: there are none.
    """
    path = Path(text).expanduser()
    if path.suffix.lower() in (".json", ".npy", ".csv"):
        return read_actions(path, param)[0]
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(
            f"{param} is {shown(text)}; expected comma-separated numbers, or a file of them.", param=param
        ) from None


def _from_json(path: Path, param: str) -> list[list[float]]:
    try:
        value: object = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not JSON: {error}.", param=param) from None
    if isinstance(value, Mapping):
        found = cast(Mapping[str, object], value)
        value = next((found[key] for key in KEYS if key in found), None)
    return _rows(path, value, param)


def _from_npy(path: Path, param: str) -> list[list[float]]:
    import numpy as np

    try:
        array: object = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, MemoryError) as error:
        raise BadInput(f"{path} is not a NumPy file: {error}.", param=param) from None
    if not isinstance(array, np.ndarray):
        raise BadInput(f"{path} has several arrays; expected one.", param=param)
    numbers = cast("NDArray[np.generic]", array)
    if numbers.dtype.kind not in "fiu":
        raise BadInput(f"{path} is not an array of numbers.", param=param)
    return _rows(path, numbers.tolist(), param)


def _from_csv(path: Path, param: str) -> list[list[float]]:
    try:
        lines = [line for line in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if line]
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} is not a CSV table: {error}.", param=param) from None
    rows = list[list[float]]()
    for number, line in enumerate(lines):
        try:
            rows.append([float(cell) for cell in line])
        except ValueError:
            if number:  # the first line may name its columns
                raise BadInput(f"{path}, line {number + 1}: a cell is not a number.", param=param) from None
    return _rows(path, rows, param)


def _rows(path: Path, value: object, param: str) -> list[list[float]]:
    rows = cast(list[object], value) if isinstance(value, list) else []
    if rows and all(isinstance(cell, int | float) for cell in rows):
        rows = [rows]
    for row in rows:
        cells = cast(list[object], row) if isinstance(row, list) else [None]
        if not all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells):
            rows = []
            break
    if not rows:
        raise BadInput(
            f"{path} has no rows of numbers.",
            param=param,
            hint="Each row is one action, each column one of its values.",
        )
    return cast(list[list[float]], rows)

"""Messages with numpy arrays in them, in the msgpack dialect that openpi clients and servers speak.

An array is the map {b"__ndarray__": True, b"data": bytes, b"dtype": "<f4", b"shape": [8, 8]} and a numpy scalar is
{b"__npgeneric__": True, b"data": 1.5, b"dtype": "<f4"} (github.com/Physical-Intelligence/openpi, openpi-client,
`msgpack_numpy`). Other clients write the same keys as text, which is read too. Everything else is plain msgpack: None,
bool, int, float, str, bytes, list, map.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, cast

import msgpack  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
import numpy.typing as npt

from studio.errors import BadInput

_KINDS = "biufSU"
"""Booleans, numbers and fixed-length text. Objects could run code, complex and structured ones have no use here."""

_DTYPE = re.compile(rf"[<>|=]?[{_KINDS}]\d{{1,6}}")
_MAX_DIMENSIONS = 32

_MAX_EMPTY = 4096
"""Places of an array without bytes, 0 counted as 1: [10000000, 0] is cheap to send, and ten million lists to read."""

_MAX_SCALAR_BYTES = 1024
"""Of a scalar's dtype: a text of one letter may claim to be a million long."""

# msgpack ships no types.
_pack = cast(Callable[..., bytes], msgpack.packb)  # pyright: ignore[reportUnknownMemberType]
_unpack = cast(Callable[..., Any], msgpack.unpackb)  # pyright: ignore[reportUnknownMemberType]


def pack_message(message: object) -> bytes:
    """The bytes of a message.

    Raises:
        BadInput: something in it cannot be packed.
    """
    try:
        return _pack(message, default=_encode)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadInput(f"The message cannot be packed: {error}.") from None


def unpack_message(data: bytes) -> Any:
    """The message of some bytes; its arrays are read-only views into them.

    Raises:
        BadInput: they are not msgpack, or an array in them is not what it says it is.
    """
    try:
        return _unpack(data, object_hook=_decode, ext_hook=_refuse_extension)
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise BadInput(f"The message is not msgpack: {str(error) or type(error).__name__}.") from None


def _encode(value: object) -> dict[bytes, object]:
    if not isinstance(value, np.ndarray | np.generic):
        raise TypeError(f"a {type(value).__name__} cannot be packed")
    array: Any = cast(object, value)
    if array.dtype.kind not in _KINDS:
        raise TypeError(f"an array of {array.dtype} cannot be packed")
    if isinstance(value, np.generic):
        return {b"__npgeneric__": True, b"data": array.item(), b"dtype": array.dtype.str}
    return {b"__ndarray__": True, b"data": array.tobytes(), b"dtype": array.dtype.str, b"shape": list(array.shape)}


def _decode(value: dict[object, object]) -> object:
    if b"__ndarray__" in value or "__ndarray__" in value:
        return _array(_said(value, "data"), _dtype(_said(value, "dtype")), _said(value, "shape"))
    if b"__npgeneric__" in value or "__npgeneric__" in value:
        return _scalar(_said(value, "data"), _dtype(_said(value, "dtype")))
    return value


def _said(value: dict[object, object], name: str) -> object:
    return value.get(name.encode(), value.get(name))


def _dtype(name: object) -> np.dtype[Any]:
    text = name.decode("ascii", "replace") if isinstance(name, bytes) else name
    if not isinstance(text, str) or not _DTYPE.fullmatch(text):
        raise BadInput(f"An array's dtype is {name!r:.80}; expected booleans, numbers or text, as in '<f4'.")
    try:
        return np.dtype(text)
    except TypeError:
        raise BadInput(f"An array's dtype is {name!r:.80}, which numpy does not have.") from None


def _array(data: object, dtype: np.dtype[Any], shape: object) -> npt.NDArray[Any]:
    if not isinstance(shape, list | tuple):
        raise BadInput(f"An array's shape is {shape!r:.80}; expected a list of whole numbers.")
    sizes = cast("list[object]", shape)
    if len(sizes) > _MAX_DIMENSIONS or not all(type(size) is int and size >= 0 for size in sizes):
        raise BadInput(f"An array's shape is {shape!r:.80}; expected at most {_MAX_DIMENSIONS} whole numbers.")
    lengths = [size for size in sizes if isinstance(size, int)]
    expected = math.prod(lengths) * dtype.itemsize
    if not isinstance(data, bytes) or len(data) != expected:
        came = f"{len(data)} bytes" if isinstance(data, bytes) else type(data).__name__
        raise BadInput(f"An array of {dtype} and shape {lengths!r:.80} has {expected} bytes; got {came}.")
    if not data and math.prod(max(length, 1) for length in lengths) > _MAX_EMPTY:
        raise BadInput(
            f"An array of {dtype} and shape {lengths!r:.80} is empty; expected a shape of {_MAX_EMPTY} at most."
        )
    return np.ndarray(tuple(lengths), dtype, buffer=data)


def _scalar(data: object, dtype: np.dtype[Any]) -> np.generic:
    if not isinstance(data, bool | int | float | str | bytes):
        raise BadInput(f"A numpy scalar of {dtype} holds {data!r:.80}; expected one value.")
    if dtype.itemsize > _MAX_SCALAR_BYTES:
        raise BadInput(f"A numpy scalar of {dtype} has {dtype.itemsize} bytes; expected {_MAX_SCALAR_BYTES} at most.")
    try:
        return cast(np.generic, np.array(data, dtype)[()])
    except (ValueError, OverflowError, TypeError):
        raise BadInput(f"A numpy scalar of {dtype} holds {data!r:.80}, which does not fit.") from None


def _refuse_extension(code: int, data: bytes) -> object:
    raise BadInput(f"The message has a msgpack extension of type {code}; extensions are not supported.")

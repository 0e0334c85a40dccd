"""Things on the table, where their places are known: a simulated world tells them, a real table does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from studio.errors import BadInput

Shape = Literal["cube", "cylinder", "ball", "bowl"]

OBJECTS_FIELD = "observation/objects"
"""The field of a policy request. It is sent only to a server whose metadata says `needs_object_poses`."""

MAX_OBJECTS = 64


@dataclass(frozen=True)
class ObjectPose:
    """One thing and where it is, in the frame of the arm's base (x forward, y left, z up).

    Attributes:
        colour: as in "red".
        position: float64 [3], m, of its middle.
        quaternion: float64 [4], w x y z.
        half_size: float64 [3], m: half of its extent along its own axes.
    """

    colour: str
    shape: Shape
    position: NDArray[np.float64]
    quaternion: NDArray[np.float64]
    half_size: NDArray[np.float64]

    @property
    def name(self) -> str:
        """As in "red cube"."""
        return f"{self.colour} {self.shape}"

    @property
    def yaw(self) -> float:
        """Its turn about the upright axis, rad."""
        w, x, y, z = self.quaternion
        return float(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))


def pack_objects(objects: Sequence[ObjectPose]) -> list[dict[str, object]]:
    """The value of ``OBJECTS_FIELD``: a list of maps of plain strings and float64 arrays."""
    return [
        {
            "colour": thing.colour,
            "shape": thing.shape,
            "position": thing.position,
            "quaternion": thing.quaternion,
            "half_size": thing.half_size,
        }
        for thing in objects
    ]


def unpack_objects(value: object) -> tuple[ObjectPose, ...]:
    """The things in the value of ``OBJECTS_FIELD``.

    Raises:
        BadInput: it is something else.
    """
    if not isinstance(value, list):
        raise BadInput(f"{OBJECTS_FIELD} is a {type(value).__name__}; expected a list.", param=OBJECTS_FIELD)
    entries = cast("list[object]", value)
    if len(entries) > MAX_OBJECTS:
        raise BadInput(
            f"{OBJECTS_FIELD} holds {len(entries)} objects; the maximum is {MAX_OBJECTS}.", param=OBJECTS_FIELD
        )
    return tuple(_unpack_one(index, entry) for index, entry in enumerate(entries))


def _unpack_one(index: int, entry: object) -> ObjectPose:
    where = f"{OBJECTS_FIELD}.{index}"
    if not isinstance(entry, Mapping):
        raise BadInput(f"{where} is a {type(entry).__name__}; expected a map.", param=where)
    fields = cast("Mapping[str, object]", entry)
    colour, shape = fields.get("colour"), fields.get("shape")
    if not isinstance(colour, str) or not colour.isalpha():
        raise BadInput(f"{where}.colour is {colour!r:.40}; expected one word.", param=f"{where}.colour")
    if shape not in get_args(Shape):
        raise BadInput(
            f"{where}.shape is {shape!r:.40}; expected one of {', '.join(get_args(Shape))}.", param=f"{where}.shape"
        )
    quaternion = read_numbers(fields.get("quaternion"), 4, f"{where}.quaternion")
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1.0) > 1e-3:
        raise BadInput(f"{where}.quaternion has length {length:.3g}; expected 1.", param=f"{where}.quaternion")
    return ObjectPose(
        colour=colour.lower(),
        shape=cast(Shape, shape),
        position=read_numbers(fields.get("position"), 3, f"{where}.position"),
        quaternion=quaternion / length,
        half_size=read_numbers(fields.get("half_size"), 3, f"{where}.half_size"),
    )


def read_numbers(value: Any, width: int, param: str) -> NDArray[np.float64]:
    """float64 [width] of a list or an array of numbers, whatever its shape, copied.

    Raises:
        BadInput: it holds something else, another count, or a number that is not finite.
    """
    try:
        numbers = np.asarray(value, dtype=np.float64).reshape(-1).copy()
    except (TypeError, ValueError):
        raise BadInput(f"{param} is {value!r:.60}; expected {width} numbers.", param=param) from None
    num_finite = int(np.isfinite(numbers).sum())
    if numbers.size != width or num_finite != width:
        raise BadInput(
            f"{param} holds {numbers.size} numbers, {num_finite} of them finite; expected {width}.", param=param
        )
    return numbers

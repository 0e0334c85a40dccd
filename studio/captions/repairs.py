"""What was mended in an answer, each mend on record."""

from __future__ import annotations

from typing import Literal

from studio.requests import Frozen, cut

RepairKind = Literal[
    "commentary_dropped",
    "trailing_comma",
    "brackets_closed",
    "bracket_dropped",
    "escape",
    "tail_dropped",
    "control_restored",
    "key_dropped",
    "shortened",
    "retyped",
    "timing_respelled",
]


class Repair(Frozen):
    """One mend.

    Attributes:
        kind: of what sort.
        path: of the field, dotted, as in `actions.0.time`; empty for the text as a whole.
        detail: what was there, for a person to read.
    """

    kind: RepairKind
    path: str = ""
    detail: str = ""


def repaired(kind: RepairKind, path: str = "", was: object = None) -> Repair:
    """A mend that remembers the beginning of what it replaced."""
    return Repair(kind=kind, path=path, detail="" if was is None else cut(f"was {was!r}"))

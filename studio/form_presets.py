"""A form's values under a name, kept by the server so that every device can load them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from studio.requests import KINDS, Frozen, nearest
from studio.requests.fields import BoundedText

MAX_VALUES_BYTES = 262_144
"""Of the values as JSON: 396 actions of 57 values of ten characters fit."""


def _name(text: str) -> str:
    tidy = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if not tidy:
        raise ValueError("the name is empty; write at least one letter")
    return tidy


class SaveFormPreset(Frozen):
    """`POST /v1/presets`; another one of the same kind and name is replaced.

    Attributes:
        kind: of the request that the form makes.
        name: on one line.
        values: fields of that request, as in its JSON; they need not be a whole one.
    """

    kind: str
    name: Annotated[BoundedText, Field(max_length=80), AfterValidator(_name)]
    values: dict[str, Any]

    @model_validator(mode="after")
    def _values_are_fields(self) -> Self:
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind[:80]!r}. {nearest(self.kind, KINDS)}")
        known = KINDS[self.kind].model.model_fields
        strange = next((field for field in self.values if field not in known), None)
        if strange is not None:
            raise ValueError(f"{strange[:80]!r} is no field of {self.kind}. {nearest(strange, known)}")
        if len(json.dumps(self.values)) > MAX_VALUES_BYTES:
            raise ValueError(f"the values have more than {MAX_VALUES_BYTES:,} bytes")
        return self


class FormPreset(SaveFormPreset):
    """One that is kept."""

    id: str
    saved_at: datetime


class FormPresetList(Frozen):
    """`GET /v1/presets`, by name."""

    presets: tuple[FormPreset, ...]

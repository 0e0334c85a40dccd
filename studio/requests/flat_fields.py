"""A request as one flat list of fields, for those who ask for each by a name: flags and tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

SHORT_NAMES = {"sampling.num_inference_steps": "steps", "sampling.guidance_scale": "guidance"}
"""What people call fields whose names are those of the open-source pipelines."""


def fields_by_path(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Every field with its path, as in `sampling.seed`; a model that may be left out is one field."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from fields_by_path(field.annotation, f"{prefix}{name}.")
        else:
            yield prefix + name, field


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """A payload from values by path: `{"sampling.seed": 7}` is `{"sampling": {"seed": 7}}`."""
    payload: dict[str, Any] = {}
    for path, value in values.items():
        parent, _, name = path.rpartition(".")
        (payload.setdefault(parent, {}) if parent else payload)[name] = value
    return payload

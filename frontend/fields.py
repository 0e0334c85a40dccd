"""The fields of a request as a form sees them: flat, with dotted paths, bounds and drawing advice.

`sampling: Sampling` of a request becomes `sampling.seed`, `sampling.flow_shift` and so on, in their place.
"""

from __future__ import annotations

import types
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union, cast, get_args, get_origin

import annotated_types
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from studio.requests import FormHint


@dataclass(frozen=True)
class FieldSpec:
    """One field, ready to be drawn.

    Attributes:
        path: dotted, as in `sampling.seed`.
        title, help: as read.
        type: `bool`, `int`, `float` or `str`.
        default: None where a person must say.
        low, high: bounds, both included; None where there is none.
        step: of a slider.
        options: the values of a choice, else empty.
        optional: None may be said too.
        hint: drawing advice.
    """

    path: str
    title: str
    help: str
    type: type[Any]
    default: Any
    low: float | None
    high: float | None
    step: float | None
    options: tuple[Any, ...]
    optional: bool
    hint: FormHint


def fields_of(model: type[BaseModel], prefix: str = "") -> list[FieldSpec]:
    """Every field of a request that a form draws, nested groups flattened, in the order they are declared."""
    found: list[FieldSpec] = []
    for name, info in model.model_fields.items():
        annotation = _without_none(info.annotation)
        hint = next((note for note in info.metadata if isinstance(note, FormHint)), FormHint())
        if hint.hidden:
            continue
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            found += fields_of(annotation, f"{prefix}{name}.")
        else:
            found.append(_spec(prefix + name, info, annotation, hint, optional=annotation is not info.annotation))
    return found


def hidden_in(model: type[BaseModel], prefix: str = "") -> dict[str, Any]:
    """Paths of the fields that a form does not draw, with what they are by themselves, as JSON has it."""
    found: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        annotation = _without_none(info.annotation)
        hint = next((note for note in info.metadata if isinstance(note, FormHint)), FormHint())
        if hint.hidden:
            default = None if info.is_required() else info.get_default(call_default_factory=True)
            found[prefix + name] = list(cast("tuple[Any, ...]", default)) if isinstance(default, tuple) else default
        elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
            found |= hidden_in(annotation, f"{prefix}{name}.")
    return found


def titles_of(models: Iterable[type[BaseModel]]) -> dict[str, str]:
    """By a field's own name, without the groups that it is in, its title: what people read for it."""
    found: dict[str, str] = {}
    for model in models:
        for name, info in model.model_fields.items():
            if info.title:
                found.setdefault(name, info.title)
            found = titles_of(_models_in(info.annotation)) | found
    return found


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models that a field holds: itself, one of several, or the entries of a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def flatten(values: Mapping[str, Any], prefix: str = "", whole: Collection[str] = ()) -> dict[str, Any]:
    """Nested JSON with dotted names: `{"sampling": {"seed": 7}}` gives `{"sampling.seed": 7}`.

    Args:
        whole: paths whose objects are values.
    """
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping) and prefix + name not in whole:
            flat |= flatten(cast("Mapping[str, Any]", value), f"{prefix}{name}.", whole)
        else:
            flat[prefix + name] = value
    return flat


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The opposite of `flatten`."""
    nested: dict[str, Any] = {}
    for path, value in flat.items():
        *groups, name = path.split(".")
        level = nested
        for group in groups:
            level = level.setdefault(group, {})
        level[name] = value
    return nested


def _spec(path: str, info: FieldInfo, annotation: Any, hint: FormHint, *, optional: bool) -> FieldSpec:
    low = next((note.ge for note in info.metadata if isinstance(note, annotated_types.Ge)), None)
    high = next((note.le for note in info.metadata if isinstance(note, annotated_types.Le)), None)
    options = get_args(annotation) if get_origin(annotation) is Literal else ()
    kind = cast("type[Any]", type(options[0]) if options else annotation)
    assert kind in (bool, int, float, str), f"{path} is {annotation}, which no form can draw; hide it"
    return FieldSpec(
        path=path,
        title=info.title or path,
        help=info.description or "",
        type=kind,
        default=None if info.default is PydanticUndefined else info.default,
        low=cast("float | None", low),
        high=cast("float | None", high),
        step=hint.step,
        options=(True, False) if annotation is bool else options,
        optional=optional,
        hint=hint,
    )


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) in (Union, types.UnionType):
        return next(choice for choice in get_args(annotation) if choice is not type(None))
    return annotation

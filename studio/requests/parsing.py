"""From what came over a wire to a frozen request, or to an error that says which field and why."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from studio.errors import BadInput, UnknownKind
from studio.requests.kinds import KINDS, Request

MAX_SHOWN = 80

Model = TypeVar("Model", bound=BaseModel)

_ORDER = {"extra_forbidden": 0, "missing": 2}


def parse_request(payload: Mapping[str, Any]) -> Request:
    """The request that a decoded JSON object describes.

    Raises:
        UnknownKind: `kind` is missing or names nothing that is served.
        BadInput: a field is missing, unknown, of the wrong type or out of bounds.
    """
    kind = payload.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise UnknownKind(
            f"kind is {shown(kind)}; expected one of {', '.join(KINDS)}.",
            param="kind",
            hint=nearest(kind if isinstance(kind, str) else "", KINDS),
        )
    return cast("Request", parse_as(KINDS[kind].model, payload))


def parse_as(model: type[Model], payload: Mapping[str, Any]) -> Model:
    """The same for a class that is known, as a conversation's (`Reason`) is, which is no job. Raises BadInput."""
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        raise explain(error, model) from None


def explain(error: ValidationError, model: type[BaseModel]) -> BadInput:
    """The first thing that pydantic minds, in our words; a misspelt name comes first, what is missing last."""
    first = min(error.errors(include_url=False), key=lambda entry: _ORDER.get(entry["type"], 1))
    path = cut(".".join(str(part) for part in first["loc"]))
    came = shown(first.get("input"))
    context = first.get("ctx", {})
    hint = _range(model, first["loc"])
    match first["type"]:
        case "missing":
            return BadInput(f"{path} is missing.", param=path, hint=f"Send {path}.")
        case "extra_forbidden":
            known = _names(model, first["loc"][:-1])
            kind = next((name for name, kind in KINDS.items() if kind.model is model), None)
            others = [name for name, other in KINDS.items() if other.has(path)]
            if kind is not None and others:
                return BadInput(
                    f"{path} is not a field of {kind}.", param=path, hint=f"It is a field of {', '.join(others)}."
                )
            return BadInput(f"{path} is not a known field.", param=path, hint=nearest(str(first["loc"][-1]), known))
        case "greater_than_equal":
            least = _number(context["ge"])
            return BadInput(f"{path} is {came}; expected at least {least}.", param=path, hint=hint)
        case "less_than_equal":
            most = _number(context["le"])
            return BadInput(f"{path} is {came}; the maximum is {most}.", param=path, hint=hint)
        case "finite_number":
            return BadInput(f"{path} is {came}; expected a finite number.", param=path, hint=hint)
        case "value_error":
            where = f"{path}: " if path else ""
            return BadInput(f"{where}{first['msg'].removeprefix('Value error, ').rstrip('.')}.", param=path or None)
        case _:
            what = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
            return BadInput(f"{path or 'The request'} is {came}: {what}.", param=path or None, hint=hint)


def shown(value: object) -> str:
    """A value as it may stand in a sentence: short, quoted, never a whole upload."""
    try:
        return cut(repr(value))
    except RecursionError:
        return "a value that is nested too deeply"


def cut(text: str) -> str:
    """A text's beginning, which is all that a sentence has room for, in characters that can be sent."""
    short = text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
    return short.encode(errors="backslashreplace").decode()


def nearest(name: str, known: Any) -> str:
    """A hint that names what was probably meant; comparing takes time with the square of the length."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5) if len(name) <= MAX_SHOWN else []
    return f"Did you mean {close[0]}?" if close else f"Known values: {', '.join(sorted(known))}."


def _model_at(model: type[BaseModel], path: tuple[int | str, ...]) -> type[BaseModel]:
    for part in path:
        field = model.model_fields.get(str(part))
        if field is None or not (isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)):
            return model
        model = field.annotation
    return model


def _names(model: type[BaseModel], path: tuple[int | str, ...]) -> list[str]:
    return list(_model_at(model, path).model_fields)


def _range(model: type[BaseModel], path: tuple[int | str, ...]) -> str:
    field = _model_at(model, path[:-1]).model_fields.get(str(path[-1])) if path else None
    bounds = {type(rule).__name__: rule for rule in field.metadata} if field else {}
    if "Ge" in bounds and "Le" in bounds:
        return f"Use a number from {_number(bounds['Ge'].ge)} to {_number(bounds['Le'].le)}."
    return ""


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:g}"

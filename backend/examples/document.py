"""The application's OpenAPI document with examples in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI

from backend.errors import ErrorBody
from backend.examples.answers import by_model, by_route
from backend.examples.calls import BODIES, NAMES, PARAMETERS
from backend.examples.refusals import REFUSALS
from studio.jobs import Failure

_REFERENCE = "#/components/schemas/"
_ERROR = f"{_REFERENCE}{ErrorBody.__name__}"
_FRAMEWORKS_OWN = ("HTTPValidationError", "ValidationError")
"""What FastAPI says it answers to a wrong parameter; `backend.errors` answers in its place."""


def show_examples(app: FastAPI) -> None:
    """Have the application's OpenAPI carry them."""
    described = app.openapi
    finished: dict[str, Any] = {}

    def openapi() -> dict[str, Any]:
        if not finished:
            finished.update(described())
            _fill(finished)
        return finished

    app.openapi = openapi


def operations_of(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every operation of an OpenAPI schema, as in "GET /v1/jobs"."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def has_example(content: dict[str, Any]) -> bool:
    """Whether a body of one content type shows one."""
    return bool(content.keys() & {"example", "examples"}) or bool(content.get("schema", {}).get("examples"))


def _fill(schema: dict[str, Any]) -> None:
    of_model, of_route = by_model(), by_route()
    for name, operation in operations_of(schema):
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "path" and "example" not in parameter:
                parameter["example"] = _of_parameter(parameter["name"], name.partition(" ")[2])
        for content in operation.get("requestBody", {}).get("content", {}).values():
            if not has_example(content) and name in BODIES:
                content["example"] = BODIES[name]
        for response in operation["responses"].values():
            content = response.get("content", {}).get("application/json")
            if content is None:
                continue
            model = content["schema"].get("$ref", "").removeprefix(_REFERENCE)
            if model in _FRAMEWORKS_OWN:
                response["description"], content["schema"] = "bad_input", {"$ref": _ERROR}
                model = ErrorBody.__name__
            if model == ErrorBody.__name__:
                content["examples"] = _refusals(response["description"])
            elif name in of_route:
                content["example"] = of_route[name]
            elif model in of_model:
                content["example"] = of_model[model]
    for model in _FRAMEWORKS_OWN:
        schema["components"]["schemas"].pop(model, None)


def _refusals(codes: str) -> dict[str, Any]:
    """Of an error's description as `backend.errors.documented` writes it, as in "bad_input, not_allowed"."""
    bodies = {code: ErrorBody(error=Failure.of(REFUSALS[code])) for code in codes.split(", ")}
    return {code: {"value": body.model_dump(mode="json")} for code, body in bodies.items()}


def _of_parameter(name: str, path: str) -> Any:
    if name == "name":
        return next((example for start, example in NAMES.items() if path.startswith(start)), None)
    return PARAMETERS.get(name)

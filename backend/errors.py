"""Errors at the edge: every type to one status, every answer in one shape."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from backend.media.scratch import FULL
from studio import errors
from studio.jobs import Failure
from studio.requests import shown

log = structlog.get_logger("orrery.http")

STATUS: dict[type[errors.StudioError], int] = {
    errors.StudioError: 500,
    errors.BadInput: 422,
    errors.NotFound: 404,
    errors.MethodNotAllowed: 405,
    errors.Conflict: 409,
    errors.Busy: 503,
    errors.GuardrailLost: 503,
    errors.NotACheckpoint: 422,
    errors.BrokenCheckpoint: 409,
    errors.Unauthorized: 401,
    errors.ForeignOrigin: 403,
    errors.TooLarge: 413,
    errors.TooManyRequests: 429,
    errors.TooSlow: 408,
    errors.NotImplementedHere: 501,
    errors.StorageError: 500,
    errors.DiskFull: 507,
    errors.QuotaExceeded: 507,
    errors.EngineLost: 503,
    errors.OutOfMemory: 503,
    errors.ServerUnreachable: 502,
}
"""A type that is not here has its nearest parent's status."""


class ErrorBody(BaseModel):
    """What every failing route answers."""

    error: Failure = Field(
        examples=[
            {
                "code": "bad_input",
                "message": "num_frames: 18 frames are not 4k+1; use 17 or 21.",
                "type": "invalid_request_error",
                "param": "num_frames",
                "hint": "",
            }
        ]
    )


ANY_ERROR: dict[int | str, dict[str, Any]] = {"default": {"model": ErrorBody, "description": "any other error"}}
"""The `responses=` of the application; with it FastAPI does not document a shape of its own for wrong parameters."""


def status_of(error: errors.StudioError) -> int:
    """The HTTP status of an error."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def answer(error: errors.StudioError) -> JSONResponse:
    """An error as a response."""
    body = ErrorBody(error=Failure.of(error))
    return JSONResponse(body.model_dump(mode="json"), status_of(error))


def documented(*kinds: type[errors.StudioError]) -> dict[int | str, dict[str, Any]]:
    """The `responses=` of a route that may raise these."""
    by_status: dict[int | str, dict[str, Any]] = {}
    for kind in kinds:
        status = next(STATUS[parent] for parent in kind.__mro__ if parent in STATUS)
        entry = by_status.setdefault(status, {"model": ErrorBody, "description": ""})
        entry["description"] = ", ".join(filter(None, (entry["description"], kind.code)))
    return by_status


def register(app: FastAPI) -> None:
    """Teach an application to answer errors."""
    handlers: dict[type[Exception], Callable[[Request, Any], Coroutine[Any, Any, Response]]] = {
        errors.StudioError: _studio,
        RequestValidationError: _validation,
        HTTPException: _http,
        ClientDisconnect: _gone,
        OSError: _disk,
        Exception: _unexpected,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)


def register_missing(app: FastAPI) -> None:
    """Teach the page's library to say in our shape what is not there; the page's script reads its other answers."""
    for status in (404, 405):
        app.add_exception_handler(status, _http)  # pyright: ignore[reportArgumentType] - of HTTPException alone


async def _studio(request: Request, error: errors.StudioError) -> JSONResponse:
    log.info("refused", method=request.method, path=request.url.path, code=error.code, message=error.message)
    return answer(error)


async def _validation(request: Request, error: RequestValidationError) -> JSONResponse:
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    if first["type"] == "json_invalid":
        return answer(
            errors.BadInput("The body is not JSON.", hint="Send an object with content-type application/json.")
        )
    what = path or "the body"
    return answer(errors.BadInput(f"{what} is {shown(first.get('input'))}: {first['msg']}.", param=path or None))


async def _http(request: Request, error: HTTPException) -> JSONResponse:
    cause = error.__cause__
    if isinstance(cause, OSError) and cause.errno in FULL:  # a large part of a form is put into a file as it comes
        return await _disk(request, cause)
    if error.status_code == 400:
        return answer(errors.BadInput("The body cannot be read.", hint="Send one JSON object with less nesting."))
    return refusal(error.status_code, request.method, request.url.path, error.detail, error.headers)


async def _gone(request: Request, error: ClientDisconnect) -> Response:
    log.info("left", method=request.method, path=request.url.path)
    return Response(status_code=400)  # nobody reads it


async def _disk(request: Request, error: OSError) -> JSONResponse:
    """A full disk where nobody has foreseen one; whatever else it may be is a defect."""
    if error.errno not in FULL:
        raise error
    return await _studio(
        request,
        errors.DiskFull(
            "The disk is full: the request could not be stored.", hint="Free some space and send the request again."
        ),
    )


def refusal(
    status: int, method: str, path: str, detail: object, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """What a framework refused with a status and a detail, in our shape and with that status."""
    match status:
        case 404:
            error = errors.NotFound(f"There is no route {shown(path)}.", hint="/docs lists every route.")
        case 405:
            error = errors.MethodNotAllowed(
                f"{shown(path)} does not support {method}.", hint="/docs lists every route."
            )
        case _ if status < 500:
            error = errors.BadInput(f"{method} {shown(path)} is refused: {shown(detail)}.")
        case _:
            error = errors.Unexpected(
                f"{method} {shown(path)} failed unexpectedly.", hint="See the server's log for details."
            )
    return JSONResponse(ErrorBody(error=Failure.of(error)).model_dump(mode="json"), status, headers)


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    # The traceback is in the log: the server's own error middleware raises it again. The reply says where to look.
    return answer(errors.Unexpected("This request failed unexpectedly.", hint="See the server's log for details."))

"""What no other API route answers: refused here, in our shape, before the page's own router sees it."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.types import Receive, Scope, Send

from backend.errors import answer
from studio.errors import MethodNotAllowed, NotFound
from studio.requests import shown

PATHS = frozenset({"/v1", "/v1/{path:path}", "/gradio_api/upload"})
"""Ours whatever follows, and the page library's upload, which has no limit and is never cleaned: we upload by
`/v1/media`."""


class Unknown:
    """ASGI endpoint for every method that the routes leave."""

    def __init__(self, routes: Sequence[APIRoute]) -> None:
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 405 where another method would be served, and 404 where none is."""
        method, path = scope["method"], scope["path"]
        allowed = {name for route in self._routes if route.path_regex.match(path) for name in route.methods or ()}
        if not allowed:
            refusal = NotFound(f"There is no {method} {shown(path)}.", hint="/docs lists every route.")
            await answer(refusal)(scope, receive, send)
            return
        names = ", ".join(sorted(allowed))
        response = answer(MethodNotAllowed(f"{shown(path)} does not support {method}.", hint=f"It supports {names}."))
        response.headers["allow"] = names
        await response(scope, receive, send)


def after(routers: Sequence[APIRouter]) -> APIRouter:
    """The router that comes last: everything at its own paths, and at those of the others, that they do not serve."""
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    router = APIRouter()
    endpoint = Unknown(routes)
    for path in sorted(PATHS | {route.path for route in routes}):
        router.add_route(path, endpoint, include_in_schema=False)  # pyright: ignore[reportArgumentType]
    return router

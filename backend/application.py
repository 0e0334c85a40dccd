"""The server's edge, put together: routes, pages and what every request passes through."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.routing import Mount

from backend import errors
from backend.edge.access import Gate
from backend.edge.body_limit import BodyLimit
from backend.edge.head import Head
from backend.edge.rate_limit import RateLimit
from backend.metrics import RequestMetrics
from backend.robots.own_robot import OwnRobot
from backend.routes import ROUTERS
from backend.services import Services
from backend.version import VERSION
from frontend.app import mount
from frontend.login import login_page
from studio.settings import ServerSettings

DESCRIPTION = (
    "The studio for NVIDIA's Cosmos 3 world models. Every error is `{error: {code, message, type, param, hint}}`."
)

SMALLEST_PACKED = 16_384
"""Bytes of an answer: a page is 168 kB and 40 packed, the list of checkpoints 51 and 6. Below, little is gained."""


def create_app(settings: ServerSettings, services: Services, base_url: str, alive: AsyncExitStack) -> FastAPI:
    """The application: API first, then the page over everything else.

    Args:
        base_url: where the page's own handlers reach this server, on loopback.
        alive: what ends with it. Closed at its shutdown: the process may be gone before its caller hears of that.
    """
    has_robot = settings.robot != "none"
    own_robot = OwnRobot(settings, base_url, services.robots.hub, services.robots.policy) if has_robot else None

    @asynccontextmanager
    async def life(_app: FastAPI) -> AsyncGenerator[None]:
        async with alive:
            if own_robot:
                own_robot.start()
                alive.push_async_callback(own_robot.close)
            yield

    app = FastAPIOffline(
        title="Orrery", version=VERSION, description=DESCRIPTION, lifespan=life, responses=errors.ANY_ERROR
    )
    app.state.services = services
    app.state.token = settings.token.get_secret_value() if settings.token else None
    app.state.login_page = login_page
    errors.register(app)
    for router in ROUTERS:
        app.include_router(router)
    _know_routes(app)
    mount(app, base_url=lambda: base_url, has_token=settings.token is not None)
    for route in app.routes:
        if isinstance(route, Mount) and isinstance(route.app, FastAPI):
            errors.register_missing(route.app)
    packed_already = (*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/octet-stream")
    app.add_middleware(
        GZipMiddleware, minimum_size=SMALLEST_PACKED, compresslevel=5, exclude_content_types=packed_already
    )
    app.add_middleware(Head)
    app.add_middleware(BodyLimit)
    app.add_middleware(Gate, settings=settings)
    app.add_middleware(RateLimit, per_minute=settings.rate_limit)
    app.add_middleware(RequestMetrics, metrics=services.ledger.metrics)
    return app


def _know_routes(app: FastAPI) -> None:
    # FastAPI looks at a router's signatures when it is first asked: the first clients would wait for a quarter second.
    for route in app.routes:
        route.matches({"type": "http", "method": "GET", "path": "/", "root_path": "", "headers": []})
